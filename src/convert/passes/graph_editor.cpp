// SPDX-License-Identifier: Apache-2.0
#include "convert/passes/graph_editor.h"

#include <algorithm>
#include <numeric>

#include "convert/map/numbers.h"
#include "graph/infer/constant_nodes.h"

namespace belay::convert {

using graph::Edge;

GraphEditor::GraphEditor(graph::Graph& graph)
    : graph_(graph), removed_(graph.nodes.size()), place_(graph.nodes.size()), users_(graph.nodes.size()) {
  std::iota(place_.begin(), place_.end(), 0);
  for (int i = 0; i < count(); ++i)
    for (size_t port = 0; port < node(i).inputs.size(); ++port)
      if (const Edge edge = node(i).inputs[port]; edge.connected())
        users_[static_cast<size_t>(edge.node)].push_back({edge.output, {i, port}});
}

const graph::TensorDesc& GraphEditor::desc(Edge edge) const {
  return node(edge.node).outputs[static_cast<size_t>(edge.output)];
}

std::vector<Use> GraphEditor::users(Edge edge) const {
  std::vector<Use> found;
  for (const auto& [output, use] : users_[static_cast<size_t>(edge.node)])
    if (output == edge.output) found.push_back(use);
  return found;
}

int GraphEditor::only_user(int index) const {
  const auto& all = users_[static_cast<size_t>(index)];
  return all.size() == 1 && all.front().first == 0 ? all.front().second.node : -1;
}

int GraphEditor::producer(Edge edge, std::string_view type) const {
  return edge.connected() && node(edge.node).type == type ? edge.node : -1;
}

const graph::Constant* GraphEditor::constant(Edge edge) const {
  if (!edge.connected() || !graph::is_constant(node(edge.node))) return nullptr;
  return graph::get_if<graph::Constant>(node(edge.node).attributes, "value");
}

bool GraphEditor::from_constants(Edge edge) const {
  const graph::Node& source = node(edge.node);
  if (graph::is_constant(source)) return true;
  return graph::is_function(source) &&
         std::ranges::all_of(source.inputs, [this](Edge input) { return !input.connected() || from_constants(input); });
}

std::optional<double> GraphEditor::scalar(Edge edge) const {
  const graph::Constant* value = constant(edge);
  if (!value || graph::element_count(value->shape) != 1) return {};
  const auto numbers = read_numbers(*value);
  return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

void GraphEditor::set_input(int index, size_t port, Edge edge) {
  auto& reader = node(index);
  if (port >= reader.inputs.size()) reader.inputs.resize(port + 1), reader.input_descs.resize(port + 1);
  if (const Edge old = reader.inputs[port]; old.connected())
    std::erase_if(users_[static_cast<size_t>(old.node)],
                  [&](const auto& entry) { return entry.second.node == index && entry.second.port == port; });
  reader.inputs[port] = edge;
  if (!edge.connected()) return;
  const auto attributes = std::move(reader.input_descs[port].attributes);  // they belong to the reader
  reader.input_descs[port] = desc(edge);
  reader.input_descs[port].attributes = attributes;
  users_[static_cast<size_t>(edge.node)].push_back({edge.output, {index, port}});
}

void GraphEditor::redirect(Edge from, Edge to) {
  for (const Use& use : users(from)) set_input(use.node, use.port, to);
}

int GraphEditor::add(graph::Node added, int place) {
  const auto inputs = std::move(added.inputs);
  added.inputs.clear();
  added.input_descs.clear();
  graph_.nodes.push_back(std::move(added));
  removed_.push_back(false);
  place_.push_back(place_[static_cast<size_t>(place)]);
  users_.emplace_back();
  const int index = count() - 1;
  node(index).inputs.resize(inputs.size());
  node(index).input_descs.resize(inputs.size());
  for (size_t port = 0; port < inputs.size(); ++port) set_input(index, port, inputs[port]);
  return index;
}

int GraphEditor::add_constant(std::string name, graph::Constant value, int place) {
  graph::Node made{.name = std::move(name), .type = "Const"};
  graph::TensorDesc desc;
  desc.type = value.type;
  desc.shape = desc.origin_shape = value.shape;
  made.outputs.push_back(std::move(desc));
  made.attributes["value"] = std::move(value);
  return add(std::move(made), place);
}

void GraphEditor::forget(int index) {
  for (size_t port = 0; port < node(index).inputs.size(); ++port) set_input(index, port, {});
}

void GraphEditor::remove(int index) {
  forget(index);
  removed_[static_cast<size_t>(index)] = true;
}

int GraphEditor::remove_dead() {
  std::vector<bool> alive(graph_.nodes.size());
  std::vector<int> pending;
  const auto reach = [&](int index) {
    if (alive[static_cast<size_t>(index)] || removed(index)) return;
    alive[static_cast<size_t>(index)] = true;
    pending.push_back(index);
  };
  for (int i = 0; i < count(); ++i)
    if (graph::is_graph_input(node(i)) || node(i).type == "NetOutput" || graph::is_collective(node(i))) reach(i);
  while (!pending.empty()) {
    const int index = pending.back();
    pending.pop_back();
    for (const Edge edge : node(index).inputs)
      if (edge.connected()) reach(edge.node);
    for (const int control : node(index).control_inputs) reach(control);
  }
  int dead = 0;
  for (int i = 0; i < count(); ++i) {
    if (alive[static_cast<size_t>(i)] || removed(i)) continue;
    remove(i);
    ++dead;
  }
  return dead;
}

Status GraphEditor::finish() {
  // New nodes take the place of what they stand for, so that the order of the rest stays.
  std::vector<int> order(graph_.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [this](int a, int b) { return place_[static_cast<size_t>(a)] < place_[static_cast<size_t>(b)]; });
  std::vector<int> new_index(order.size());
  std::vector<graph::Node> nodes;
  std::vector<bool> keep;
  for (const int old : order) {
    new_index[static_cast<size_t>(old)] = static_cast<int>(nodes.size());
    keep.push_back(!removed(old));
    nodes.push_back(std::move(node(old)));
  }
  for (auto& moved : nodes) {
    for (Edge& edge : moved.inputs)
      if (edge.connected()) edge.node = new_index[static_cast<size_t>(edge.node)];
    for (int& control : moved.control_inputs) control = new_index[static_cast<size_t>(control)];
  }
  graph_.nodes = std::move(nodes);
  graph_.remove_nodes(keep);
  return graph_.sort();
}

}  // namespace belay::convert
