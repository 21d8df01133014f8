// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "graph/types.h"

namespace belay::convert::onnx {

// The element type that ONNX gives this number; Undefined for those the graph engine has no name for.
graph::DataType data_type(int64_t number);

}  // namespace belay::convert::onnx
