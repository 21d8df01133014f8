// SPDX-License-Identifier: Apache-2.0
#include "convert/map/numbers.h"
#include "convert/passes/origin.h"
#include "convert/passes/pass.h"

namespace belay::convert {
namespace {

using graph::Edge;

bool has_bias(const graph::Node& node) { return node.inputs.size() > 2 && node.inputs[2].connected(); }

// The other operand of an Add that reads `from`.
Edge other_operand(const graph::Node& add, int from) {
  return add.inputs[0] == Edge{from, 0} ? add.inputs[1] : add.inputs[0];
}

// A constant of one number for each of `count` channels, which lie along `axis` from the back of the result.
std::optional<graph::Constant> per_channel(const graph::Constant& value, int64_t count, size_t axis_from_back) {
  const graph::Shape& shape = value.shape;
  if (graph::element_count(shape) != count || shape.size() < axis_from_back + 1) return {};
  if (shape[shape.size() - 1 - axis_from_back] != count) return {};
  graph::Constant flat = value;
  flat.shape = {count};
  return flat;
}

// Gives `product` the bias and puts it in the Add's place.
void take_over(GraphEditor& editor, int product, int add, Edge bias, bool add_first) {
  const graph::Node before = editor.node(product), sum = editor.node(add);
  const graph::Node* in_order[] = {&before, &sum};
  const graph::Node* reversed[] = {&sum, &before};
  editor.set_input(product, 2, bias);
  auto& result = editor.node(product);
  result.outputs.front().attributes = sum.outputs.front().attributes;
  set_origin(result, add_first ? std::span(reversed) : std::span(in_order), sum);
  editor.redirect({add, 0}, {product, 0});
  editor.remove(add);
}

// The Add (or Sum of two) that alone reads a product without bias; -1.
int following_add(const GraphEditor& editor, int index) {
  const int add = editor.only_user(index);
  if (has_bias(editor.node(index)) || add < 0 || !graph::is_sum(editor.node(add))) return -1;
  const auto& sum = editor.node(add);
  if (sum.inputs[0] == sum.inputs[1]) return -1;
  return editor.desc({add, 0}).shape == editor.desc({index, 0}).shape ? add : -1;
}

// The Edge of the constant as one row: itself when it has that shape, else a new constant.
Edge bias_edge(GraphEditor& editor, Edge source, const graph::Constant& row, const std::string& name, int place) {
  if (editor.constant(source)->shape == row.shape) return source;
  const int made = editor.add_constant(name, row, place);
  set_no_origin(editor.node(made));
  return {made, 0};
}

}  // namespace

// Conv + Add(constant per channel).
PassEffect fold_conv_bias(GraphEditor& editor) {
  PassEffect effect;
  for (int i = 0; i < editor.count(); ++i) {
    const bool flat = editor.node(i).type == "Conv2D";
    if (editor.removed(i) || (!flat && editor.node(i).type != "Conv3D")) continue;
    const int add = following_add(editor, i);
    if (add < 0) continue;
    const Edge operand = other_operand(editor.node(add), i);
    const graph::Constant* value = editor.constant(operand);
    const auto& shape = editor.desc({i, 0}).shape;
    if (!value || shape.size() < 3) continue;
    ++effect.matched;
    const auto row = per_channel(*value, shape[1], shape.size() - 2);
    if (!row) continue;
    take_over(editor, i, add, bias_edge(editor, operand, *row, editor.node(i).name + "_bias", i), true);
    ++effect.effective;
  }
  return effect;
}

// MatMul + Add(constant row).
PassEffect fold_matmul_bias(GraphEditor& editor) {
  PassEffect effect;
  for (int i = 0; i < editor.count(); ++i) {
    const auto& type = editor.node(i).type;
    if (editor.removed(i) || (type != "MatMulV2" && type != "BatchMatMulV2" && type != "MatMul")) continue;
    const int add = following_add(editor, i);
    if (add < 0) continue;
    const Edge operand = other_operand(editor.node(add), i);
    const graph::Constant* value = editor.constant(operand);
    const auto& shape = editor.desc({i, 0}).shape;
    if (!value || shape.empty() || shape.back() < 0) continue;
    ++effect.matched;
    const auto row = per_channel(*value, shape.back(), 0);
    if (!row) continue;
    take_over(editor, i, add, bias_edge(editor, operand, *row, editor.node(i).name + "_bias", i), false);
    editor.node(i).attributes["has_bias"] = true;
    ++effect.effective;
  }
  return effect;
}

}  // namespace belay::convert
