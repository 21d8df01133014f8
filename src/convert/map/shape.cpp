// SPDX-License-Identifier: Apache-2.0
// Operators on shapes: what a tensor's shape is, and the same elements in another shape or order.
#include <limits>
#include <numeric>

#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/numbers.h"
#include "convert/onnx/types.h"

namespace belay::convert {
namespace {

constexpr auto int64_number = static_cast<int64_t>(DataType::Int64);

// From opset 15 on a part of the shape can be asked for.
Status shape(NodeContext& c) {
  const Edge whole = c.add("Shape", {c.in(0)}, {{"dtype", int64_number}});
  if (!c.given("start") && !c.given("end")) {
    c.give(0, whole);
    return {};
  }
  const int64_t no_end = std::numeric_limits<int32_t>::max();
  const Edge begin = c.int_constant("begin", {c.integer("start", 0)});
  const Edge end = c.int_constant("end", {c.integer("end", no_end)});
  c.give(0, c.add("StridedSliceV2", {whole, begin, end}));
  return {};
}

Status size(NodeContext& c) {
  c.give(0, c.add("Size", {c.in(0)}, {{"dtype", int64_number}}));
  return {};
}

Status reshape(NodeContext& c) {
  const Edge target = c.opset < 5 ? c.int_constant("Const", c.integers("shape")) : c.in(1);
  c.give(0, c.add("Reshape", {c.in(0), target}, {{"allowzero", c.integer("allowzero", 0)}}));
  return {};
}

Status flatten(NodeContext& c) {
  c.give(0, c.add("Flatten", {c.in(0)}, {{"axis", c.integer("axis", 1)}}));
  return {};
}

Status squeeze(NodeContext& c) {
  c.give(0, c.add("Squeeze", {c.in(0)}, {{"axis", c.integers("axes")}}));
  return {};
}

Status unsqueeze(NodeContext& c) {
  c.give(0, c.add("Unsqueeze", {c.in(0)}, {{"axes", c.integers("axes")}}));
  return {};
}

Status transpose(NodeContext& c) {
  std::vector<int64_t> perm = c.integers("perm");
  if (perm.empty()) {
    const int rank = c.rank(size_t{0});
    if (rank < 0) return c.fail("it has no perm and the rank of its input is not known");
    perm.resize(static_cast<size_t>(rank));
    std::iota(perm.rbegin(), perm.rend(), 0);
  }
  c.give(0, c.add("Transpose", {c.in(0), c.int_constant("Const", perm, DataType::Int32)}));
  return {};
}

Status depth_to_space(NodeContext& c) {
  c.give(0,
         c.add("DepthToSpace", {c.in(0)},
               {{"block_size", c.integer("blocksize", 0)}, {"mode", c.text("mode", "DCR")}, {"data_format", "NCHW"}}));
  return {};
}

Status space_to_depth(NodeContext& c) {
  c.give(0, c.add("SpaceToDepth", {c.in(0)}, {{"block_size", c.integer("blocksize", 0)}, {"data_format", "NCHW"}}));
  return {};
}

// Opset 1 took the number of tiles and the axis apart.
Status tile(NodeContext& c) {
  if (c.opset < 6) return c.fail("Tile before opset 6 is not supported");
  c.give(0, c.add("Tile", c.inputs()));
  return {};
}

Status constant(NodeContext& c) {
  const auto* tensor = c.node.find("value");
  const auto count = [](const auto& list) { return static_cast<int64_t>(list.size()); };
  if (tensor && tensor->t) {
    if (!tensor->t->problem.empty()) return c.fail(tensor->t->problem + " is not supported");
    c.give(0, c.constant("Const", tensor->t->value));
  } else if (c.given("value_float")) {
    c.give(0, c.constant("Const", graph::make_constant<float>(DataType::Float, {}, {c.real("value_float", 0)})));
  } else if (c.given("value_floats")) {
    const auto values = c.reals("value_floats");
    c.give(0, c.constant("Const", graph::make_constant(DataType::Float, {count(values)}, values)));
  } else if (c.given("value_int")) {
    c.give(0, c.int_scalar("Const", c.integer("value_int", 0)));
  } else if (c.given("value_ints")) {
    c.give(0, c.int_constant("Const", c.integers("value_ints")));
  } else {
    return c.fail("its value is a string, sparse, or missing");
  }
  return {};
}

// Filled with one element, 0.0 when the attribute is left out.
Status constant_of_shape(NodeContext& c) {
  const auto* given = c.node.find("value");
  Constant value = make_numbers({0}, {}, DataType::Float);
  if (given && given->t) {
    if (!given->t->problem.empty()) return c.fail(given->t->problem + " is not supported");
    value = given->t->value;
    value.shape = {};
  }
  const Edge element = c.constant("Const", value);
  c.give(0, c.add("Fill", {c.in(0), element}));
  return {};
}

// A constant once the shape is known, which it must be.
Status eye_like(NodeContext& c) {
  const Shape shape = c.shape(0);
  if (shape.size() != 2 || !graph::is_known(shape)) return c.fail("the shape of its input must be known and of rank 2");
  const DataType type = c.given("dtype") ? onnx::data_type(c.integer("dtype", 0)) : c.type(0);
  const int64_t k = c.integer("k", 0);
  TRY(c.require_few(graph::element_count(shape)));
  if (k < -shape[0] || k > shape[1]) return c.fail(formatted("k is {}, outside its input", k));
  std::vector<int64_t> values(static_cast<size_t>(shape[0] * shape[1]), 0);
  for (int64_t i = 0; i < shape[0]; ++i)
    if (i + k >= 0 && i + k < shape[1]) values[static_cast<size_t>(i * shape[1] + i + k)] = 1;
  c.give(0, c.constant("Const", make_ints(values, shape, type)));
  return {};
}

constexpr MapRow rows[] = {
    {"Constant", 1, latest, "Const", constant},
    {"ConstantOfShape", 9, latest, "Fill", constant_of_shape},
    {"DepthToSpace", 1, latest, "DepthToSpace", depth_to_space},
    {"Expand", 8, latest, "Expand"},
    {"EyeLike", 9, latest, "Const", eye_like},
    {"Flatten", 1, latest, "Flatten", flatten},
    {"Range", 11, latest, "Range"},
    {"Reshape", 1, latest, "Reshape", reshape},
    {"Shape", 1, latest, "Shape", shape},
    {"Size", 1, latest, "Size", size},
    {"SpaceToDepth", 1, latest, "SpaceToDepth", space_to_depth},
    {"Squeeze", 1, 12, "Squeeze", squeeze},
    {"Squeeze", 13, latest, "SqueezeV3"},
    {"Tile", 1, latest, "Tile", tile},
    {"Transpose", 1, latest, "Transpose", transpose},
    {"Unsqueeze", 1, 12, "Unsqueeze", unsqueeze},
    {"Unsqueeze", 13, latest, "UnsqueezeV3"},
};

}  // namespace

std::span<const MapRow> map_rows_shape() { return rows; }

}  // namespace belay::convert
