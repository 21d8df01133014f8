// SPDX-License-Identifier: Apache-2.0
#include "convert/passes/matching.h"

#include <algorithm>
#include <cmath>

#include "convert/passes/origin.h"
#include "graph/model/schema.h"

namespace belay::convert {

using graph::Edge;

bool about(double a, double b) { return std::abs(a - b) <= 1e-3 * std::abs(b) + 1e-12; }

Edge beside_scalar(const GraphEditor& editor, int index, std::string_view type, double value) {
  if (index < 0 || editor.removed(index)) return {};
  const auto& node = editor.node(index);
  if (node.type != type || node.inputs.size() != 2) return {};
  const auto matches = [&](Edge edge) {
    const auto scalar = editor.scalar(edge);
    return scalar && about(*scalar, value);
  };
  if (matches(node.inputs[1])) return node.inputs[0];
  const bool commutes = type == "Add" || type == "Mul";
  return commutes && matches(node.inputs[0]) ? node.inputs[1] : Edge{};
}

int reader_with_scalar(const GraphEditor& editor, int index, std::string_view type, double value) {
  const int reader = editor.only_user(index);
  return beside_scalar(editor, reader, type, value) == Edge{index, 0} ? reader : -1;
}

Edge beside(const graph::Node& node, Edge one) {
  if (node.inputs.size() != 2) return {};
  if (node.inputs[0] == one) return node.inputs[1];
  return node.inputs[1] == one ? node.inputs[0] : Edge{};
}

void replace(GraphEditor& editor, std::vector<int> members, int last, std::string type, std::vector<Edge> inputs,
             graph::Attributes attributes) {
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  std::vector<graph::Node> copies;
  for (const int member : members) copies.push_back(editor.node(member));
  std::vector<const graph::Node*> pointers;
  for (const auto& copy : copies) pointers.push_back(&copy);
  const graph::Node end = editor.node(last);

  graph::Node made{.name = end.name, .type = std::move(type), .inputs = std::move(inputs)};
  made.outputs = {end.outputs.front()};
  made.attributes = std::move(attributes);
  if (const graph::Schema* schema = graph::find_schema(made.type))
    made.outputs.resize(schema->outputs.size(), graph::TensorDesc{.type = end.outputs.front().type});
  (void)graph::apply_defaults(made);  // required attributes are among those given
  set_origin(made, pointers, end);
  const int index = editor.add(std::move(made), last);
  editor.redirect({last, 0}, {index, 0});
  // From the end to the beginning: a member goes when nobody reads it any more.
  for (auto member = members.rbegin(); member != members.rend(); ++member)
    if (editor.user_count(*member) == 0) editor.remove(*member);
}

}  // namespace belay::convert
