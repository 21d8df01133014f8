// SPDX-License-Identifier: Apache-2.0
// If: both branches become graphs of the model; what they use from outside becomes inputs of the If. A branch whose
// shapes do not fit is no mistake as long as it never runs: it becomes one that fails when it is taken, and says why.
#include <algorithm>
#include <memory>

#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/onnx/graph_importer.h"

namespace belay::convert {
namespace {

using Cause = Problem::Cause;

std::vector<std::string> output_names(const onnx::Graph& graph) {
  std::vector<std::string> names;
  for (const auto& output : graph.outputs) names.push_back(output.name);
  return names;
}

struct Branch {
  const onnx::Graph* source;
  std::string name;
  std::unique_ptr<GraphImporter> importer = nullptr;
  std::vector<TensorInfo> results = {};  // types and shapes of its outputs
  std::string misfit = "";               // why it cannot run; "" when it can
};

// When the first problem since `first` is one of shapes, what follows from it is no problem of its own: only operators
// that nobody knows stay. The first one's text; "" when the branch is sound, or wrong for another reason.
std::string take_misfit(std::vector<Problem>& problems, size_t first) {
  const auto begin = problems.begin() + static_cast<std::ptrdiff_t>(first);
  const auto found =
      std::find_if(begin, problems.end(), [](const Problem& one) { return one.cause != Cause::Unknown; });
  if (found == problems.end() || found->cause != Cause::Shapes) return "";
  const std::string text = formatted("{}: {}: {}", found->node, found->what, found->reason);
  problems.erase(std::remove_if(begin, problems.end(), [](const Problem& one) { return one.cause != Cause::Unknown; }),
                 problems.end());
  return text;
}

void import_branch(NodeContext& c, Branch& branch) {
  ImportState& state = c.importer().state();
  const size_t problems = state.problems.size(), graphs = state.model.graphs.size();
  branch.importer = std::make_unique<GraphImporter>(state, &c.importer(), branch.name);
  GraphImporter& importer = *branch.importer;
  importer.add_initializers(*branch.source);
  importer.add_nodes(*branch.source);
  importer.add_outputs(output_names(*branch.source), nullptr);
  for (const auto& output : branch.source->outputs) {
    TensorInfo info = importer.builder().info(importer.find(output.name));
    info.value = nullptr, info.partial = nullptr;
    branch.results.push_back(std::move(info));
  }
  branch.misfit = take_misfit(state.problems, problems);
  if (!branch.misfit.empty()) state.model.graphs.resize(graphs);  // what it runs inside
}

// In its place: a graph that fails with the reason. Its outputs are those of the other branch, so that they are known.
void refuse_branch(NodeContext& c, Branch& branch, const Branch& other) {
  c.importer().state().warnings.push_back(
      formatted("{}: {} does not fit the shapes and fails when it is taken: {}", c.name, branch.name, branch.misfit));
  branch.importer = std::make_unique<GraphImporter>(c.importer().state(), &c.importer(), branch.name);
  std::vector<int64_t> types;
  std::vector<std::vector<int64_t>> shapes;
  for (const TensorInfo& result : other.results) {
    types.push_back(static_cast<int64_t>(result.type));
    shapes.push_back(result.shape == Shape{-2} ? Shape{} : result.shape);
    std::ranges::replace_if(
        shapes.back(), [](int64_t size) { return size < 0; }, int64_t{1});
  }
  const Edge refusal = branch.importer->add_operator(
      "refusal", "BranchRefused", {}, {{"message", branch.misfit}, {"types", types}, {"shapes", shapes}});
  for (size_t i = 0; i < other.results.size(); ++i)
    branch.importer->bind(formatted("result {}", i), {refusal.node, static_cast<int>(i)});
  std::vector<std::string> names;
  for (size_t i = 0; i < other.results.size(); ++i) names.push_back(formatted("result {}", i));
  branch.importer->add_outputs(names, nullptr);
}

Status if_else(NodeContext& c) {
  Branch branches[] = {{c.graph("then_branch"), c.name + "_0_then_branch"},
                       {c.graph("else_branch"), c.name + "_1_else_branch"}};
  if (!branches[0].source || !branches[1].source) return c.fail("it must have then_branch and else_branch");
  for (Branch& branch : branches) import_branch(c, branch);
  if (!branches[0].misfit.empty() && !branches[1].misfit.empty())
    return Status{ACL_ERROR_PARSE_MODEL,
                  formatted("neither branch fits the shapes: {}; {}", branches[0].misfit, branches[1].misfit)};
  for (size_t i = 0; i < 2; ++i)
    if (!branches[i].misfit.empty()) refuse_branch(c, branches[i], branches[1 - i]);
  std::vector<std::string> captured;
  for (const Branch& branch : branches)
    for (const auto& capture : branch.importer->captures())
      if (std::find(captured.begin(), captured.end(), capture.tensor) == captured.end())
        captured.push_back(capture.tensor);
  std::vector<Edge> inputs = {c.in(0)};
  for (const auto& tensor : captured) inputs.push_back(c.importer().find(tensor));
  for (Branch& branch : branches) {
    std::vector<int> data;
    for (const auto& tensor : captured) data.push_back(branch.importer->capture(tensor));
    branch.importer->set_parent_ports(data, 1);
    TRY(branch.importer->hand_over());
  }
  c.give_all(c.add_control("If", inputs, {branches[0].name, branches[1].name}, c.output_count()));
  return {};
}

constexpr MapRow rows[] = {{"If", 1, latest, "If", if_else}};

}  // namespace

std::span<const MapRow> map_rows_control() { return rows; }

}  // namespace belay::convert
