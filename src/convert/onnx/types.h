// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "graph/tensor/types.h"

namespace belay::convert::onnx {

// The element type that ONNX gives this number; Undefined for those the graph engine has no name for.
graph::DataType data_type(int64_t number);
// Whether there are kernels for it: not for strings and the floats and integers of 8 bits and less from opset 19 on.
bool is_supported(int64_t number);
// As ONNX calls it: "FLOAT8E4M3FN"; its number when it is not known.
std::string type_name(int64_t number);

}  // namespace belay::convert::onnx
