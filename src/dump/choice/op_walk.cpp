// SPDX-License-Identifier: Apache-2.0
#include "dump/choice/op_walk.h"

#include "executor/branch.h"
#include "graph/infer/graph.h"

namespace belay::dump {

OpWalk::OpWalk(const graph::Model& model) { add(model, model.main(), nullptr, false); }

void OpWalk::add(const graph::Model& model, const graph::Graph& graph, const graph::Node* parent, bool in_loop) {
  for (const graph::Node& node : graph.nodes) {
    if (!where_.try_emplace(&node, Where{&graph, parent, in_loop}).second) {
      where_[&node].in_loop = true;  // a graph that several operators call has no one place
      continue;
    }
    all_.push_back(&node);
    if (executor::has_task(node)) tasks_.push_back(&node);
    for (const std::string& name : node.subgraphs)
      if (const graph::Graph* inner = model.find_graph(name))
        add(model, *inner, &node, in_loop || executor::is_loop(node));
  }
}

const graph::Node* OpWalk::producer_of(const graph::Node& node, size_t input) const {
  const auto found = where_.find(&node);
  if (found == where_.end() || input >= node.inputs.size() || !node.inputs[input].connected()) return nullptr;
  return &found->second.graph->nodes[node.inputs[input].node];
}

const graph::Constant* OpWalk::constant_of(const graph::Node* producer) {
  if (!producer || !graph::is_constant(*producer)) return nullptr;
  return graph::get_if<graph::Constant>(producer->attributes, "value");
}

ValueKey OpWalk::value_of(const graph::Node& node, size_t input) const {
  const graph::Node* producer = producer_of(node, input);
  if (!producer || where_.at(&node).in_loop) return {};
  const ValueKey value{producer, node.inputs[input].output};
  if (executor::is_view(*producer)) return value_of(*producer, 0);  // the same bytes under another shape
  return value;
}

ValueKey OpWalk::output_of(const graph::Node& node, size_t output) const {
  const auto found = where_.find(&node);
  if (found == where_.end() || found->second.in_loop) return {};
  return {&node, static_cast<int>(output)};
}

const graph::Node* OpWalk::data_of(const graph::Node& node, size_t input) const {
  const graph::Node* producer = producer_of(node, input);
  if (!producer || !graph::is_graph_input(*producer)) return nullptr;
  const Where& where = where_.at(producer);
  if (!where.parent) return producer;
  // A gear or a branch gets its inputs from the operator that chose it; what a loop gets differs from round to round.
  return where.in_loop ? nullptr : data_of(*where.parent, graph::parent_port(*producer));
}

}  // namespace belay::dump
