// SPDX-License-Identifier: Apache-2.0
// (x - mean) / sqrt(mean((x - mean)^2) + epsilon) * gamma + beta, as exporters write it.
#include <algorithm>

#include "convert/map/numbers.h"
#include "convert/passes/matching.h"
#include "convert/passes/pass.h"

namespace belay::convert {
namespace {

using graph::Edge;

// The constant axes of a mean that keeps its dimensions, counted from the front and sorted; empty when it is none.
std::vector<int64_t> mean_axes(const GraphEditor& editor, int mean) {
  if (mean < 0 || !graph::get_or<bool>(editor.node(mean).attributes, "keep_dims", false)) return {};
  const graph::Constant* value = editor.constant(editor.node(mean).inputs[1]);
  const auto& shape = editor.desc(editor.node(mean).inputs[0]).shape;
  auto axes = value ? read_ints(*value) : std::nullopt;
  if (!axes || shape == graph::Shape{-2}) return {};
  for (int64_t& axis : *axes)
    if (axis < 0) axis += static_cast<int64_t>(shape.size());
  std::sort(axes->begin(), axes->end());
  return *axes;
}

// The first axis when they are all of the last dimensions; -1.
int64_t first_of_last(const std::vector<int64_t>& axes, size_t rank) {
  if (axes.empty() || axes.size() > rank) return -1;
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != static_cast<int64_t>(rank - axes.size() + i)) return -1;
  return axes.front();
}

// The square of `difference`, or of another node that computes the same.
bool is_square(const GraphEditor& editor, Edge square, int difference) {
  const auto same = [&](Edge edge) {
    const int other = editor.producer(edge, "Sub");
    return other >= 0 && editor.node(other).inputs == editor.node(difference).inputs;
  };
  const Edge power = beside_scalar(editor, square.node, "Pow", 2);
  if (power.connected()) return same(power);
  const int product = editor.producer(square, "Mul");
  return product >= 0 && same(editor.node(product).inputs[0]) && same(editor.node(product).inputs[1]);
}

struct Norm {
  std::vector<int> members;
  Edge x;
  int64_t axis = -1;
  double epsilon = 0;
};

// The normalisation that a division ends.
bool match_norm(const GraphEditor& editor, int quotient, Norm& norm) {
  const auto& inputs = editor.node(quotient).inputs;
  const int difference = editor.producer(inputs[0], "Sub"), root = editor.producer(inputs[1], "Sqrt");
  if (difference < 0 || root < 0) return false;
  const int sum = editor.producer(editor.node(root).inputs[0], "Add");
  if (sum < 0) return false;
  for (const size_t port : {0, 1}) {
    const auto epsilon = editor.scalar(editor.node(sum).inputs[port]);
    const int variance = editor.producer(editor.node(sum).inputs[1 - port], "ReduceMean");
    if (!epsilon || variance < 0) continue;
    const Edge square = editor.node(variance).inputs[0];
    const Edge x = editor.node(difference).inputs[0];
    const int mean = editor.producer(editor.node(difference).inputs[1], "ReduceMean");
    if (mean < 0 || editor.node(mean).inputs[0] != x || !is_square(editor, square, difference)) continue;
    const auto axes = mean_axes(editor, mean);
    if (axes.empty() || axes != mean_axes(editor, variance)) continue;
    norm.axis = first_of_last(axes, editor.desc(x).shape.size());
    norm.members = {mean, difference, square.node, variance, sum, root, quotient};
    norm.x = x;
    norm.epsilon = *epsilon;
    return norm.axis >= 0;
  }
  return false;
}

// The only reader of that type whose other input is a constant of the normalised shape.
int affine_reader(const GraphEditor& editor, int index, const char* type, const graph::Shape& shape, Edge& operand) {
  const int reader = editor.only_user(index);
  if (reader < 0 || editor.node(reader).type != type) return -1;
  operand = beside(editor.node(reader), {index, 0});
  const graph::Constant* value = editor.constant(operand);
  return value && value->shape == shape ? reader : -1;
}

bool try_norm(GraphEditor& editor, int quotient) {
  Norm norm;
  if (!match_norm(editor, quotient, norm)) return false;
  const auto& shape = editor.desc(norm.x).shape;
  const graph::Shape normalized(shape.begin() + static_cast<std::ptrdiff_t>(norm.axis), shape.end());
  Edge gamma, beta;
  const int scaled = affine_reader(editor, quotient, "Mul", normalized, gamma);
  const int shifted = scaled < 0 ? -1 : affine_reader(editor, scaled, "Add", normalized, beta);
  if (shifted < 0) return false;
  norm.members.insert(norm.members.end(), {scaled, shifted});
  replace(editor, norm.members, shifted, "LayerNorm", {norm.x, gamma, beta},
          {{"begin_norm_axis", norm.axis},
           {"begin_params_axis", norm.axis},
           {"epsilon", static_cast<float>(norm.epsilon)}});
  return true;
}

}  // namespace

PassEffect recognize_layer_norm(GraphEditor& editor) {
  PassEffect effect;
  for (int i = 0; i < editor.count(); ++i) {
    if (editor.removed(i) || editor.node(i).type != "RealDiv") continue;
    const bool done = try_norm(editor, i);
    effect.matched += done;
    effect.effective += done;
  }
  return effect;
}

}  // namespace belay::convert
