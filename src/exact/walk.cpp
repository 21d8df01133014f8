// SPDX-License-Identifier: Apache-2.0
#include "exact/walk.h"

#include "backend/kernel.h"
#include "exact/compute.h"
#include "exact/models/model.h"
#include "exact/products/sum.h"
#include "executor/branch.h"
#include "executor/graph_walk.h"
#include "graph/infer/constant_nodes.h"

namespace belay::exact {
namespace {

using executor::GraphRole;
using executor::NodeKind;
using graph::Node;

Result<Tracked> constant_of(const Node& node) {
  const auto* constant = graph::get_if<graph::Constant>(node.attributes, "value");
  if (!constant) return not_checkable(node, "the constant has no value");
  return Tracked{TRY(widened(constant->type, constant->shape, constant->bytes)), constant->type};
}

// A control value as the executor sees it. What may be rounded differently decides nothing for certain.
Result<backend::Tensor> control(const Node& node, const Tracked& tracked) {
  if (tracked.errors) return not_checkable(node, "what decides its way may be rounded differently");
  const Value& value = tracked.value;
  return backend::Tensor{value.type, value.shape, backend::Layout::Plain, const_cast<std::byte*>(value.bytes->data())};
}

}  // namespace

Walk::Outputs Walk::run_operator(const Node& node, std::span<const Tracked> inputs) const {
  // A Dropout that runs hands its input on: only training drops.
  if (graph::is_random(node) && node.type != "Dropout") return not_checkable(node, "its results are random");
  if (graph::is_collective(node))
    return not_checkable(node, "what it gives depends on other ranks; belay blame --ranks checks it");
  const ErrorModel model = find_error_model(node.type);
  if (bounds_ && !model) return not_checkable(node, "how far its results may be off has not been worked out");
  const Operation operation{node, inputs};
  std::vector<graph::DataType> stored;
  for (const Tracked& input : inputs) stored.push_back(input.stored);
  const auto values = operation.values();
  if (auto products = TRY(run_products(operation, values, stored))) return std::vector<Tracked>{*std::move(products)};
  const Computed computed = TRY(compute(node, values, stored));
  std::vector<Tracked> outputs;
  for (size_t o = 0; o < computed.values.size(); ++o) outputs.push_back({computed.values[o], computed.stored[o]});
  if (bounds_) TRY(model(operation, outputs));
  return outputs;
}

Result<std::optional<Tracked>> Walk::run_products(const Operation& operation, std::span<const Value> values,
                                                  std::span<const graph::DataType> stored) const {
  if (!may_sum_products(operation.node)) return std::optional<Tracked>();
  const auto outputs = TRY(infer_outputs(operation.node, values, stored));
  auto sums = TRY(sum_products(operation.node, values, outputs[0].shape, bounds_));
  if (!sums) return std::optional<Tracked>();
  Tracked made{std::move(sums->y), outputs[0].type};
  if (!bounds_) return std::optional<Tracked>(std::move(made));
  std::vector<double> inherited;
  if (operation.inexact()) {
    const auto plain = TRY(sum_products(operation.node, magnitudes(operation, false), outputs[0].shape, false)),
               wide = TRY(sum_products(operation.node, magnitudes(operation, true), outputs[0].shape, false));
    if (!plain || !wide) return not_checkable(operation.node, "its inputs may be off without bound");
    for (size_t i = 0; i < sums->units.size(); ++i) inherited.push_back(wide->y.doubles()[i] - plain->y.doubles()[i]);
  }
  const double unit = sum_unit(made.stored);
  made.errors = round_each(made, [&](int64_t i) {
    const auto e = static_cast<size_t>(i);
    return unit * sums->units[e] + (inherited.empty() ? 0 : inherited[e]);
  });
  return std::optional<Tracked>(std::move(made));
}

Walk::Outputs Walk::run_graph(const graph::Graph& graph, GraphRole role, std::span<const Tracked> inputs) const {
  std::vector<std::vector<Tracked>> values(graph.nodes.size());
  std::vector<int> uses(graph.nodes.size());
  for (const Node& node : graph.nodes)
    for (const graph::Edge& edge : node.inputs)
      if (edge.connected()) ++uses[static_cast<size_t>(edge.node)];
  std::vector<Tracked> results;
  TRY(executor::walk(graph, [&](NodeKind kind, size_t i) -> Status {
    const Node& node = graph.nodes[i];
    std::vector<Tracked> taken;
    for (const graph::Edge& edge : node.inputs)
      taken.push_back(edge.connected() ? values[static_cast<size_t>(edge.node)].at(static_cast<size_t>(edge.output))
                                       : Tracked{.value = {.present = false}});
    for (const graph::Edge& edge : node.inputs)
      if (edge.connected() && --uses[static_cast<size_t>(edge.node)] == 0)
        values[static_cast<size_t>(edge.node)].clear();
    switch (kind) {
      case NodeKind::Input: {
        const size_t port = executor::input_port(node, role);
        if (port >= inputs.size()) return not_checkable(node, "there is no such input");
        values[i] = {inputs[port]};
        return {};
      }
      case NodeKind::Constant:
        values[i] = {TRY(constant_of(node))};
        return {};
      case NodeKind::Result:
        for (size_t input = 0; input < taken.size(); ++input) {
          const size_t port = executor::result_port(node, role, input);
          results.resize(std::max(results.size(), port + 1));
          results[port] = taken[input];
        }
        return {};
      case NodeKind::Choice:
      case NodeKind::Loop:
      case NodeKind::Fused:
      case NodeKind::Operator:
        values[i] = TRY(run(node, taken));
        return {};
    }
    return {};
  }));
  return results;
}

Walk::Outputs Walk::run_choice(const Node& node, std::span<const Tracked> inputs) const {
  size_t branch = 0;
  if (node.subgraphs.size() > 1) {
    const backend::Tensor chooses[] = {TRY(control(node, inputs[0]))};
    branch = TRY(executor::choose_branch(node, chooses, node.subgraphs.size()));
  }
  return run_graph(*TRY(executor::subgraph_of(model_, node, branch)), GraphRole::Subgraph, inputs);
}

Walk::Outputs Walk::run_loop(const Node& node, std::span<const Tracked> inputs) const {
  std::vector<Tracked> variables(inputs.begin(), inputs.end());
  const graph::Graph& condition = *TRY(executor::subgraph_of(model_, node, 0));
  const graph::Graph& body = *TRY(executor::subgraph_of(model_, node, 1));
  for (;;) {
    const auto goes_on = TRY(run_graph(condition, GraphRole::Subgraph, variables));
    if (goes_on.empty()) return not_checkable(node, "its condition has no result");
    if (!TRY(executor::is_true(TRY(control(node, goes_on[0]))))) return variables;
    variables = TRY(run_graph(body, GraphRole::Subgraph, variables));
  }
}

Walk::Outputs Walk::run(const Node& node, std::span<const Tracked> inputs) const {
  switch (executor::kind_of(node)) {
    case NodeKind::Fused:
      return run_graph(executor::members_of(node), GraphRole::Members, inputs);
    case NodeKind::Choice:
      return run_choice(node, inputs);
    case NodeKind::Loop:
      return run_loop(node, inputs);
    case NodeKind::Constant:
      return std::vector<Tracked>{TRY(constant_of(node))};
    case NodeKind::Input:
    case NodeKind::Result:
      return not_checkable(node, "it computes nothing");
    case NodeKind::Operator:
      return run_operator(node, inputs);
  }
  return not_checkable(node, "it is of no known kind");
}

}  // namespace belay::exact
