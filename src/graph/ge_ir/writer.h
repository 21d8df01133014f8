// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graph/ge_ir/weight_store.h"
#include "graph/model/graph.h"

namespace belay::graph {

// A model as the messages of an .om file.
struct GeIrImage {
  std::string graphs;         // the ModelDef's fields before its attributes
  Attributes attributes;      // of the model, with the dictionaries of attribute compression
  WeightStore weights;        // borrows from the model
  uint64_t memory_bytes = 0;  // that the tensors would need if none shared its place
};

// The model must be sound (Graph::check).
GeIrImage write_ge_ir(const Model& model, bool compress_attributes);

// A model's attributes as the fields that end a ModelDef; values of constants among them stay in the message.
std::string write_model_attributes(const Attributes& attributes);

}  // namespace belay::graph
