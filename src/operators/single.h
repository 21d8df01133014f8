// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/model/graph.h"
#include "operators/plan.h"

namespace belay::operators {

// A GE operator as a program asks for it. Ports are in the order of the operator's schema; an optional input that is
// left open has type Undefined.
struct OperatorRequest {
  std::string type;
  std::vector<graph::TensorDesc> inputs, outputs;
  std::vector<std::optional<graph::Constant>> values;  // of the inputs that are constants; as many as inputs
  graph::Attributes attributes;
  std::string name = {};  // as in the model it was found in; empty: the type and a number
};

// One operator, ready to run. `inputs` are those of the request that are neither open nor constant, in order.
struct SingleOperator {
  std::shared_ptr<Plan> plan;
  std::vector<size_t> inputs;  // which of the request's inputs the plan takes
};

// Checks the request against the schema and the shape rule, and makes the kernel; an operator asked for before comes
// from a cache. The error says everything that is wrong; its code is for the caller to choose.
Result<SingleOperator> find_operator(const OperatorRequest& request);
// What the outputs would be: unknown dimensions are -1.
Result<std::vector<graph::TensorInfo>> infer_outputs(const OperatorRequest& request);

// A text that is equal for equal requests and for no others.
std::string key_of(const OperatorRequest& request);

}  // namespace belay::operators
