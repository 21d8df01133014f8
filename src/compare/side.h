// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "compare/element_source.h"

namespace belay::compare {

// One tensor of a side: what it is called, where it is. Nothing of it is read until it is opened.
struct SideTensor {
  std::string op;       // the operator's name as the header has it, else as the file name has it (mangled there)
  std::string op_type;  // "" when nothing tells it
  bool input = false;   // else an output
  size_t index = 0;     // among the inputs or outputs
  // The output of an operator before fusion that this output is (the header's original_op); "" when not told.
  std::string origin;
  size_t origin_index = 0;
  std::filesystem::path place;  // the folder within the side: device/model/id/step
  std::filesystem::path file;   // "" for what is computed
  std::string tensor;           // what an array is called in its file or by its file; "" for dumps
  bool result = false;          // known to be what the model gives at the end
  bool mapped = false;          // the name is from mapping.csv
  uint64_t time = 0, task = 0;  // 0: not told
  uint64_t address = 0;         // where it was on the device; 0: not told
  std::function<Result<std::shared_ptr<const ElementSource>>()> open;
};

// What is compared: a dump tree, a folder of arrays, or what a model computes.
struct Side {
  std::string name;                   // as the user gave it
  std::vector<SideTensor> tensors;    // in the order in which they were made, as far as that is told
  std::vector<std::string> problems;  // files that could not be read, each with the reason
};

// A dump tree of ours or of an NPU, one dump file, or a folder (or file) of .npy, .npz and .safetensors. 100003 when
// the path does not exist; 100006 when there is nothing in it that could be compared.
Result<Side> open_side(const std::filesystem::path& path);

}  // namespace belay::compare
