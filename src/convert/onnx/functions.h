// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "convert/onnx/model.h"

namespace belay::convert::onnx {

// Puts the nodes of the model's own functions in the place of their calls, in graphs inside graphs too. Inner names
// become "<call>/<name>". 100013 when functions call each other without end.
Status inline_functions(Model& model);

}  // namespace belay::convert::onnx
