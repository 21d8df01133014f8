// SPDX-License-Identifier: Apache-2.0
#include "convert/onnx/graph_importer.h"

#include <algorithm>

#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/pipeline.h"

namespace belay::convert {
namespace {

graph::TensorDesc described(DataType type, const Shape& shape, graph::Format format) {
  graph::TensorDesc desc;
  desc.type = type;
  desc.shape = desc.origin_shape = shape;
  desc.format = desc.origin_format = format;
  return desc;
}

Status rename(NodeContext& context) {
  context.give_all(context.add(context.ge, context.inputs()));
  return {};
}

}  // namespace

GraphImporter::GraphImporter(ImportState& state, GraphImporter* parent, std::string name)
    : state_(state), parent_(parent), builder_(&state.model, std::move(name)) {}

std::string GraphImporter::unique_name(const std::string& wish) {
  std::string name = wish;
  for (int i = 1; !names_.insert(name).second; ++i) name = formatted("{}_{}", wish, i);
  return name;
}

Edge GraphImporter::add_unnamed_input(const InputSpec& spec) {
  graph::Node data{.name = unique_name(inner() ? name() + "/" + spec.name : spec.name), .type = "Data"};
  const auto index = std::count_if(builder_.graph().nodes.begin(), builder_.graph().nodes.end(),
                                   [](const graph::Node& node) { return node.type == "Data"; });
  data.attributes["index"] = static_cast<int64_t>(index);
  data.attributes["data_type"] = static_cast<int64_t>(spec.type);
  const auto desc = described(spec.type, spec.shape, spec.format);
  data.inputs.push_back({});
  data.outputs.push_back(desc);
  data.outputs.front().range = spec.range;
  builder_.add_described(std::move(data));
  auto& added = builder_.node(builder_.last());
  added.input_descs.front() = added.outputs.front();
  return {builder_.last(), 0};
}

Edge GraphImporter::add_input(const InputSpec& spec) {
  const Edge input = add_unnamed_input(spec);
  bind(spec.name, input);
  return input;
}

void GraphImporter::add_initializers(const onnx::Graph& graph) {
  for (const auto& name : graph.sparse_initializers)
    state_.problems.push_back({name, "sparse initializer", "sparse tensors are not supported; store it dense"});
  std::vector<const onnx::Tensor*> sorted;
  for (const auto& tensor : graph.initializers) sorted.push_back(&tensor);
  std::stable_sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->name < b->name; });
  for (size_t k = 0; k < sorted.size(); ++k) {
    const onnx::Tensor& tensor = *sorted[k];
    if (!tensor.problem.empty()) {
      state_.problems.push_back({tensor.name, "initializer", tensor.problem + " is not supported"});
      stand_in(tensor.name, tensor.name, "Const");
      continue;
    }
    const std::string wish = formatted("{}_Initializer_{}", tensor.name, k);
    graph::Node made{.name = unique_name(inner() ? name() + "/" + wish : wish), .type = "Const"};
    made.attributes["value"] = tensor.value;
    made.outputs.push_back(described(tensor.value.type, tensor.value.shape, graph::Format::ND));
    builder_.add_described(std::move(made));
    bind(tensor.name, {builder_.last(), 0});
  }
}

int GraphImporter::capture(const std::string& tensor) {
  for (const auto& captured : captures_)
    if (captured.tensor == tensor) return captured.data;
  const TensorInfo outer = parent_->builder().info(parent_->find(tensor));
  const Edge data = add_input({tensor, outer.type, outer.shape, graph::Format::ND, {}});
  captures_.push_back({tensor, data.node});
  return data.node;
}

void GraphImporter::put_back(Names names) {
  values_ = std::move(names.values);
  collections_ = std::move(names.collections);
  declared_ = std::move(names.declared);
}

const Collection* GraphImporter::collection(const std::string& name) const {
  const auto found = collections_.find(name);
  if (found != collections_.end()) return &found->second;
  return parent_ && !values_.contains(name) ? parent_->collection(name) : nullptr;
}

Edge GraphImporter::find(const std::string& tensor) {
  if (const auto found = values_.find(tensor); found != values_.end()) return found->second;
  if (!parent_) return {};
  const Edge outer = parent_->find(tensor);
  if (!outer.connected()) return {};
  if (const Constant* value = parent_->builder().value(outer)) {
    // Constants are repeated inside, so that kernels there see a constant too.
    graph::Node made{.name = unique_name(name() + "/" + tensor), .type = "Const"};
    made.attributes["value"] = *value;
    made.outputs.push_back(described(value->type, value->shape, graph::Format::ND));
    builder_.add_described(std::move(made));
    bind(tensor, {builder_.last(), 0});
  } else {
    bind(tensor, {capture(tensor), 0});
  }
  return values_.find(tensor)->second;
}

Edge GraphImporter::add_operator(const std::string& wish, const std::string& type, std::vector<Edge> inputs,
                                 Attributes attributes) {
  graph::Node made{.name = unique_name(name() + "/" + wish), .type = type, .inputs = std::move(inputs)};
  made.attributes = std::move(attributes);
  made.outputs.resize(1);
  const Status added = builder_.add(std::move(made));
  if (!added.ok()) state_.problems.push_back({name() + "/" + wish, type, added.message});
  return {builder_.last(), 0};
}

Edge GraphImporter::add_constant(const std::string& wish, Constant value) {
  return add_operator(wish, "Const", {}, {{"value", std::move(value)}});
}

void GraphImporter::set_parent_ports(const std::vector<int>& data_nodes, int first_port) {
  for (size_t i = 0; i < data_nodes.size(); ++i) {
    auto& attributes = builder_.node(data_nodes[i]).attributes;
    attributes["index"] = static_cast<int64_t>(i);
    attributes[graph::kParentIndex] = static_cast<int64_t>(i) + first_port;
  }
}

Status GraphImporter::hand_over() {
  graph::Graph graph = builder_.take();
  TRY(clean(graph, state_.fold_constants ? &builder_.values() : nullptr));
  state_.model.graphs.push_back(std::move(graph));
  return {};
}

const onnx::ValueInfo* GraphImporter::declared(const std::string& tensor) const {
  const auto found = declared_.find(tensor);
  return found == declared_.end() ? nullptr : found->second;
}

void GraphImporter::problem(const onnx::Node& node, const std::string& name, int64_t opset, std::string reason,
                            Problem::Cause cause) {
  state_.problems.push_back({name, onnx::describe(node, opset), std::move(reason), cause});
  for (const auto& tensor : node.outputs)
    if (!tensor.empty() && !values_.contains(tensor)) stand_in(tensor, name, node.type);
}

void GraphImporter::stand_in(const std::string& tensor, const std::string& name, const std::string& type) {
  graph::Node made{.name = unique_name(name), .type = type};
  const auto* known = declared(tensor);
  made.outputs.push_back(known ? described(known->type, known->shape, graph::Format::ND)
                               : described(DataType::Undefined, {-2}, graph::Format::ND));
  builder_.add_described(std::move(made));
  bind(tensor, {builder_.last(), 0});
}

void GraphImporter::use_declared(const onnx::Node& node) {
  for (const auto& tensor : node.outputs) {
    const auto found = values_.find(tensor);
    const auto* known = declared(tensor);
    if (found == values_.end() || !known || known->kind != onnx::ValueInfo::Kind::Tensor) continue;
    auto& desc = builder_.node(found->second.node).outputs[static_cast<size_t>(found->second.output)];
    if (desc.type == DataType::Undefined) desc.type = known->type;
    if (desc.shape == Shape{-2}) desc.shape = desc.origin_shape = known->shape;
  }
}

void GraphImporter::add_node(const onnx::Node& node) {
  const std::string own = node.name.empty() ? formatted("{}_{}", node.type, state_.unnamed++) : node.name;
  const std::string wish = unique_name(inner() ? name() + "/" + own : own);
  const auto imported = state_.opsets.find(node.domain);
  if (imported == state_.opsets.end() && node.opset == 0)
    return problem(node, wish, 0, formatted("the model imports no opset of domain {}", node.domain));
  const int64_t opset = node.opset ? node.opset : imported->second;
  const MapRow* row = find_mapping(node.domain, node.type, opset);
  if (!row) return problem(node, wish, opset, why_unmapped(node.domain, node.type, opset));
  if (!row->takes_collections)
    for (const auto& tensor : node.inputs)
      if (const Collection* list = collection(tensor))
        return problem(node, wish, opset,
                       formatted("input {} is {}", tensor,
                                 list->kind == Collection::Kind::Sequence ? "a sequence" : "an optional"));
  NodeContext context(*this, node, wish, opset);
  context.ge = row->ge;
  Status mapped = context.status();
  if (mapped.ok()) mapped = (row->map ? row->map : rename)(context);
  if (mapped.ok()) mapped = context.status();
  context.finish();
  if (!mapped.ok())
    return problem(node, wish, opset, mapped.message,
                   mapped.code == ACL_ERROR_PARSE_MODEL ? Problem::Cause::Shapes : Problem::Cause::Unsupported);
  use_declared(node);
}

void GraphImporter::add_nodes(const onnx::Graph& graph) {
  for (const auto* list : {&graph.values, &graph.outputs, &graph.inputs})
    for (const auto& info : *list) declared_[info.name] = &info;
  for (const auto& node : graph.nodes) add_node(node);
}

std::string GraphImporter::why_no_output(const std::string& tensor) const {
  const Collection* list = collection(tensor);
  if (!list) return "no node makes it";
  return list->kind == Collection::Kind::Sequence
             ? "it is a sequence; give its elements (SequenceAt) or join them (ConcatFromSequence)"
             : "it is an optional; give its element (OptionalGetElement)";
}

void GraphImporter::add_outputs(const std::vector<std::string>& tensors, std::vector<std::string>* entries) {
  graph::Node output{.name = unique_name(inner() ? name() + "_Node_Output" : "Node_Output"), .type = "NetOutput"};
  for (const auto& tensor : tensors) {
    const Edge edge = find(tensor);
    if (!edge.connected()) {
      state_.problems.push_back({tensor, "graph output", why_no_output(tensor)});
      continue;
    }
    output.inputs.push_back(edge);
    if (!entries) continue;
    const graph::Node& producer = builder_.node(edge.node);
    entries->push_back(formatted("{}:{}:{}", producer.name, edge.output, tensor));
  }
  builder_.add_described(std::move(output));
  auto& added = builder_.node(builder_.last());
  if (!inner()) return;
  for (size_t i = 0; i < added.input_descs.size(); ++i)
    added.input_descs[i].attributes[graph::kParentIndex] = static_cast<int64_t>(i);
}

}  // namespace belay::convert
