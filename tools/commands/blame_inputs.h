// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "blame/blame.h"
#include "compare/side.h"

namespace belay::tools {

// The value, or the sentence as std::runtime_error.
template <class T>
T or_throw(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().message);
  return std::move(result).value();
}

// The inputs of a model that the user gave (--input), for blame. Throws std::runtime_error with the sentence.
blame::GivenTensors blame_inputs(const std::vector<std::string>& files, const graph::Model& model);

// A dump with tensors to examine. Throws what to dump when it holds statistics only.
compare::Side open_dump_with_tensors(const std::filesystem::path& dump);

}  // namespace belay::tools
