// SPDX-License-Identifier: Apache-2.0
#include "replay/onnx_part.h"

#include <algorithm>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <set>

#include "acl/acl_base.h"
#include "base/exception_words.h"
#include "base/files/mapped_file.h"
#include "base/text.h"
#include "convert/passes/origin.h"
#include "executor/branch.h"

namespace belay::replay {
namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;

// The field numbers of onnx.proto that are used here.
enum ModelField : uint32_t { kIrVersion = 1, kGraph = 7, kOpset = 8, kFunction = 25 };
enum GraphField : uint32_t { kNode = 1, kGraphName = 2, kInitializer = 5, kInput = 11, kOutput = 12 };
enum NodeField : uint32_t { kNodeInput = 1, kNodeOutput = 2, kNodeName = 3, kNodeType = 4, kNodeAttribute = 5 };
constexpr uint32_t kTensorName = 8, kTensorLocation = 14, kAttributeGraph = 6, kAttributeGraphs = 11;

Status refused(std::string why) { return {ACL_ERROR_UNSUPPORTED_DATA_TYPE, std::move(why)}; }

struct OnnxNode {
  std::string bytes, name, type;
  std::vector<std::string> inputs, outputs;
  bool has_graphs = false;
};

struct OnnxFile {
  std::vector<std::string> opsets;  // messages
  int64_t ir_version = 8;
  std::vector<OnnxNode> nodes;
  std::map<std::string, std::string> initializers;  // messages, by name
  std::set<std::string> external;                   // initializers that lie in another file
  std::set<std::string> inputs;
  bool nested = false;  // other graphs, or functions: unnamed nodes cannot be counted
};

OnnxNode read_node(const std::string& bytes) {
  OnnxNode node{.bytes = bytes};
  for (pbf_reader message(bytes); message.next();) switch (message.tag()) {
      case kNodeInput:
        node.inputs.push_back(message.get_string());
        break;
      case kNodeOutput:
        node.outputs.push_back(message.get_string());
        break;
      case kNodeName:
        node.name = message.get_string();
        break;
      case kNodeType:
        node.type = message.get_string();
        break;
      case kNodeAttribute:
        for (pbf_reader attribute = message.get_message(); attribute.next(); attribute.skip())
          node.has_graphs |= attribute.tag() == kAttributeGraph || attribute.tag() == kAttributeGraphs;
        break;
      default:
        message.skip();
    }
  return node;
}

void read_initializer(const std::string& bytes, OnnxFile& file) {
  std::string name;
  bool external = false;
  for (pbf_reader message(bytes); message.next();) {
    if (message.tag() == kTensorName)
      name = message.get_string();
    else if (message.tag() == kTensorLocation)
      external = message.get_int32() == 1;
    else
      message.skip();
  }
  if (external) file.external.insert(name);
  file.initializers[name] = bytes;
}

void read_graph(pbf_reader message, OnnxFile& file) {
  while (message.next()) switch (message.tag()) {
      case kNode:
        file.nodes.push_back(read_node(message.get_string()));
        file.nested |= file.nodes.back().has_graphs;
        break;
      case kInitializer:
        read_initializer(message.get_string(), file);
        break;
      case kInput: {
        pbf_reader info = message.get_message();
        if (info.next(1)) file.inputs.insert(info.get_string());
        break;
      }
      default:
        message.skip();
    }
}

OnnxFile read_file(std::span<const std::byte> image) {
  OnnxFile file;
  pbf_reader message(reinterpret_cast<const char*>(image.data()), image.size());
  while (message.next()) switch (message.tag()) {
      case kIrVersion:
        file.ir_version = message.get_int64();
        break;
      case kOpset:
        file.opsets.push_back(message.get_string());
        break;
      case kGraph:
        read_graph(message.get_message(), file);
        break;
      case kFunction:
        file.nested = true;
        message.skip();
        break;
      default:
        message.skip();
    }
  // The names that the conversion gives to nodes without one.
  int unnamed = 0;
  for (OnnxNode& node : file.nodes)
    if (node.name.empty() && !file.nested) node.name = formatted("{}_{}", node.type, unnamed++);
  return file;
}

// ONNX's number of an element type; 0: it has none.
int32_t element_type(graph::DataType type) {
  using enum graph::DataType;
  static constexpr std::pair<graph::DataType, int32_t> numbers[] = {
      {Float, 1}, {UInt8, 2},    {Int8, 3},    {UInt16, 4},  {Int16, 5},   {Int32, 6},    {Int64, 7},
      {Bool, 9},  {Float16, 10}, {Double, 11}, {UInt32, 12}, {UInt64, 13}, {BFloat16, 16}};
  const auto* found = std::ranges::find(numbers, type, &std::pair<graph::DataType, int32_t>::first);
  return found == std::end(numbers) ? 0 : found->second;
}

// A ValueInfoProto.
std::string value_info(const std::string& name, graph::DataType type, const graph::Shape& shape) {
  std::string dims, tensor, kind, info;
  for (const int64_t extent : shape) {
    std::string dim;
    pbf_writer(dim).add_int64(1, extent);
    pbf_writer(dims).add_message(1, dim);
  }
  pbf_writer(tensor).add_int32(1, element_type(type));
  pbf_writer(tensor).add_message(2, dims);
  pbf_writer(kind).add_message(1, tensor);
  pbf_writer(info).add_string(1, name);
  pbf_writer(info).add_message(2, kind);
  return info;
}

// Which nodes, and what enters and leaves them.
class Cutter {
 public:
  Cutter(const OnnxFile& file, const graph::Model& model, const Operator& op) : file_(file), model_(model), op_(op) {}

  Result<std::string> run() {
    TRY(choose_nodes());
    TRY(find_inputs());
    return write();
  }

 private:
  Status choose_nodes() {
    for (const std::string& source : op_.sources) {
      const auto found = std::ranges::find(file_.nodes, source, &OnnxNode::name);
      if (found == file_.nodes.end())
        return refused(formatted("the ONNX file has no node {} in its main graph", source));
      if (found->has_graphs) return refused(formatted("node {} has graphs inside", source));
      chosen_.insert(static_cast<size_t>(found - file_.nodes.begin()));
    }
    if (chosen_.empty()) return refused("the conversion put the operator in: no node of the ONNX file stands for it");
    for (const graph::Graph& graph : model_.graphs)
      for (const graph::Node& node : graph.nodes) {
        if (node.name == op_.node.name || !executor::has_task(node)) continue;
        for (const std::string& name : convert::original_names(node))
          if (std::ranges::find(op_.sources, name) != op_.sources.end())
            return refused(formatted("node {} became several operators, {} among them", name, node.name));
      }
    return {};
  }

  // Tensors that come from outside, in the order in which the nodes read them.
  std::vector<std::string> outside() const {
    std::set<std::string> made;
    std::vector<std::string> read;
    for (const size_t index : chosen_)
      for (const std::string& name : file_.nodes[index].outputs) made.insert(name);
    for (const size_t index : chosen_)
      for (const std::string& name : file_.nodes[index].inputs)
        if (!name.empty() && !made.contains(name) && !file_.initializers.contains(name) &&
            std::ranges::find(read, name) == read.end())
          read.push_back(name);
    return read;
  }

  std::string maker_of(const std::string& tensor) const {
    for (const OnnxNode& node : file_.nodes)
      if (std::ranges::find(node.outputs, tensor) != node.outputs.end()) return node.name;
    return tensor;  // an input of the graph
  }

  Status find_inputs() {
    std::vector<std::string> rest = outside();
    for (const Input& input : op_.inputs) {
      if (!input.present || input.constant) continue;
      const auto named = [&](const std::string& tensor) { return maker_of(tensor) == input.source; };
      auto found = std::ranges::find_if(rest, named);
      if (found == rest.end() && rest.size() == 1 && inputs_.empty() && given_inputs(op_).size() == 1)
        found = rest.begin();
      if (found == rest.end())
        return refused(formatted("the input that {} makes is not one of those nodes", input.source));
      inputs_.push_back({*found, &input.value});
      rest.erase(found);
    }
    if (!rest.empty()) return refused(formatted("the nodes also read {}, which the operator does not", rest.front()));
    return {};
  }

  Result<std::string> write() const {
    std::string graph;
    pbf_writer out(graph);
    std::set<std::string> weights;
    for (const size_t index : chosen_) {
      out.add_message(kNode, file_.nodes[index].bytes);
      for (const std::string& name : file_.nodes[index].inputs)
        if (file_.initializers.contains(name)) weights.insert(name);
    }
    out.add_string(kGraphName, "single");
    for (const std::string& name : weights) {
      if (file_.external.contains(name)) return refused(formatted("initializer {} lies in another file", name));
      out.add_message(kInitializer, file_.initializers.at(name));
    }
    for (const auto& [name, value] : inputs_) {
      if (element_type(value->type) == 0) return refused(formatted("ONNX has no type {}", graph::name_of(value->type)));
      out.add_message(kInput, value_info(name, value->type, value->shape));
    }
    const OnnxNode& last = file_.nodes[*chosen_.rbegin()];
    for (size_t i = 0; i < op_.dumped.size() && i < last.outputs.size(); ++i)
      if (!last.outputs[i].empty())
        out.add_message(kOutput, value_info(last.outputs[i], op_.dumped[i].type, op_.dumped[i].shape));
    std::string model;
    pbf_writer whole(model);
    whole.add_int64(kIrVersion, file_.ir_version);
    whole.add_message(kGraph, graph);
    for (const std::string& opset : file_.opsets) whole.add_message(kOpset, opset);
    return model;
  }

  const OnnxFile& file_;
  const graph::Model& model_;
  const Operator& op_;
  std::set<size_t> chosen_;
  std::vector<std::pair<std::string, const graph::Constant*>> inputs_;
};

}  // namespace

Result<std::string> onnx_part(const std::filesystem::path& path, const graph::Model& model, const Operator& op) {
  const auto mapped = TRY(MappedFile::open(path));
  try {
    const OnnxFile file = read_file(mapped->bytes());
    return Cutter(file, model, op).run();
  } catch (const protozero::exception& error) {
    return refused(formatted("{} is not an ONNX model: {}", path.string(), exception_words(error)));
  }
}

}  // namespace belay::replay
