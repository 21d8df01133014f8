// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/status.h"

namespace belay::convert {

// What atc --mode=1 --framework=5 writes for an ONNX file. The raw bytes of tensors are left out.
Result<std::string> onnx_to_json(std::span<const std::byte> image);

}  // namespace belay::convert
