// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands/tensor_io.h"

namespace belay::tools {

// What the command line says of a model's inputs. Whatever names none of them is refused.
class GivenInputs {
 public:
  // `files`: FILE for the inputs in order, or NAME=FILE. `shapes`: NAME:1,3,224,224. Throws std::runtime_error.
  GivenInputs(const std::vector<std::string>& files, const std::vector<std::string>& shapes,
              const std::vector<std::string>& names);

  // Empty: none was given.
  std::string file(const std::string& name) const;
  std::optional<std::vector<int64_t>> shape(const std::string& name) const;

 private:
  std::map<std::string, std::string> files_;
  std::map<std::string, std::vector<int64_t>> shapes_;
};

// The shape to run with: the given one, which must agree with what is known; else 1 for each unknown dimension.
std::vector<int64_t> shape_for(const HostTensor& declared, const std::optional<std::vector<int64_t>>& given);

}  // namespace belay::tools
