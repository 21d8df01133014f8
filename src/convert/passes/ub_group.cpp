// SPDX-License-Identifier: Apache-2.0
#include "convert/passes/ub_group.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "convert/passes/origin.h"
#include "graph/infer/infer.h"

namespace belay::convert {
namespace {

using graph::Edge;

constexpr size_t longest_name = 512;

std::string group_name(const GraphEditor& editor, const std::vector<int>& members) {
  std::string name;
  for (const int member : members) name += editor.node(member).name;
  return name.size() > longest_name ? editor.node(members.front()).name + "_ub_fusion" : name;
}

// The members as a graph of their own. `inputs` gets the edges that enter it, in the order of its Data nodes.
std::shared_ptr<graph::Graph> member_graph(const GraphEditor& editor, const std::vector<int>& members,
                                           std::vector<Edge>& inputs) {
  auto inner = std::make_shared<graph::Graph>();
  std::vector<graph::Node> copies;
  for (const int member : members) copies.push_back(editor.node(member));
  // Each member's external inputs in port order, one Data for each: a tensor that two members read has two.
  std::vector<std::vector<Edge>> wiring;
  const auto inside = [&members](Edge edge) {
    return static_cast<int>(std::find(members.begin(), members.end(), edge.node) - members.begin());
  };
  const int count = static_cast<int>(members.size());
  for (const auto& copy : copies) {
    auto& edges = wiring.emplace_back();
    for (size_t port = 0; port < copy.inputs.size(); ++port) {
      const Edge edge = copy.inputs[port];
      if (!edge.connected() || inside(edge) < count) {
        edges.push_back(edge);  // members are resolved below, when their places are known
        continue;
      }
      graph::Node data{.name = formatted("__input{}", inputs.size()), .type = "Data"};
      data.attributes["index"] = static_cast<int64_t>(inputs.size());
      data.outputs = {editor.desc(edge)};
      edges.push_back({static_cast<int>(inputs.size()), 0});
      inner->nodes.push_back(std::move(data));
      inputs.push_back(edge);
    }
  }
  const int first = static_cast<int>(inputs.size());
  for (size_t i = 0; i < copies.size(); ++i) {
    for (size_t port = 0; port < copies[i].inputs.size(); ++port) {
      const Edge old = copies[i].inputs[port];
      const bool member = old.connected() && inside(old) < count;
      copies[i].inputs[port] = member ? Edge{first + inside(old), old.output} : wiring[i][port];
    }
    inner->nodes.push_back(std::move(copies[i]));
  }
  graph::Node output{.name = "Node_Output", .type = "NetOutput", .inputs = {{first + count - 1, 0}}};
  output.input_descs = {editor.desc({members.back(), 0})};
  inner->nodes.push_back(std::move(output));
  return inner;
}

}  // namespace

int fuse_group(GraphEditor& editor, const std::vector<int>& members, std::string_view pass, int scope) {
  std::vector<Edge> inputs;
  auto inner = member_graph(editor, members, inputs);
  graph::Node fused{.name = group_name(editor, members), .type = editor.node(members.front()).type};
  inner->name = fused.name;
  fused.inputs = inputs;
  fused.outputs = {editor.desc({members.back(), 0})};
  fused.outputs.front().name = "__output0";
  fused.attributes["_is_compiled_fusion_op"] = true;
  fused.attributes["fusion_scope"] = int64_t{scope};
  fused.attributes["pass_name"] = std::string(pass);
  fused.attributes["pass_name_ub"] = std::string(pass);
  std::vector<const graph::Node*> nodes;
  for (const int member : members) nodes.push_back(&editor.node(member));
  set_origin(fused, nodes, editor.node(members.back()));
  fused.attributes[std::string(graph::kMembers)] = std::move(inner);
  const int index = editor.add(std::move(fused), members.back());
  for (size_t i = 0; i < inputs.size(); ++i) editor.node(index).input_descs[i].name = formatted("__input{}", i);
  editor.redirect({members.back(), 0}, {index, 0});
  for (auto member = members.rbegin(); member != members.rend(); ++member) editor.remove(*member);
  return index;
}

int following_activation(const GraphEditor& editor, int index) {
  static constexpr std::string_view types[] = {"Relu",  "Relu6",  "LeakyRelu", "Sigmoid",     "Tanh", "Elu",
                                               "Swish", "GeluV2", "HardSwish", "ClipByValue", "Mish", "HardSigmoid"};
  const int reader = editor.only_user(index);
  if (reader < 0) return -1;
  const auto& node = editor.node(reader);
  if (std::find(std::begin(types), std::end(types), node.type) == std::end(types)) return -1;
  if (node.inputs.front() != Edge{index, 0}) return -1;
  for (size_t port = 1; port < node.inputs.size(); ++port)
    if (!editor.scalar(node.inputs[port])) return -1;
  return reader;
}

int following_sum(const GraphEditor& editor, int index) {
  const int reader = editor.only_user(index);
  if (reader < 0 || !graph::is_sum(editor.node(reader))) return -1;
  const auto& inputs = editor.node(reader).inputs;
  const auto& shape = editor.desc({index, 0}).shape;
  if (!graph::is_known(shape) && shape == graph::Shape{-2}) return -1;
  return editor.desc(inputs[0]).shape == editor.desc(inputs[1]).shape ? reader : -1;
}

}  // namespace belay::convert
