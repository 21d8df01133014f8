// SPDX-License-Identifier: Apache-2.0
#include "graph/ge_ir/writer.h"

#include <algorithm>

#include "graph/ge_ir/emitter.h"
#include "graph/ge_ir/fields.h"

namespace belay::graph {

using protozero::pbf_writer;
using namespace ge_ir;

namespace {

constexpr int kIrVersion = 2;
constexpr uint64_t kTensorAlignment = 512;
constexpr std::string_view kNotWritten[] = {"_op_slice_info", "_l2fusion_ToOpStruct"};  // when compressed

std::string port_text(const Graph& graph, const Edge& edge) {
  return edge.connected() ? graph.nodes[edge.node].name + ":" + std::to_string(edge.output) : "";
}

std::string joined(const Graph& graph, const std::vector<int>& nodes) {
  std::string text;
  for (const int node : nodes) text += (text.empty() ? "" : ":") + graph.nodes[node].name;
  return text;
}

const Constant* constant_of(const Graph& graph, const Edge& edge) {
  if (!edge.connected() || !is_constant(graph.nodes[edge.node])) return nullptr;
  return get_if<Constant>(graph.nodes[edge.node].attributes, "value");
}

// Attributes that compression leaves out.
Attributes written_attributes(const Node& node) {
  Attributes attributes = node.attributes;
  for (const auto name : kNotWritten)
    if (const auto found = attributes.find(name); found != attributes.end()) attributes.erase(found);
  return attributes;
}

void learn(AttributeEncoder& encoder, const Graph& graph) {
  const auto learn_desc = [&](const TensorDesc& desc) {
    Attributes attributes = desc.attributes;
    if (const auto full = attributes.find(kFormatInt); full != attributes.end()) attributes.erase(full);
    encoder.learn(attributes);
  };
  for (const Node& node : graph.nodes) {
    encoder.learn(written_attributes(node));
    std::ranges::for_each(node.input_descs, learn_desc);
    std::ranges::for_each(node.outputs, learn_desc);
  }
}

// A graph input without a description of its input port is described by its output.
Node with_data_input(Node node) {
  if (!is_graph_input(node) || !node.input_descs.empty() || node.outputs.empty()) return node;
  node.inputs.resize(1);
  node.input_descs = {node.outputs[0]};
  return node;
}

void add_control(pbf_writer& op, const Graph& graph, const Node& node) {
  for (const int control : node.control_inputs) op.add_string(OpDef::input, graph.nodes[control].name + ":-1");
}

}  // namespace

GeIrEmitter::Places GeIrEmitter::places_of(const Graph& graph) {
  Places places;
  for (const Node& node : graph.nodes) {
    auto& offsets = places.outputs.emplace_back();
    for (const TensorDesc& output : node.outputs) {
      const auto* value = is_constant(node) ? get_if<Constant>(node.attributes, "value") : nullptr;
      offsets.push_back(static_cast<int64_t>(value && weights_ ? weights_->add(value->bytes) : memory_bytes_));
      if (value || nested_) continue;
      const uint64_t bytes = bytes_of(output.type, element_count(output.shape));
      memory_bytes_ += (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
    }
    places.consumers.emplace_back(node.outputs.size());
  }
  places.control_consumers.resize(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const Edge& edge : graph.nodes[i].inputs)
      if (edge.connected()) places.consumers[edge.node][edge.output].push_back(static_cast<int>(i));
    for (const int control : graph.nodes[i].control_inputs)
      places.control_consumers[control].push_back(static_cast<int>(i));
  }
  return places;
}

std::string GeIrEmitter::graph(const Graph& graph) {
  const Places places = places_of(graph);
  std::string message;
  pbf_writer out(message);
  out.add_string(GraphDef::name, graph.name);
  for (const int input : graph.input_nodes()) out.add_string(GraphDef::input, graph.nodes[input].name + ":0");
  if (const int last = graph.output_node(); last >= 0)
    for (const Edge& edge : graph.nodes[last].inputs)
      if (edge.connected()) out.add_string(GraphDef::output, port_text(graph, edge));
  for (size_t i = 0; i < graph.nodes.size(); ++i) out.add_message(GraphDef::op, node(graph, i, places));
  add_map(out, GraphDef::attr, graph.attributes);
  return message;
}

std::string GeIrEmitter::node(const Graph& graph, size_t index, const Places& places) {
  const Node node = with_data_input(graph.nodes[index]);
  std::string message;
  pbf_writer out(message);
  out.add_string(OpDef::name, node.name);
  out.add_string(OpDef::type, node.type);
  for (const Edge& edge : node.inputs) out.add_string(OpDef::input, port_text(graph, edge));
  add_control(out, graph, node);
  if (nested_) {
    add_map(out, OpDef::attr, node.attributes);
  } else {
    add_map(out, OpDef::attr, encoder_ ? encoder_->encode(written_attributes(node)) : node.attributes,
            bookkeeping_of(node, !encoder_));
  }
  out.add_bool(OpDef::has_out_attr, true);
  if (index > 0) out.add_int64(OpDef::id, static_cast<int64_t>(index));
  if (!nested_) add_edges(out, graph, index, places);
  add_descs(out, graph, node, places);
  for (const std::string& name : node.subgraphs) out.add_string(OpDef::subgraph_name, name);
  return message;
}

void GeIrEmitter::add_edges(pbf_writer& op, const Graph& graph, size_t index, const Places& places) {
  const Node& node = graph.nodes[index];
  std::vector<int64_t> src_index, dst_index, input_i;
  std::vector<std::string> src_name, dst_name;
  for (const Edge& edge : node.inputs) {
    if (!edge.connected()) continue;
    src_name.push_back(graph.nodes[edge.node].name);
    src_index.push_back(edge.output);
    input_i.push_back(places.outputs[edge.node][edge.output]);
  }
  if (!node.control_inputs.empty()) src_name.push_back(joined(graph, node.control_inputs));
  if (!places.control_consumers[index].empty()) {
    dst_name.push_back(joined(graph, places.control_consumers[index]));
    dst_index.push_back(-1);
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    dst_name.push_back(joined(graph, places.consumers[index][i]));
    dst_index.push_back(static_cast<int64_t>(i));
  }
  for (const std::string& each : src_name) op.add_string(OpDef::src_name, each);
  op.add_packed_int64(OpDef::src_index, src_index.begin(), src_index.end());
  for (const std::string& each : dst_name) op.add_string(OpDef::dst_name, each);
  op.add_packed_int64(OpDef::dst_index, dst_index.begin(), dst_index.end());
  op.add_packed_int64(OpDef::input_i, input_i.begin(), input_i.end());
  op.add_packed_int64(OpDef::output_i, places.outputs[index].begin(), places.outputs[index].end());
}

void GeIrEmitter::add_descs(pbf_writer& op, const Graph& graph, const Node& node, const Places& places) {
  std::vector<bool> is_const;
  for (const Edge& edge : node.inputs) is_const.push_back(constant_of(graph, edge) != nullptr);
  if (!nested_) op.add_packed_bool(OpDef::is_input_const, is_const.begin(), is_const.end());
  for (size_t i = 0; i < node.input_descs.size(); ++i) {
    const Edge edge = i < node.inputs.size() ? node.inputs[i] : Edge{};
    TensorDesc input = node.input_descs[i];
    Placement place{.padded = !is_graph_input(node)};
    if (constant_of(graph, edge)) place.offset = static_cast<uint64_t>(places.outputs[edge.node][edge.output]);
    const bool open = !edge.connected() && !is_graph_input(node);
    if (open) input.format = input.origin_format = Format::Reserved, input.type = DataType::Undefined;
    op.add_message(OpDef::input_desc, desc(input, place));
  }
  for (const TensorDesc& output : node.outputs) op.add_message(OpDef::output_desc, desc(output, {}));
}

GeIrImage write_ge_ir(const Model& model, bool compress_attributes) {
  GeIrImage image;
  AttributeEncoder encoder;
  if (compress_attributes)
    for (const Graph& graph : model.graphs) learn(encoder, graph);
  GeIrEmitter emitter(&image.weights, compress_attributes ? &encoder : nullptr);
  pbf_writer out(image.graphs);
  out.add_string(ModelDef::name, model.name);
  out.add_uint32(ModelDef::version, kIrVersion);
  out.add_string(ModelDef::custom_version, "belay");  // the platform, as in the header
  for (const Graph& graph : model.graphs) out.add_message(ModelDef::graph, emitter.graph(graph));
  image.attributes = model.attributes;
  if (compress_attributes) image.attributes.merge(encoder.dictionary());
  image.memory_bytes = emitter.memory_bytes();
  return image;
}

std::string write_model_attributes(const Attributes& attributes) {
  std::string message;
  pbf_writer out(message);
  GeIrEmitter(nullptr, nullptr).add_map(out, ModelDef::attr, attributes);
  return message;
}

}  // namespace belay::graph
