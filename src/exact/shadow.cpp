// SPDX-License-Identifier: Apache-2.0
#include "exact/shadow.h"

#include <algorithm>
#include <cmath>

#include "backend/layout.h"
#include "exact/judge.h"
#include "executor/branch.h"
#include "executor/graph_walk.h"

namespace belay::exact {
namespace {

using executor::Tensor;
using graph::Node;

Result<Value> plain_value(const Tensor& tensor) {
  if (!tensor.present) return Value{.present = false};
  const size_t bytes = graph::bytes_of(tensor.type, tensor.count());
  if (tensor.layout == backend::Layout::Plain)
    return widened(tensor.type, tensor.shape, {tensor.as<std::byte>(), tensor.data ? bytes : 0});
  std::vector<std::byte> held(bytes);
  Tensor target{tensor.type, tensor.shape, backend::Layout::Plain, held.data()};
  TRY(backend::reorder(tensor, target));
  return widened(tensor.type, tensor.shape, held);
}

// The readers of a node's outputs, those behind views as well.
std::vector<int> last_readers(const graph::Graph& graph) {
  std::vector<int> last(graph.nodes.size());
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const Node& node = graph.nodes[i];
    const bool runs = executor::has_task(node);
    for (const graph::Edge& edge : node.inputs)
      if (edge.connected()) {
        int& of = last[static_cast<size_t>(edge.node)];
        of = std::max({of, static_cast<int>(i), runs ? 0 : last[i]});
      }
  }
  return last;
}

}  // namespace

Shadow::Shadow(std::shared_ptr<const graph::Model> model) : model_(std::move(model)) {
  for (const graph::Graph& graph : model_->graphs) {
    const auto last = last_readers(graph);
    for (size_t i = 0; i < graph.nodes.size(); ++i) places_[&graph.nodes[i]] = {&graph, static_cast<int>(i), last[i]};
  }
}

bool Shadow::wants(const Node& node) const { return executor::has_task(node) && places_.contains(&node); }

ShadowRow& Shadow::row(const Node& node, size_t output) {
  auto& rows = rows_[&node];
  while (rows.size() <= output) {
    rows.push_back({.name = node.name, .type = node.type, .output = rows.size()});
    if (rows.size() <= node.outputs.size()) rows.back().stored = graph::name_of(node.outputs[rows.size() - 1].type);
  }
  return rows[output];
}

void Shadow::refuse(const Node& node, const std::string& why) {
  ShadowRow& first = row(node, 0);
  first.refusal = why;
  ++first.runs;
}

Value Shadow::constant_value(const Node& node, const Value& here) {
  const auto found = constants_.find(&node);
  if (found != constants_.end()) return found->second;
  const auto* constant = graph::get_if<graph::Constant>(node.attributes, "value");
  if (!constant) return here;
  auto value = widened(constant->type, constant->shape, constant->bytes);
  return value.ok() ? std::move(value).value() : here;
}

Value Shadow::path_value(const graph::Graph& graph, const graph::Edge& edge, const Value& here) {
  const Node& source = graph.nodes[static_cast<size_t>(edge.node)];
  const auto output = static_cast<size_t>(edge.output);
  if (const auto found = path_.find(&source); found != path_.end())
    return output < found->second.size() ? found->second[output] : here;
  const auto kind = executor::kind_of(source);
  if (kind == executor::NodeKind::Input || kind == executor::NodeKind::Constant || executor::has_task(source))
    return here;  // an operator that could not be computed: its result counts as it is
  Values inputs;
  for (const graph::Edge& before : source.inputs)
    inputs.push_back(before.connected() ? path_value(graph, before, {}) : Value{.present = false});
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].present && !inputs[i].bytes) {
      const Node& origin = graph.nodes[static_cast<size_t>(source.inputs[i].node)];
      inputs[i] = constant_value(origin, {});
      if (!inputs[i].bytes) return here;
    }
  auto made = recompute(*model_, source, inputs);
  if (!made.ok() || output >= (*made).size()) return here;
  return (path_[&source] = std::move(made).value())[output];
}

Result<Shadow::Values> Shadow::own_inputs(const Node& node, std::span<const Tensor> inputs) {
  const graph::Graph& graph = *places_.at(&node).graph;
  Values made;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const graph::Edge edge = i < node.inputs.size() ? node.inputs[i] : graph::Edge{};
    const bool constant = edge.connected() && graph::is_constant(graph.nodes[static_cast<size_t>(edge.node)]);
    Value value = constant ? constant_value(graph.nodes[static_cast<size_t>(edge.node)], {}) : Value{};
    made.push_back(value.bytes ? std::move(value) : TRY(plain_value(inputs[i])));
  }
  return made;
}

void Shadow::judge(const Node& node, const std::vector<Output>& exact, const Values& path, const Values& given,
                   std::span<const Tensor> outputs) {
  for (size_t o = 0; o < outputs.size() && o < exact.size(); ++o) {
    ShadowRow& result = row(node, o);
    ++result.runs;
    const Judgement own = exact::judge(exact[o], given[o]);
    if (!own.comparable) {
      result.refusal = "the result has the shape " + graph::to_text(given[o].shape) + ", in double " +
                       graph::to_text(exact[o].value.shape);
      continue;
    }
    result.own_error = std::max(result.own_error, own.error);
    result.added = std::max(result.added, own.relative);
    if (own.share > result.share) result.share = own.share, result.worst = own.worst;
    const Judgement total = o < path.size() ? exact::judge({path[o], {}}, given[o]) : own;
    result.true_error = std::max(result.true_error, total.error);
    result.relative = std::max(result.relative, total.relative);
  }
}

void Shadow::forget(const Place& place) {
  std::erase_if(path_, [&](const auto& entry) {
    const Place& of = places_.at(entry.first);
    return of.graph == place.graph && of.last_reader <= place.index;
  });
}

void Shadow::ran(const executor::RunInfo& run, const Node& node, std::span<const Tensor> inputs,
                 std::span<const Tensor> outputs) {
  const std::lock_guard lock(mutex_);
  try {
    look_at(run, node, inputs, outputs);
  } catch (const std::bad_alloc&) {
    path_.clear();
    refuse(node, "there is not enough memory to compute it in double");
  }
}

void Shadow::look_at(const executor::RunInfo& run, const Node& node, std::span<const Tensor> inputs,
                     std::span<const Tensor> outputs) {
  if (run.data_index != run_) {
    path_.clear();
    run_ = run.data_index;
    ++runs_;
  }
  const Place& place = places_.at(&node);
  const auto own = own_inputs(node, inputs);
  if (!own.ok()) return refuse(node, own.status().message);
  Values given;
  for (const Tensor& output : outputs) {
    auto value = plain_value(output);
    if (!value.ok()) return refuse(node, value.status().message);
    given.push_back(std::move(value).value());
  }
  Values path_inputs = *own;
  bool same = true;
  for (size_t i = 0; i < path_inputs.size() && i < node.inputs.size(); ++i) {
    if (!node.inputs[i].connected() || !path_inputs[i].present) continue;
    path_inputs[i] = path_value(*place.graph, node.inputs[i], (*own)[i]);
    same = same && path_inputs[i].bytes == (*own)[i].bytes;
  }
  const auto exact = evaluate(*model_, node, *own);
  Values path;
  if (same && exact.ok()) {
    for (const Output& output : *exact) path.push_back(output.value);
  } else if (auto made = recompute(*model_, node, path_inputs); made.ok()) {
    path = std::move(made).value();
  }
  if (exact.ok())
    judge(node, *exact, path, given, outputs);
  else
    refuse(node, exact.status().message);
  if (!path.empty()) path_[&node] = std::move(path);
  forget(place);
}

std::vector<ShadowRow> Shadow::rows() const {
  const std::lock_guard lock(mutex_);
  std::vector<ShadowRow> made;
  for (const graph::Graph& graph : model_->graphs)
    for (const Node& node : graph.nodes)
      if (const auto found = rows_.find(&node); found != rows_.end())
        made.insert(made.end(), found->second.begin(), found->second.end());
  return made;
}

uint64_t Shadow::runs() const {
  const std::lock_guard lock(mutex_);
  return runs_;
}

}  // namespace belay::exact
