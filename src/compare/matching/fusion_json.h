// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace belay::compare {

// The output of an operator before fusion.
struct Origin {
  std::string name;
  size_t index = 0;
};

// What atc tells of one operator of a compiled model.
struct FusedOp {
  std::vector<std::string> members;  // names before fusion; empty: it was not fused, or the compiler inserted it
  std::vector<Origin> outputs;       // name "": not told
};

// What a model's JSON tells.
struct FusionMap {
  std::map<std::string, FusedOp> ops;  // by name, mangled as in dump files
  std::map<std::string, Origin>
      tensors;  // of an ONNX file: which output of which node a tensor is, by its name, mangled
};

// Reads what `atc --mode=1` writes of an .om file, or of an .onnx file. 100003 when the file cannot be read, 100006
// when it is no such JSON.
Result<FusionMap> read_fusion_json(const std::filesystem::path& file);
Result<FusionMap> parse_fusion_json(std::string_view text);

}  // namespace belay::compare
