// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "replay/dumped.h"
#include "replay/operator.h"

namespace belay::replay {

// The model that a dump is of: an .om, or an .onnx, which is converted as atc does it by itself. Subgraphs of constants
// are computed, as when it is loaded.
Result<std::shared_ptr<const graph::Model>> open_model(const std::filesystem::path& path);

// An operator taken out of a dump.
struct Extracted {
  Operator op;
  std::filesystem::path file;                 // that it was taken from
  size_t executions = 1;                      // of which this is the first
  size_t from_producers = 0, from_model = 0;  // how many inputs were not dumped with it
};

// The operator `name` (its own name, or that of a source operator that became part of it). Its attributes are those of
// the model; without one, the defaults of its type. Inputs are those that were dumped with it; where only outputs were,
// those of its producers in the same folder, and constants of the model. 100006, with what is missing and what to do,
// when an input is nowhere, or the dump and the model do not belong together.
// `inputs` are those of the model, by name, as far as they are known: dumps of outputs do not have them.
using ModelInputs = std::map<std::string, graph::Constant, std::less<>>;
Result<Extracted> extract(const DumpedTree& tree, std::string_view name, const graph::Model* model,
                          const ModelInputs& inputs = {});

}  // namespace belay::replay
