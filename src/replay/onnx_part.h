// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"
#include "replay/operator.h"

namespace belay::replay {

// The nodes of an ONNX file that an operator was made of, as an ONNX model of their own: the file's bytes for the nodes
// and their initializers, inputs in the order of the operator's given ones and with their types and shapes. 100026,
// with the reason, when the operator is not just these nodes: one of them became several operators, is inside of
// another graph, or its inputs are not those of the operator. `model` is what the file was converted to.
Result<std::string> onnx_part(const std::filesystem::path& file, const graph::Model& model, const Operator& op);

}  // namespace belay::replay
