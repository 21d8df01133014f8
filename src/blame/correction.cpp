// SPDX-License-Identifier: Apache-2.0
#include "blame/correction.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "exact/yardstick.h"
#include "executor/loaded_model.h"

namespace belay::blame {
namespace {

using backend::Tensor;
using graph::Edge;
using graph::Graph;
using graph::Node;

// A graph while nodes are put in; what reads an output may be led elsewhere.
class Rewriting {
 public:
  explicit Rewriting(const Graph& graph)
      : graph_(graph), made_{.name = graph.name, .nodes = {}, .attributes = graph.attributes} {}

  // In the order of the graph.
  void keep(const Node& node) {
    Node copy = node;
    for (Edge& edge : copy.inputs)
      if (edge.connected()) edge = now_.at({edge.node, edge.output});
    std::erase_if(copy.control_inputs, [&](int before) { return places_[static_cast<size_t>(before)] < 0; });
    for (int& before : copy.control_inputs) before = places_[static_cast<size_t>(before)];
    places_.push_back(add(std::move(copy)));
    const int index = static_cast<int>(places_.size()) - 1;
    for (int o = 0; o < std::max<int>(1, static_cast<int>(node.outputs.size())); ++o)
      now_[{index, o}] = {places_.back(), o};
  }
  // The last kept node's output becomes this instead.
  Result<int> replace(size_t output, const Source& value) {
    const int constant = add(TRY(constant_node(value)));
    now_[{last(), static_cast<int>(output)}] = {constant, 0};
    return constant;
  }
  // Or this is added to it.
  Status add_to(size_t output, const Source& value) {
    const int constant = add(TRY(constant_node(value)));
    Edge& edge = now_[{last(), static_cast<int>(output)}];
    const graph::TensorDesc desc = made_.nodes[static_cast<size_t>(constant)].outputs[0];
    Node sum{.name = formatted("{}_misdeed{}", graph_.nodes[static_cast<size_t>(last())].name, output), .type = "Add"};
    sum.inputs = {edge, {constant, 0}};
    sum.input_descs = {desc, desc};
    sum.outputs = {desc};
    edge = {add(std::move(sum)), 0};
    return {};
  }
  Graph finish() && { return std::move(made_); }

 private:
  int last() const { return static_cast<int>(places_.size()) - 1; }
  int add(Node node) {
    made_.nodes.push_back(std::move(node));
    return static_cast<int>(made_.nodes.size()) - 1;
  }
  Result<Node> constant_node(const Source& value) {
    std::vector<std::byte> storage;
    const auto bytes = TRY(bytes_of(*value, storage));
    Node node{.name = formatted("blame_value{}", made_.nodes.size()), .type = "Const"};
    graph::TensorDesc desc;
    desc.type = value->type();
    desc.shape = desc.origin_shape = value->shape();
    node.outputs = {desc};
    node.attributes["value"] =
        graph::make_constant(value->type(), value->shape(), std::vector<std::byte>(bytes.begin(), bytes.end()));
    return node;
  }

  const Graph& graph_;
  Graph made_;
  std::vector<int> places_;                  // of the kept nodes
  std::map<std::pair<int, int>, Edge> now_;  // where outputs of the graph are found
};

// got - expected; null when that is no number.
Source difference(const Source& got, const Source& expected) {
  const auto a = value_of(*got), b = value_of(*expected);
  if (!a.ok() || !b.ok() || !(*a).real() || (*a).count() != (*b).count()) return nullptr;
  std::vector<double> elements;
  for (int64_t i = 0; i < (*a).count(); ++i) elements.push_back(element_of(*a, i) - element_of(*b, i));
  if (!std::ranges::all_of(elements, [](double each) { return std::isfinite(each); })) return nullptr;
  auto source = source_of(exact::make_value((*a).shape, elements), got->type());
  return source.ok() ? std::move(source).value() : nullptr;
}

Status apply(Rewriting& rewriting, const Misdeed& misdeed, bool corrected) {
  for (size_t o = 0; o < misdeed.got.size(); ++o) {
    if (!misdeed.got[o] || !misdeed.expected[o]) continue;
    const Source added = corrected ? nullptr : difference(misdeed.got[o], misdeed.expected[o]);
    if (added)
      TRY(rewriting.add_to(o, added));
    else
      TRY(rewriting.replace(o, corrected ? misdeed.expected[o] : misdeed.got[o]));
  }
  return {};
}

}  // namespace

Correction::Correction(std::shared_ptr<const graph::Model> model, const std::map<std::string, Held>& inputs,
                       std::span<const Held> results, std::span<const Misdeed> misdeeds)
    : model_(std::move(model)), inputs_(inputs), results_(results), misdeeds_(misdeeds) {}

graph::Model Correction::corrected(size_t index) const {
  graph::Model made = *model_;
  for (size_t g = 0; g < made.graphs.size(); ++g) {
    const Graph& graph = model_->graphs[g];
    Rewriting rewriting(graph);
    for (const Node& node : graph.nodes) {
      rewriting.keep(node);
      for (size_t m = 0; m < misdeeds_.size(); ++m)
        if (misdeeds_[m].node == &node) (void)apply(rewriting, misdeeds_[m], m == index);
    }
    made.graphs[g] = std::move(rewriting).finish();
  }
  return made;
}

Result<Correction::Values> Correction::run(std::shared_ptr<const graph::Model> model) const {
  std::vector<std::vector<std::byte>> bytes;
  std::vector<Tensor> inputs;
  const Graph& main = model->main();
  for (const int index : main.input_nodes()) {
    const std::string& name = main.nodes[static_cast<size_t>(index)].name;
    const auto held = inputs_.find(name);
    if (held == inputs_.end() || !held->second.source)
      return Status{ACL_ERROR_INVALID_PARAM, formatted("input {} of the model is not known", name)};
    const graph::TensorDesc& desc = main.nodes[static_cast<size_t>(index)].outputs[0];
    if (held->second.source->type() != desc.type ||
        (graph::is_known(desc.shape) && graph::element_count(desc.shape) != held->second.source->count()))
      return Status{ACL_ERROR_INVALID_PARAM, formatted("input {} is not what the model takes", name)};
    std::vector<std::byte> storage;
    const auto read = TRY(bytes_of(*held->second.source, storage));
    bytes.emplace_back(read.begin(), read.end());
    inputs.push_back(
        {.type = held->second.source->type(), .shape = held->second.source->shape(), .data = bytes.back().data()});
  }
  const auto loaded = TRY(executor::load(std::move(model), {}));
  std::vector<Tensor> outputs(results_.size());
  TRY(loaded->run({}, inputs, outputs));
  Values values;
  Status problem;
  for (Tensor& output : outputs) {
    const std::span data(static_cast<const std::byte*>(output.data), graph::bytes_of(output.type, output.count()));
    if (auto value = exact::widened(output.type, output.shape, data); value.ok())
      values.push_back(std::move(value).value());
    else
      problem = value.status();
    std::free(output.data);
  }
  if (!problem.ok()) return problem;
  return values;
}

// Root of the summed squares; what is not finite, or as good as that, counts as ten times the largest result.
double Correction::distance(const Values& from) const {
  double largest = 0, sum = 0;
  for (const exact::Value& value : clean_)
    for (int64_t i = 0; i < value.count(); ++i)
      if (const double each = std::abs(element_of(value, i)); std::isfinite(each)) largest = std::max(largest, each);
  const double most = 10 * (largest > 0 ? largest : 1);
  for (size_t r = 0; r < clean_.size() && r < from.size(); ++r) {
    if (clean_[r].count() != from[r].count()) return INFINITY;
    for (int64_t i = 0; i < clean_[r].count(); ++i) {
      const double error = std::min(exact::error_between(element_of(from[r], i), element_of(clean_[r], i)), most);
      sum += error * error;
    }
  }
  return std::sqrt(sum);
}

Status Correction::prepare() {
  Values given;
  for (const Held& result : results_) given.push_back(TRY(value_of(result)));
  clean_ = TRY(run(model_));
  error_ = distance(given);
  return {};
}

Result<double> Correction::share(size_t index) const {
  if (!(error_ > 0)) return Status{ACL_ERROR_INVALID_PARAM, "the final outputs are not wrong"};
  const auto values = TRY(run(std::make_shared<const graph::Model>(corrected(index))));
  return 1 - distance(values) / error_;
}

}  // namespace belay::blame
