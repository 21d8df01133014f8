// SPDX-License-Identifier: Apache-2.0
// Shapes of nodes that run other graphs.
#include <algorithm>

#include "graph/infer/graph.h"

namespace belay::graph {
namespace {

bool is_loop(const Node& node) { return node.type == "While" || node.type == "StatelessWhile"; }

// What holds of both.
TensorInfo merged(const TensorInfo& a, const TensorInfo& b) {
  TensorInfo both{a.type == DataType::Undefined ? b.type : a.type, a.shape};
  if (a.shape == b.shape) return both;
  if (!rank_known(a.shape) || !rank_known(b.shape) || a.shape.size() != b.shape.size()) {
    both.shape = {-2};
    return both;
  }
  for (size_t i = 0; i < both.shape.size(); ++i)
    if (a.shape[i] != b.shape[i]) both.shape[i] = -1;
  return both;
}

Result<std::vector<TensorInfo>> results_of(const InferContext& c, const std::string& name,
                                           std::span<const TensorInfo> inputs) {
  const Graph* graph = c.model->find_graph(name);
  if (!graph) return c.fail("subgraph " + name + " does not exist");
  GraphInference inference(c.model, *graph);
  TRY(inference.run(inputs));
  auto results = inference.results();
  for (TensorInfo& result : results) result.value = nullptr, result.partial = nullptr;  // they end with `inference`
  return results;
}

// There must be room for every gear.
void keep_larger(TensorInfo& largest, TensorInfo& other) {
  if (is_known(largest.shape) && (!is_known(other.shape) || element_count(other.shape) > element_count(largest.shape)))
    largest = std::move(other);
}

Status infer_gears(InferContext& c) {
  for (const std::string& name : c.node.subgraphs) {
    auto results = TRY(results_of(c, name, {}));
    if (c.outputs.empty()) c.outputs = results;
    if (results.size() != c.outputs.size()) return c.fail("its subgraphs differ in their number of outputs");
    for (size_t i = 0; i < results.size(); ++i) keep_larger(c.outputs[i], results[i]);
  }
  return {};
}

// A branch that does not fit these shapes may be one that never runs with them: it fails when it is taken. Not all of
// them may be.
Status infer_branches(InferContext& c) {
  Status misfit;
  bool any = false;
  for (const std::string& name : c.node.subgraphs) {
    auto found = results_of(c, name, c.inputs);
    if (!found.ok()) {
      if (misfit.ok()) misfit = found.status();
      continue;
    }
    auto results = std::move(found).value();
    if (!any) {
      any = true;
      c.outputs = std::move(results);
      continue;
    }
    if (results.size() != c.outputs.size()) return c.fail("its subgraphs differ in their number of outputs");
    for (size_t i = 0; i < results.size(); ++i) c.outputs[i] = merged(c.outputs[i], results[i]);
  }
  return any ? Status{} : misfit;
}

// What holds of the loop's variables in every iteration: dimensions that the body changes are unknown.
Result<std::vector<TensorInfo>> loop_variables(const InferContext& c) {
  if (c.node.subgraphs.size() < 2) return c.fail("a loop needs the graphs cond and body");
  std::vector<TensorInfo> variables(c.inputs.begin(), c.inputs.end());
  for (TensorInfo& variable : variables) variable.value = nullptr, variable.partial = nullptr;
  for (;;) {
    const auto next = TRY(results_of(c, c.node.subgraphs[1], variables));
    bool changed = false;
    for (size_t i = 0; i < std::min(next.size(), variables.size()); ++i) {
      TensorInfo wider = merged(variables[i], next[i]);
      changed |= wider.shape != variables[i].shape;
      variables[i] = std::move(wider);
    }
    if (!changed) return variables;  // each round makes a dimension or a rank unknown: it ends
  }
}

}  // namespace

bool chooses_gear(const Node& node) { return node.attributes.contains("_batch_num"); }

Result<std::vector<TensorInfo>> subgraph_inputs(const InferContext& context) {
  if (chooses_gear(context.node)) return std::vector<TensorInfo>{};
  if (is_loop(context.node)) return loop_variables(context);
  return std::vector<TensorInfo>(context.inputs.begin(), context.inputs.end());
}

Status infer_subgraphs(InferContext& context) {
  if (chooses_gear(context.node)) return infer_gears(context);
  if (!is_loop(context.node)) return infer_branches(context);
  context.outputs = TRY(loop_variables(context));
  return {};
}

}  // namespace belay::graph
