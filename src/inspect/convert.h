// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/status.h"
#include "inspect/dump_tree.h"

namespace belay::inspect {

// MindSporeNpy: arrays under the names that MindSpore gives them, <op type>.<last part of the operator's name>.<numbers
// of the dump file>.output.0.<format>.npy.
enum class ConvertTo : uint8_t { Npy, MindSporeNpy, Bin, Safetensors };

struct ConvertOptions {
  ConvertTo to = ConvertTo::Npy;
  bool as_stored = false;  // leave private formats in their order
  std::filesystem::path folder;
  std::optional<uint64_t> only_input, only_output;  // one of them set: the other tensors are left out
};

struct ConvertCount {
  uint64_t files = 0, bytes = 0;
};

// Writes the tensors of one dump file as files of their own under the options' folder, in the sub-folder that the dump
// was found in. Names are those of msaccucmp: <dump>.output.0.npy. Tensors go from the mapped file to disk block by
// block. Statistics files hold no tensors: 100006.
Result<ConvertCount> convert_dump(const FoundDump& dump, const ConvertOptions& options);

}  // namespace belay::inspect
