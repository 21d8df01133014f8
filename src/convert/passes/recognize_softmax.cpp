// SPDX-License-Identifier: Apache-2.0
// exp(x - max(x)) / sum(exp(x - max(x))) over the same axes.
#include <algorithm>

#include "convert/map/numbers.h"
#include "convert/passes/matching.h"
#include "convert/passes/pass.h"

namespace belay::convert {
namespace {

using graph::Edge;

// The constant axes of a reduction that keeps its dimensions.
std::vector<int64_t> kept_axes(const GraphEditor& editor, int reduction) {
  if (!graph::get_or<bool>(editor.node(reduction).attributes, "keep_dims", false)) return {};
  const graph::Constant* value = editor.constant(editor.node(reduction).inputs[1]);
  auto axes = value ? read_ints(*value) : std::nullopt;
  return axes ? *axes : std::vector<int64_t>{};
}

bool try_softmax(GraphEditor& editor, int quotient) {
  const auto& inputs = editor.node(quotient).inputs;
  const int exponent = editor.producer(inputs[0], "Exp"), sum = editor.producer(inputs[1], "ReduceSum");
  if (exponent < 0 || sum < 0 || editor.node(sum).inputs[0] != Edge{exponent, 0}) return false;
  const int difference = editor.producer(editor.node(exponent).inputs[0], "Sub");
  if (difference < 0 || editor.user_count(exponent) != 2) return false;
  const Edge x = editor.node(difference).inputs[0];
  const int largest = editor.producer(editor.node(difference).inputs[1], "ReduceMax");
  if (largest < 0 || editor.node(largest).inputs[0] != x) return false;
  const auto axes = kept_axes(editor, sum);
  if (axes.size() != 1 || kept_axes(editor, largest) != axes) return false;
  replace(editor, {largest, difference, exponent, sum, quotient}, quotient, "SoftmaxV2", {x}, {{"axes", axes}});
  return true;
}

}  // namespace

PassEffect recognize_softmax(GraphEditor& editor) {
  PassEffect effect;
  for (int i = 0; i < editor.count(); ++i) {
    if (editor.removed(i) || editor.node(i).type != "RealDiv") continue;
    const bool done = try_softmax(editor, i);
    effect.matched += done;
    effect.effective += done;
  }
  return effect;
}

}  // namespace belay::convert
