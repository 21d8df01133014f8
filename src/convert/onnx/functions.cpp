// SPDX-License-Identifier: Apache-2.0
#include "convert/onnx/functions.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/text.h"

namespace belay::convert::onnx {
namespace {

constexpr int deepest = 64, most_calls = 100000;

using Functions = std::map<std::pair<std::string, std::string>, const Function*>;  // by domain and name
using Renames = std::map<std::string, std::string>;

class Inliner {
 public:
  explicit Inliner(const Functions& functions) : functions_(functions) {}

  Status expand(std::vector<Node>& nodes, int depth);

 private:
  Status expand_graphs(Node& node, int depth);
  std::vector<Node> body_of(const Function& function, const Node& call);

  const Functions& functions_;
  int calls_ = 0;  // gives unnamed calls a name of their own
};

std::string renamed(const Renames& names, const std::string& prefix, const std::string& tensor) {
  if (tensor.empty()) return tensor;
  const auto found = names.find(tensor);
  return found == names.end() ? prefix + tensor : found->second;
}

// A graph inside a function's node: what it makes itself keeps its name, what it takes from around is renamed.
std::shared_ptr<const Graph> renamed_graph(const Graph& graph, Renames names, const std::string& prefix) {
  auto copy = std::make_shared<Graph>(graph);
  for (const auto& tensor : graph.initializers) names[tensor.name] = tensor.name;
  for (const auto& input : graph.inputs) names[input.name] = input.name;
  for (const auto& node : graph.nodes)
    for (const auto& output : node.outputs) names[output] = output;
  for (auto& node : copy->nodes) {
    for (auto& input : node.inputs) input = renamed(names, prefix, input);
    for (auto& attribute : node.attributes)
      if (attribute.g) attribute.g = renamed_graph(*attribute.g, names, prefix);
  }
  for (auto& output : copy->outputs) output.name = renamed(names, prefix, output.name);
  return copy;
}

// An attribute that refers to one of the call takes its value; it disappears when neither call nor function has it.
void resolve(std::vector<Attribute>& attributes, const Function& function, const Node& call) {
  for (auto& attribute : attributes) {
    if (attribute.reference.empty()) continue;
    const Attribute* value = call.find(attribute.reference);
    const auto fallback = std::find_if(function.defaults.begin(), function.defaults.end(),
                                       [&](const Attribute& known) { return known.name == attribute.reference; });
    if (!value && fallback != function.defaults.end()) value = &*fallback;
    const std::string name = attribute.name;
    attribute = value ? *value : Attribute{};
    attribute.name = value ? name : "";
  }
  std::erase_if(attributes, [](const Attribute& attribute) { return attribute.name.empty(); });
}

// A function's nodes are those of the opsets that the function imports, whatever the model does.
void set_opsets(std::vector<Node>& nodes, const OpsetImports& opsets) {
  for (auto& node : nodes) {
    if (const auto found = opsets.find(node.domain); found != opsets.end()) node.opset = found->second;
    for (auto& attribute : node.attributes) {
      if (!attribute.g) continue;
      auto copy = std::make_shared<Graph>(*attribute.g);
      set_opsets(copy->nodes, opsets);
      attribute.g = std::move(copy);
    }
  }
}

std::vector<Node> Inliner::body_of(const Function& function, const Node& call) {
  const std::string prefix = (call.name.empty() ? formatted("{}_call_{}", call.type, calls_) : call.name) + "/";
  ++calls_;
  Renames names;
  for (size_t i = 0; i < function.inputs.size(); ++i)
    names[function.inputs[i]] = i < call.inputs.size() ? call.inputs[i] : "";
  for (size_t i = 0; i < function.outputs.size(); ++i)
    if (i < call.outputs.size() && !call.outputs[i].empty()) names[function.outputs[i]] = call.outputs[i];
  std::vector<Node> nodes = function.nodes;
  set_opsets(nodes, function.opsets);
  for (auto& node : nodes) {
    node.name = node.name.empty() ? "" : prefix + node.name;
    for (auto& input : node.inputs) input = renamed(names, prefix, input);
    for (auto& output : node.outputs) output = renamed(names, prefix, output);
    resolve(node.attributes, function, call);
    for (auto& attribute : node.attributes)
      if (attribute.g) attribute.g = renamed_graph(*attribute.g, names, prefix);
  }
  return nodes;
}

Status Inliner::expand_graphs(Node& node, int depth) {
  for (auto& attribute : node.attributes) {
    if (!attribute.g) continue;
    auto copy = std::make_shared<Graph>(*attribute.g);
    TRY(expand(copy->nodes, depth + 1));
    attribute.g = std::move(copy);
  }
  return {};
}

Status Inliner::expand(std::vector<Node>& nodes, int depth) {
  if (depth > deepest || calls_ > most_calls)
    return {ACL_ERROR_PARSE_MODEL, "the model's functions call each other without end"};
  std::vector<Node> expanded;
  for (auto& node : nodes) {
    const auto function = functions_.find({node.domain, node.type});
    if (function == functions_.end()) {
      TRY(expand_graphs(node, depth));
      expanded.push_back(std::move(node));
      continue;
    }
    auto body = body_of(*function->second, node);
    TRY(expand(body, depth + 1));
    std::move(body.begin(), body.end(), std::back_inserter(expanded));
  }
  nodes = std::move(expanded);
  return {};
}

}  // namespace

Status inline_functions(Model& model) {
  if (model.functions.empty()) return {};
  Functions functions;
  for (const auto& function : model.functions) {
    functions[{function.domain, function.name}] = &function;
    for (const auto& [domain, version] : function.opsets) model.opsets.emplace(domain, version);
  }
  return Inliner(functions).expand(model.graph.nodes, 0);
}

}  // namespace belay::convert::onnx
