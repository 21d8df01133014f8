// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/status.h"
#include "graph/ge_ir/attribute_coding.h"
#include "graph/model/graph.h"

namespace belay::graph {

// Where a model's messages and weights lie. What is read borrows from them; `owner` keeps them alive.
struct GeIrSource {
  std::span<const std::byte> model_def, weights;
  std::shared_ptr<const void> owner;
};

struct GeIrModel {
  Model model;
  AttributeDecoder decoder;  // of this file: later groups of a several-model file are coded with the first one's
};

// A ModelDef message as a model: nodes in an order in which they can run, edges resolved, attributes decoded, the
// format's own bookkeeping taken away. 545002 for what is wrong in the message, 545003 for a constant outside the
// weights; both name graph and node.
Result<GeIrModel> read_ge_ir(const GeIrSource& source, const AttributeDecoder* inherited = nullptr);

}  // namespace belay::graph
