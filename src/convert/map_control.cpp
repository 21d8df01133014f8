// SPDX-License-Identifier: Apache-2.0
// If: both branches become graphs of the model; what they use from outside becomes inputs of the If.
#include <algorithm>
#include <memory>

#include "convert/graph_importer.h"
#include "convert/mapping.h"
#include "convert/node_context.h"

namespace belay::convert {
namespace {

std::vector<std::string> output_names(const onnx::Graph& graph) {
  std::vector<std::string> names;
  for (const auto& output : graph.outputs) names.push_back(output.name);
  return names;
}

Status if_else(NodeContext& c) {
  const onnx::Graph* sources[] = {c.graph("then_branch"), c.graph("else_branch")};
  const std::string names[] = {c.name + "_0_then_branch", c.name + "_1_else_branch"};
  if (!sources[0] || !sources[1]) return c.fail("it must have then_branch and else_branch");
  std::vector<std::unique_ptr<GraphImporter>> branches;
  std::vector<std::string> captured;
  for (size_t i = 0; i < 2; ++i) {
    auto& branch =
        *branches.emplace_back(std::make_unique<GraphImporter>(c.importer().state(), &c.importer(), names[i]));
    branch.add_initializers(*sources[i]);
    branch.add_nodes(*sources[i]);
    branch.add_outputs(output_names(*sources[i]), nullptr);
    for (const auto& capture : branch.captures())
      if (std::find(captured.begin(), captured.end(), capture.tensor) == captured.end())
        captured.push_back(capture.tensor);
  }
  std::vector<Edge> inputs = {c.in(0)};
  for (const auto& tensor : captured) inputs.push_back(c.importer().find(tensor));
  for (auto& branch : branches) {
    std::vector<int> data;
    for (const auto& tensor : captured) data.push_back(branch->capture(tensor));
    branch->set_parent_ports(data, 1);
    TRY(branch->hand_over());
  }
  c.give_all(c.add_control("If", inputs, {names[0], names[1]}, c.output_count()));
  return {};
}

constexpr MapRow rows[] = {{"If", 1, latest, "If", if_else}};

}  // namespace

std::span<const MapRow> map_rows_control() { return rows; }

}  // namespace belay::convert
