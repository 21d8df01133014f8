// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::graph {

// Stands for an element that is not known yet, among others that are.
constexpr int64_t kUnknownElement = INT64_MIN;

// What is known of a tensor when shapes are inferred: type and shape always, the value when it is a constant or, at run
// time, already computed.
struct TensorInfo {
  DataType type = DataType::Undefined;
  Shape shape;
  const Constant* value = nullptr;
  bool present = true;  // false: an optional input that is not connected
  // The elements of an integer tensor of which only some are known: a shape of which one dimension is dynamic.
  const std::vector<int64_t>* partial = nullptr;
};

// What a shape rule sees of its node, and where it leaves the result. Used at conversion, at load, and at run time when
// shapes are dynamic: a rule must not assume which.
class InferContext {
 public:
  InferContext(const Node& node, std::span<const TensorInfo> inputs) : node(node), inputs(inputs) {}

  const Node& node;
  const std::span<const TensorInfo> inputs;
  std::vector<TensorInfo> outputs;

  // An output's shape may be an upper bound that only the kernel can make exact (NonZero, NonMaxSuppression...).
  bool data_dependent = false;
  // Which dimensions are such bounds, as (output, dimension); when there are none, every dimension of every output may
  // be one.
  std::vector<std::pair<size_t, size_t>> bounds;
  // Where the node's subgraphs are; null when it has none.
  const Model* model = nullptr;

  bool has(size_t input) const { return input < inputs.size() && inputs[input].present; }
  const Shape& shape(size_t input) const { return inputs[input].shape; }
  // The elements of an integer input when its value is known.
  std::optional<std::vector<int64_t>> ints(size_t input) const;
  // The same, with kUnknownElement where an element is not known; nothing when not even their number is.
  std::optional<std::vector<int64_t>> partial_ints(size_t input) const;
  void add_output(DataType type, Shape shape) { outputs.push_back({type, std::move(shape)}); }
  // An error that names the node and its type: "Conv2D conv1: ...".
  Status fail(const std::string& why) const;
};

using InferRule = Status (*)(InferContext&);

// One row per operator type. Unknown dimensions (-1) give unknown dimensions; an unknown value that decides the rank
// gives {-2}.
struct InferRow {
  std::string_view op;
  InferRule rule;
};

// The rows of each family, defined in infer_<family>.cpp; infer.cpp has the list of families.
const InferRule* find_infer_rule(std::string_view op);
// Runs the rule of the node's type: an error that says so when the type has none. A fused node is inferred through its
// members (attribute kMembers), a control node through its subgraphs.
Status infer(InferContext& context);

// The attribute of a fused node that holds the graph of what was fused: Data nodes with `index` for the node's inputs,
// a NetOutput for its outputs.
inline constexpr std::string_view kMembers = "_belay_members";

// The elements of an integer or bool constant; nothing for other types.
std::optional<std::vector<int64_t>> integers(const Constant& constant);

// Shape of an element-wise result; -1 stays -1 unless the other side decides.
Result<Shape> broadcast(const Shape& a, const Shape& b);

// Infers a whole graph in order, from its Data nodes' shapes; fills input_descs and outputs. Subgraphs of the model
// follow. Small integer values are carried along, so that Shape - Gather - Concat - Reshape gives a known shape. Nodes
// keep the shapes that they have when their type has no rule and all of them are known.
Status infer_shapes(Model& model);

}  // namespace belay::graph
