// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "convert/onnx/model.h"

namespace belay::convert {

// An error when nodes are of a newer opset than our mappings were looked through for: it names the operators, which may
// mean something else there. Functions are inlined already.
Status check_opsets(const onnx::Model& model);

}  // namespace belay::convert
