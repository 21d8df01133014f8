// SPDX-License-Identifier: Apache-2.0
#include "blame/terms.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "exact/yardstick.h"
#include "executor/graph_walk.h"
#include "graph/infer/infer.h"
#include "inspect/tensor.h"

namespace belay::blame {
namespace {

constexpr size_t kTermsShown = 3;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", value);
  return text;
}

graph::TensorInfo info_of(const exact::Value& value) { return {value.type, value.shape, nullptr, value.present}; }

// The input of the fused node that a member reads; nothing when it reads something else.
std::optional<size_t> outer_input(const graph::Graph& members, const graph::Edge& edge) {
  if (!edge.connected()) return {};
  const graph::Node& node = members.nodes[static_cast<size_t>(edge.node)];
  if (executor::kind_of(node) != executor::NodeKind::Input) return {};
  return executor::input_port(node, executor::GraphRole::Members);
}

std::optional<Product> member_product(const Trial& trial, const graph::Graph& members, const graph::Shape& output) {
  for (const graph::Node& node : members.nodes) {
    if (!graph::ProductPlan::knows(node.type) || node.inputs.size() < 2) continue;
    const auto left = outer_input(members, node.inputs[0]), right = outer_input(members, node.inputs[1]);
    if (!left || !right || *left >= trial.inputs().size() || *right >= trial.inputs().size()) continue;
    std::vector<graph::TensorInfo> infos(node.inputs.size());
    for (graph::TensorInfo& info : infos) info.present = false;
    infos[0] = info_of(trial.inputs()[*left]), infos[1] = info_of(trial.inputs()[*right]);
    auto plan = graph::ProductPlan::of(node, infos);
    if (plan && plan->output() == output) return Product{*std::move(plan), *left, *right};
  }
  return {};
}

std::string operand(const Trial& trial, size_t input, int64_t at) {
  const exact::Value& value = trial.inputs()[input];
  return formatted("input {} {} = {}", input, inspect::index_text(value.shape, at), number(element_of(value, at)));
}

std::vector<std::string> product_terms(const Trial& trial, const Product& product, int64_t element) {
  auto terms = product.plan.terms(element);
  const exact::Value &left = trial.inputs()[product.left], &right = trial.inputs()[product.right];
  const auto value = [&](const auto& term) { return element_of(left, term.left) * element_of(right, term.right); };
  double sum = 0;
  for (const auto& term : terms) sum += value(term);
  const size_t count = terms.size(), shown = std::min(kTermsShown, count);
  std::ranges::partial_sort(terms, terms.begin() + static_cast<std::ptrdiff_t>(shown), std::greater(),
                            [&](const auto& term) { return std::abs(value(term)); });
  std::vector<std::string> lines{formatted("a sum of {} products, {}; the largest:", count, number(sum))};
  for (size_t i = 0; i < shown; ++i)
    lines.push_back(formatted("  {} times {} is {}", operand(trial, product.left, terms[i].left),
                              operand(trial, product.right, terms[i].right), number(value(terms[i]))));
  return lines;
}

// Where an operand has the output's shape, or one element for all.
std::vector<std::string> operands(const Trial& trial, size_t output, int64_t element) {
  std::vector<std::string> lines;
  const graph::Shape& shape = trial.expected()[output].value.shape;
  for (size_t i = 0; i < trial.inputs().size(); ++i) {
    const exact::Value& input = trial.inputs()[i];
    if (!input.present) continue;
    if (input.shape != shape && input.count() != 1) return {};
    lines.push_back(operand(trial, i, input.count() == 1 ? 0 : element));
  }
  return lines;
}

}  // namespace

std::optional<Product> product_of(const Trial& trial, size_t output) {
  const graph::Shape& shape = trial.expected()[output].value.shape;
  const graph::Node& node = trial.node();
  if (executor::kind_of(node) == executor::NodeKind::Fused)
    return member_product(trial, executor::members_of(node), shape);
  std::vector<graph::TensorInfo> infos;
  for (const exact::Value& input : trial.inputs()) infos.push_back(info_of(input));
  auto plan = graph::ProductPlan::of(node, infos);
  if (!plan || plan->output() != shape) return {};
  return Product{*std::move(plan)};
}

std::vector<std::string> terms_of(const Trial& trial, size_t output, int64_t element) {
  if (element < 0) return {};
  if (trial.others()) return trial.others()->terms(trial.ran(), output, element);
  if (const auto product = product_of(trial, output)) return product_terms(trial, *product, element);
  return operands(trial, output, element);
}

}  // namespace belay::blame
