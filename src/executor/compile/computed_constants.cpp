// SPDX-License-Identifier: Apache-2.0
#include "executor/compile/computed_constants.h"

#include <algorithm>
#include <map>

#include "backend/packing_scope.h"
#include "base/files/mapped_file.h"
#include "base/log/log.h"
#include "executor/compile/host_allocator.h"
#include "executor/eager.h"
#include "graph/infer/constant_nodes.h"

namespace belay::executor {
namespace {

using graph::Constant;
using graph::Edge;
using graph::Graph;
using graph::Node;
using Values = std::map<std::pair<int, int>, Constant>;  // by node and output

// One graph of a model, while its constants are computed.
class ConstantPart {
 public:
  ConstantPart(const graph::Model& model, const Graph& graph, const ProgramOptions& options)
      : model_(model), graph_(graph), options_(options), constant_(graph::constant_nodes(graph)) {
    const auto outputs = graph::computed_outputs(graph, constant_);
    for (size_t i = 0; i < outputs.size(); ++i)
      for (const int output : outputs[i]) wanted_.push_back({static_cast<int>(i), output});
  }

  bool empty() const { return wanted_.empty(); }
  // All at once, so that what they share is computed once; when that fails, each for itself.
  void compute() {
    if (compute(wanted_).ok() || wanted_.size() == 1) return;
    for (const Edge edge : wanted_) (void)compute({edge});
  }
  Graph replaced() const;

 private:
  Status compute(const std::vector<Edge>& wanted);
  Graph graph_of(const std::vector<Edge>& wanted) const;
  Constant constant_of(const LiveTensor& result) const;
  std::shared_ptr<const void> owner_of(const void* data) const;
  std::vector<bool> needed() const;
  bool is_computed(Edge edge) const { return values_.contains({edge.node, edge.output}); }
  Node constant_node(Edge edge, const Constant& value) const;
  void forget(const Node& node) const;

  const graph::Model& model_;
  const Graph& graph_;
  const ProgramOptions& options_;
  const std::vector<bool> constant_;
  std::vector<Edge> wanted_;
  Values values_;
};

// What these outputs are made of, and a NetOutput that lists them.
Graph ConstantPart::graph_of(const std::vector<Edge>& wanted) const {
  std::vector<bool> used(graph_.nodes.size());
  for (const Edge edge : wanted) used[static_cast<size_t>(edge.node)] = true;
  for (size_t i = graph_.nodes.size(); i-- > 0;)
    if (used[i])
      for (const Edge& edge : graph_.nodes[i].inputs)
        if (edge.connected()) used[static_cast<size_t>(edge.node)] = true;
  Graph part{.name = graph_.name};
  std::vector<int> places(graph_.nodes.size(), -1);
  const auto moved = [&places](Edge edge) {
    return edge.connected() ? Edge{places[static_cast<size_t>(edge.node)], edge.output} : edge;
  };
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (!used[i]) continue;
    places[i] = static_cast<int>(part.nodes.size());
    Node& node = part.nodes.emplace_back(graph_.nodes[i]);
    std::ranges::transform(node.inputs, node.inputs.begin(), moved);
  }
  Node output{.name = "Node_Output", .type = "NetOutput"};
  std::ranges::transform(wanted, std::back_inserter(output.inputs), moved);
  part.nodes.push_back(std::move(output));
  return part;
}

Status ConstantPart::compute(const std::vector<Edge>& wanted) {
  const Graph part = graph_of(wanted);
  const backend::PackingScope real(true);  // also where it is only asked whether the model would load
  EagerRunner runner(model_, {.threads = options_.threads, .only_kernels = options_.only_kernels, .inside = true});
  auto results = runner.run(part, GraphRole::Main, {}, {}, host_allocator());
  if (!results.ok()) {
    log_info(LogModule::Ge, "graph {}: constants are not computed at load: {}", graph_.name, results.status().message);
    return results.status();
  }
  for (size_t i = 0; i < wanted.size(); ++i) values_[{wanted[i].node, wanted[i].output}] = constant_of((*results)[i]);
  return {};
}

Constant ConstantPart::constant_of(const LiveTensor& result) const {
  const Tensor& tensor = result.tensor;
  const auto* data = static_cast<const std::byte*>(tensor.data);
  Constant made{tensor.type, tensor.shape, graph::Format::ND, {data, graph::bytes_of(tensor.type, tensor.count())}};
  made.owner = result.memory ? result.memory : owner_of(data);
  return made;
}

// Of a constant of the graph that is only seen with another shape.
std::shared_ptr<const void> ConstantPart::owner_of(const void* data) const {
  for (const Node& node : graph_.nodes)
    if (const auto* constant = graph::get_if<Constant>(node.attributes, "value"))
      if (data >= constant->bytes.data() && data <= constant->bytes.data() + constant->bytes.size())
        return constant->owner;
  return nullptr;
}

// By node: whether the graph still reads it when what was computed is there.
std::vector<bool> ConstantPart::needed() const {
  std::vector<bool> needed(graph_.nodes.size());
  for (size_t i = graph_.nodes.size(); i-- > 0;) {
    if (!constant_[i]) needed[i] = true;
    if (!needed[i]) continue;
    for (const Edge& edge : graph_.nodes[i].inputs)
      if (edge.connected() && !is_computed(edge)) needed[static_cast<size_t>(edge.node)] = true;
  }
  return needed;
}

Node ConstantPart::constant_node(Edge edge, const Constant& value) const {
  const Node& source = graph_.nodes[static_cast<size_t>(edge.node)];
  const auto output = static_cast<size_t>(edge.output);
  Node made{.name = source.name, .type = "Const"};
  if (source.outputs.size() > 1) made.name += "_" + std::to_string(output);
  made.outputs.push_back(output < source.outputs.size() ? source.outputs[output] : graph::TensorDesc{});
  made.outputs[0].type = value.type;
  made.outputs[0].shape = made.outputs[0].origin_shape = value.shape;
  made.attributes["value"] = value;
  made.attributes[std::string(kComputed)] = true;
  return made;
}

// Nobody reads it any more, unless it is seen through what was computed.
void ConstantPart::forget(const Node& node) const {
  const auto* constant = graph::get_if<Constant>(node.attributes, "value");
  if (!constant) return;
  const auto* begin = constant->bytes.data();
  const auto inside = [&](const auto& entry) {
    return entry.second.bytes.data() >= begin && entry.second.bytes.data() < begin + constant->bytes.size();
  };
  if (std::ranges::none_of(values_, inside)) forget_pages(begin, constant->bytes.size());
}

Graph ConstantPart::replaced() const {
  const auto kept = needed();
  Graph made{.name = graph_.name, .attributes = graph_.attributes};
  std::vector<int> places(graph_.nodes.size(), -1);
  std::map<std::pair<int, int>, int> constants;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const int index = static_cast<int>(i);
    for (auto value = values_.lower_bound({index, 0}); value != values_.end() && value->first.first == index; ++value) {
      constants[value->first] = static_cast<int>(made.nodes.size());
      made.nodes.push_back(constant_node({index, value->first.second}, value->second));
    }
    if (!kept[i]) {
      forget(graph_.nodes[i]);
      continue;
    }
    places[i] = static_cast<int>(made.nodes.size());
    Node& node = made.nodes.emplace_back(graph_.nodes[i]);
    for (Edge& edge : node.inputs) {
      if (!edge.connected()) continue;
      if (const auto found = constants.find({edge.node, edge.output}); found != constants.end())
        edge = {found->second, 0};
      else
        edge.node = places[static_cast<size_t>(edge.node)];
    }
    std::erase_if(node.control_inputs, [&](int before) { return places[static_cast<size_t>(before)] < 0; });
    for (int& before : node.control_inputs) before = places[static_cast<size_t>(before)];
  }
  return made;
}

}  // namespace

std::shared_ptr<const graph::Model> compute_constants(std::shared_ptr<const graph::Model> model,
                                                      const ProgramOptions& options) {
  std::shared_ptr<graph::Model> made;
  for (size_t i = 0; i < model->graphs.size(); ++i) {
    ConstantPart part(*model, model->graphs[i], options);
    if (part.empty()) continue;
    part.compute();
    if (!made) made = std::make_shared<graph::Model>(*model);
    made->graphs[i] = part.replaced();
  }
  return made ? made : model;
}

}  // namespace belay::executor
