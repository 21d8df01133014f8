// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/graph.h"

#include <algorithm>

#include "base/text.h"
#include "graph/infer/values.h"

namespace belay::graph {
namespace {


// Shapes that only the kernel makes exact are unknown until it has run.
void forget_bounds(InferContext& context) {
  if (!context.data_dependent) return;
  for (const auto& [output, dim] : context.bounds) context.outputs[output].shape[dim] = -1;
  if (!context.bounds.empty()) return;
  for (TensorInfo& output : context.outputs)
    if (rank_known(output.shape)) std::ranges::fill(output.shape, -1);
}

void describe_as(TensorDesc& desc, const TensorInfo& info) {
  desc.type = info.type;
  desc.shape = desc.origin_shape = info.shape;
}

void fill_descs(const GraphInference& inference, Graph& graph) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    const auto inputs = inference.inputs_of(node);
    node.input_descs.resize(inputs.size());
    for (size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k].present) describe_as(node.input_descs[k], inputs[k]);
    const auto& outputs = inference.outputs_of(static_cast<int>(i));
    if (node.outputs.empty()) node.outputs.resize(outputs.size());
    for (size_t k = 0; k < std::min(outputs.size(), node.outputs.size()); ++k) describe_as(node.outputs[k], outputs[k]);
  }
}

// The same shapes in the graphs that this graph's nodes refer to, and in those below.
Status fill_subgraphs(Model& model, const GraphInference& inference, const Graph& graph) {
  for (const Node& node : graph.nodes) {
    if (node.subgraphs.empty()) continue;
    const auto inputs = inference.inputs_of(node);
    InferContext context(node, inputs);
    context.model = &model;
    const auto inner_inputs = TRY(subgraph_inputs(context));
    for (const std::string& name : node.subgraphs) {
      Graph* inner = model.find_graph(name);
      if (!inner) return context.fail("subgraph " + name + " does not exist");
      GraphInference inner_inference(&model, *inner);
      // infer_branches has refused a node none of whose branches fits.
      if (const Status status = inner_inference.run(inner_inputs); !status.ok()) {
        if (node.type.ends_with("If") || node.type.ends_with("Case")) continue;
        return status;
      }
      fill_descs(inner_inference, *inner);
      TRY(fill_subgraphs(model, inner_inference, *inner));
    }
  }
  return {};
}

}  // namespace

size_t parent_port(const Node& data) {
  if (const auto* port = get_if<int64_t>(data.attributes, kParentIndex)) return static_cast<size_t>(*port);
  return static_cast<size_t>(get_or<int64_t>(data.attributes, "index", 0));
}

size_t parent_result(const Node& net_output, size_t input) {
  if (input >= net_output.input_descs.size()) return input;
  const auto& attributes = net_output.input_descs[input].attributes;
  return static_cast<size_t>(get_or<int64_t>(attributes, kParentIndex, static_cast<int64_t>(input)));
}

Status GraphInference::run() { return run({}); }

Status GraphInference::run(std::span<const TensorInfo> parent_inputs) {
  tensors_.assign(graph_.nodes.size(), {});
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if (is_graph_input(node) && !parent_inputs.empty()) {
      const size_t port = parent_port(node);
      if (port >= parent_inputs.size() || !parent_inputs[port].present)
        return {ACL_ERROR_PARSE_MODEL, formatted("graph {}: {} stands for input {} of a node that has no such input",
                                                 graph_.name, node.name, port)};
      tensors_[i] = {parent_inputs[port]};
    } else {
      TRY(infer_node(node, tensors_[i]));
    }
  }
  return {};
}

std::vector<TensorInfo> GraphInference::inputs_of(const Node& node) const {
  std::vector<TensorInfo> inputs;
  for (const Edge& edge : node.inputs) {
    if (edge.connected() && static_cast<size_t>(edge.output) < tensors_[edge.node].size())
      inputs.push_back(tensors_[edge.node][edge.output]);
    else
      inputs.push_back({.present = false});
  }
  return inputs;
}

std::vector<TensorInfo> GraphInference::results() const {
  const int index = graph_.output_node();
  if (index < 0) return {};
  const Node& output = graph_.nodes[index];
  const auto inputs = inputs_of(output);
  std::vector<TensorInfo> results(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const size_t port = parent_result(output, i);
    if (port < results.size()) results[port] = inputs[i];
  }
  return results;
}

Status GraphInference::infer_node(const Node& node, std::vector<TensorInfo>& outputs) {
  const auto inputs = inputs_of(node);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (node.inputs[i].connected() && !inputs[i].present)
      return {ACL_ERROR_PARSE_MODEL, formatted("{} {}: input {} comes from an output that its producer does not have",
                                               node.type, node.name, i)};
  InferContext context(node, inputs);
  context.model = model_;
  if (const Status status = infer(context); !status.ok()) return keep_known_shapes(node, status, outputs);
  forget_bounds(context);
  outputs = std::move(context.outputs);
  add_values(node, inputs, outputs);
  return {};
}

Status GraphInference::keep_known_shapes(const Node& node, Status error, std::vector<TensorInfo>& outputs) const {
  if (find_infer_rule(node.type) || node.attributes.contains(kMembers) || !node.subgraphs.empty()) return error;
  for (const TensorDesc& desc : node.outputs) {
    const Shape& shape = desc.origin_shape.empty() ? desc.shape : desc.origin_shape;
    if (!is_known(shape) || desc.type == DataType::Undefined) return error;
    outputs.push_back({desc.type, shape});
  }
  return node.outputs.empty() ? error : Status{};
}

void GraphInference::add_values(const Node& node, std::span<const TensorInfo> inputs,
                                std::vector<TensorInfo>& outputs) {
  if (is_constant(node)) {
    outputs[0].value = get_if<Constant>(node.attributes, "value");
    return;
  }
  auto values = known_values(node, inputs, outputs);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    if (auto constant = to_constant(outputs[i].type, outputs[i].shape, *values[i])) {
      outputs[i].value = &constants_.emplace_back(std::move(*constant));
    } else {
      outputs[i].partial = &partials_.emplace_back(std::move(*values[i]));
    }
  }
}

Status infer_members(InferContext& context, const Graph& members) {
  GraphInference inference(context.model, members);
  if (const Status status = inference.run(context.inputs); !status.ok()) return context.fail(status.message);
  for (TensorInfo& result : inference.results()) context.add_output(result.type, std::move(result.shape));
  return {};
}

Status infer_shapes(Model& model) {
  GraphInference inference(&model, model.main());
  TRY(inference.run());
  fill_descs(inference, model.main());
  return fill_subgraphs(model, inference, model.main());
}

}  // namespace belay::graph
