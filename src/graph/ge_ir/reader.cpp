// SPDX-License-Identifier: Apache-2.0
#include "graph/ge_ir/reader.h"

#include <algorithm>
#include <charconv>
#include <protozero/exception.hpp>
#include <unordered_map>

#include "base/exception_words.h"
#include "base/text.h"
#include "graph/ge_ir/fields.h"
#include "graph/ge_ir/origin_form.h"
#include "graph/ge_ir/parser.h"

namespace belay::graph {

using protozero::pbf_reader;
using namespace ge_ir;

namespace {

Status bad_model(const std::string& why) {
  return {ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED, "MODEL_DEF: " + why};
}

// The same error, told where.
Status within(const std::string& where, Status error) {
  error.message = where + ": " + error.message;
  return error;
}

// "producer:output", split at the last colon: names may contain colons.
std::optional<std::pair<std::string_view, int>> split_input(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {};
  int output = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, output);
  if (error != std::errc() || stop != end || output < -1) return {};
  return std::pair(text.substr(0, colon), output);
}

using NodeNumbers = std::unordered_map<std::string_view, int>;

Status connect(Node& node, const std::vector<std::string>& inputs, const NodeNumbers& numbers) {
  for (const std::string& input : inputs) {
    if (input.empty()) {
      node.inputs.push_back({});
      continue;
    }
    const auto parts = split_input(input);
    if (!parts) return bad_model("input '" + input + "' is not of the form name:output");
    const auto producer = numbers.find(parts->first);
    if (producer == numbers.end()) return bad_model("input '" + input + "' names no node of this graph");
    if (parts->second < 0)
      node.control_inputs.push_back(producer->second);
    else
      node.inputs.push_back({producer->second, parts->second});
  }
  const size_t ports = std::max(node.inputs.size(), node.input_descs.size());
  node.inputs.resize(ports);
  node.input_descs.resize(ports);
  return {};
}

void drop_bookkeeping(Attributes& attributes) {
  for (const auto name : kBookkeeping)
    if (const auto found = attributes.find(name); found != attributes.end()) attributes.erase(found);
}

Result<GeIrModel> parse_model(const GeIrSource& source, const AttributeDecoder* inherited) {
  const pbf_reader whole(reinterpret_cast<const char*>(source.model_def.data()), source.model_def.size());
  GeIrModel made;
  GeIrParser parser(source.weights, source.owner);
  std::vector<pbf_reader> graphs;
  for (pbf_reader message = whole; message.next();) switch (message.tag_and_type()) {
      case length_field(ModelDef::name):
        made.model.name = message.get_string();
        break;
      case length_field(ModelDef::graph):
        graphs.push_back(message.get_message());
        break;
      case length_field(ModelDef::attr):
        TRY(parser.parse_map_entry(message.get_message(), made.model.attributes));
        break;
      default:
        message.skip();
    }
  if (graphs.empty()) return bad_model("there is no graph");
  made.decoder = TRY(AttributeDecoder::from(made.model.attributes));
  if (inherited && !made.decoder.active()) made.decoder = *inherited;
  parser.set_decoder(&made.decoder);
  for (const pbf_reader& message : graphs) TRY(parser.parse_graph(message, made.model.graphs.emplace_back()));
  return made;
}

}  // namespace

Status GeIrParser::parse_graph(pbf_reader message, Graph& graph) {
  std::vector<RawNode> raw;
  while (message.next()) switch (message.tag_and_type()) {
      case length_field(GraphDef::name):
        graph.name = message.get_string();
        break;
      case length_field(GraphDef::op):
        TRY(parse_node(message.get_message(), raw.emplace_back()));
        break;
      case length_field(GraphDef::attr):
        TRY(parse_map_entry(message.get_message(), graph.attributes));
        break;
      default:
        message.skip();
    }
  std::ranges::stable_sort(raw, {}, &RawNode::id);
  NodeNumbers numbers;
  for (const RawNode& each : raw)
    if (!numbers.emplace(each.node.name, static_cast<int>(numbers.size())).second)
      return bad_model(formatted("graph {}: two nodes are called {}", graph.name, each.node.name));
  const std::string where = "graph " + graph.name;
  for (RawNode& each : raw)
    if (Status status = connect(each.node, each.inputs, numbers); !status.ok())
      return within(where + ", node " + each.node.name, std::move(status));
  for (RawNode& each : raw) graph.nodes.push_back(std::move(each.node));
  if (Status status = graph.sort(); !status.ok()) return bad_model(status.message);
  remove_device_nodes(graph);
  return {};
}

Status GeIrParser::parse_node(pbf_reader message, RawNode& raw) {
  Node& node = raw.node;
  while (message.next()) switch (message.tag_and_type()) {
      case length_field(OpDef::name):
        node.name = message.get_string();
        break;
      case length_field(OpDef::type):
        node.type = message.get_string();
        break;
      case varint_field(OpDef::id):
        raw.id = message.get_int64();
        break;
      case length_field(OpDef::input):
        raw.inputs.push_back(message.get_string());
        break;
      case length_field(OpDef::subgraph_name):
        node.subgraphs.push_back(message.get_string());
        break;
      case length_field(OpDef::attr):
        if (Status status = parse_map_entry(message.get_message(), node.attributes); !status.ok())
          return within("node " + node.name, std::move(status));
        break;
      case length_field(OpDef::input_desc):
        TRY(parse_desc(message.get_message(), node.input_descs.emplace_back()));
        break;
      case length_field(OpDef::output_desc):
        TRY(parse_desc(message.get_message(), node.outputs.emplace_back()));
        break;
      default:
        message.skip();
    }
  if (decoder_)
    if (Status status = decoder_->decode(node.attributes); !status.ok())
      return within("node " + node.name, std::move(status));
  drop_bookkeeping(node.attributes);
  return {};
}

// Graphs inside attributes are not coded.
Status GeIrParser::parse_nested_graph(pbf_reader message, AttributeValue& value) {
  auto graph = std::make_shared<Graph>();
  const AttributeDecoder* outer = std::exchange(decoder_, nullptr);
  TRY(parse_graph(message, *graph));
  decoder_ = outer;
  value = std::move(graph);
  return {};
}

Result<GeIrModel> read_ge_ir(const GeIrSource& source, const AttributeDecoder* inherited) {
  try {
    return parse_model(source, inherited);
  } catch (const protozero::exception& error) {
    return bad_model(formatted("the message is damaged ({})", exception_words(error)));
  }
}

}  // namespace belay::graph
