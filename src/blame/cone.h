// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "blame/held.h"
#include "graph/model/graph.h"

namespace belay::blame {

// A tensor that was not recorded, as what it is computed from.
struct Derivation {
  const graph::Node* node = nullptr;
  std::vector<Held> inputs;
};

// An operator and those before it that were not recorded, as one fused operator that starts from recorded tensors.
struct Cone {
  graph::Node node;
  std::vector<Held> inputs;             // of the fused operator
  std::vector<std::string> unrecorded;  // the operators that it was joined with
};

// `read` are the operator's inputs, some of them derived. The reason when one of the tensors that it starts from is not
// known.
Result<Cone> make_cone(const graph::Node& node, const std::vector<Held>& read);

}  // namespace belay::blame
