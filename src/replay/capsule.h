// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "exact/evaluate.h"
#include "replay/operator.h"

namespace belay::replay {

// What a capsule says besides the operator.
struct CapsuleText {
  std::string origin;    // "Conv2D conv1 of dump/...": where it was taken from
  std::string command;   // that made it
  std::string versions;  // a line for each
};

// A folder with everything that one operator needs to run anywhere: single.om, single.onnx when there is one, the
// tensors as .npy and as bytes, tensors.txt, programs in C++ and Python on plain AscendCL that run it and compare, a
// README. `expected` is the recomputation in double; empty when there is none. `onnx`: the bytes of single.onnx, or why
// there is none. 100004 when a file cannot be written.
Status write_capsule(const std::filesystem::path& folder, const Operator& op,
                     const std::vector<exact::Output>& expected, const Result<std::string>& onnx,
                     const CapsuleText& text);

}  // namespace belay::replay
