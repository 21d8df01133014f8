// SPDX-License-Identifier: Apache-2.0
// Shapes of what takes parts of a tensor, adds to its borders, or changes the order of its elements.
#include <algorithm>
#include <cmath>

#include "graph/infer/arguments.h"
#include "graph/infer/rows.h"
#include "graph/infer/slice_plan.h"

namespace belay::graph {
namespace {

Status same(InferContext& c) {
  TRY(require_inputs(c, 1));
  c.add_output(c.inputs[0].type, c.shape(0));
  return {};
}

// All dimensions unknown, as many as there are.
Shape unknown_like(const Shape& x) { return rank_known(x) ? Shape(x.size(), -1) : x; }

Status add_slice(InferContext& c, const SliceRequest& request) {
  if (!rank_known(c.shape(0))) {
    c.add_output(c.inputs[0].type, {-2});
    return {};
  }
  auto plan = plan_slice(c.shape(0), request);
  if (!plan.ok()) return c.fail(plan.status().message);
  c.add_output(c.inputs[0].type, (*plan).shape);
  return {};
}

Status slice_by(InferContext& c, const std::optional<std::vector<int64_t>>& offsets,
                const std::optional<std::vector<int64_t>>& size) {
  const Shape& x = c.shape(0);
  Shape y = size ? *size : unknown_like(x);
  if (size && rank_known(x)) {
    if (size->size() != x.size()) return c.fail("size has another length than x has dimensions");
    if (offsets && offsets->size() != x.size()) return c.fail("offsets has another length than x has dimensions");
    for (size_t d = 0; d < y.size(); ++d) {
      if (y[d] == -1 && offsets && x[d] >= 0) y[d] = x[d] - (*offsets)[d];
      if (offsets && x[d] >= 0 && ((*offsets)[d] < 0 || y[d] < 0 || (*offsets)[d] + y[d] > x[d]))
        return c.fail("elements " + std::to_string((*offsets)[d]) + " to " + std::to_string((*offsets)[d] + y[d]) +
                      " are outside a dimension of " + std::to_string(x[d]));
    }
  }
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status slice(InferContext& c) {
  TRY(require_inputs(c, 3));
  return slice_by(c, c.ints(1), c.ints(2));
}

Status slice_d(InferContext& c) {
  TRY(require_inputs(c, 1));
  return slice_by(c, ints_of(c.node, "offsets"), ints_of(c.node, "size"));
}

Status strided_slice(InferContext& c) {
  TRY(require_inputs(c, 4));
  auto request = slice_masks(c.node);
  const auto begin = c.ints(1), end = c.ints(2), strides = c.ints(3);
  if (!begin || !end || !strides) {
    const bool plain = !request.ellipsis_mask && !request.new_axis_mask && !request.shrink_axis_mask;
    c.add_output(c.inputs[0].type, plain ? unknown_like(c.shape(0)) : Shape{-2});
    return {};
  }
  request.begin = *begin;
  request.end = *end;
  request.strides = *strides;
  return add_slice(c, request);
}

Status strided_slice_v2(InferContext& c) {
  TRY(require_inputs(c, 3));
  auto request = slice_masks(c.node);
  const auto begin = c.ints(1), end = c.ints(2), axes = c.ints(3), strides = c.ints(4);
  const bool known = begin && end && (!c.has(3) || axes) && (!c.has(4) || strides);
  if (!known) {
    const bool plain = !request.ellipsis_mask && !request.new_axis_mask && !request.shrink_axis_mask;
    Shape y = plain ? unknown_like(c.shape(0)) : Shape{-2};
    if (plain && axes && rank_known(y)) {  // the other dimensions stay
      y = c.shape(0);
      for (const int64_t axis : *axes) y[TRY(require_axis(c, axis, y.size()))] = -1;
    }
    c.add_output(c.inputs[0].type, std::move(y));
    return {};
  }
  request.begin = *begin;
  request.end = *end;
  if (strides) request.strides = *strides;
  if (axes) request.axes = *axes;
  return add_slice(c, request);
}

Status strided_slice_d(InferContext& c) {
  TRY(require_inputs(c, 1));
  auto request = slice_masks(c.node);
  request.begin = ints_of(c.node, "begin");
  request.end = ints_of(c.node, "end");
  request.strides = ints_of(c.node, "strides");
  return add_slice(c, request);
}

Status pad_by(InferContext& c, const std::optional<std::vector<int64_t>>& amounts) {
  const Shape& x = c.shape(0);
  if (!rank_known(x) || !amounts) {
    c.add_output(c.inputs[0].type, unknown_like(x));
    return {};
  }
  const auto paddings = pad_pairs(flag_of(c.node, "paddings_contiguous", true), *amounts, x.size());
  if (paddings.size() != 2 * x.size()) return c.fail("paddings needs two numbers for each dimension");
  Shape y = x;
  for (size_t d = 0; d < y.size(); ++d) {
    if (y[d] < 0) continue;
    y[d] += paddings[2 * d] + paddings[2 * d + 1];
    if (y[d] < 0) return c.fail("negative paddings take more than there is");
  }
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status pad(InferContext& c) {
  TRY(require_inputs(c, 2));
  return pad_by(c, c.ints(1));
}

Status pad_d(InferContext& c) {
  TRY(require_inputs(c, 1));
  std::vector<int64_t> flat;
  for (const auto& pair : get_or<std::vector<std::vector<int64_t>>>(c.node.attributes, "paddings", {}))
    flat.insert(flat.end(), pair.begin(), pair.end());
  return pad_by(c, flat);
}

Status tile_by(InferContext& c, const std::optional<std::vector<int64_t>>& multiples) {
  Shape y = c.shape(0);
  if (!rank_known(y) || !multiples) {
    c.add_output(c.inputs[0].type, unknown_like(y));
    return {};
  }
  if (multiples->size() > y.size()) y.insert(y.begin(), multiples->size() - y.size(), 1);
  if (multiples->size() < y.size()) return c.fail("multiples is shorter than the shape");
  for (size_t d = 0; d < y.size(); ++d)
    if (y[d] >= 0) y[d] *= (*multiples)[d];
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status tile(InferContext& c) {
  TRY(require_inputs(c, 2));
  return tile_by(c, c.ints(1));
}

Status tile_d(InferContext& c) {
  TRY(require_inputs(c, 1));
  return tile_by(c, ints_of(c.node, "multiples"));
}

Status tile_with_axis(InferContext& c) {
  TRY(require_inputs(c, 1));
  Shape y = c.shape(0);
  if (!rank_known(y)) return c.add_output(c.inputs[0].type, y), Status{};
  const size_t axis = TRY(require_axis(c, int_of(c.node, "axis", 1), y.size()));
  const int64_t tiles = int_of(c.node, "tiles", 1);
  if (tiles < 1) return c.fail("tiles must be 1 or more");
  if (y[axis] >= 0) y[axis] *= tiles;
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

// What is given other values in places.
Status like_first(InferContext& c) {
  TRY(require_inputs(c, 2));
  c.add_output(c.inputs[0].type, c.shape(0));
  return {};
}

// Which dimensions hold channels, rows and columns.
struct Planes {
  size_t c, h, w;
};
Planes planes(const Node& node) {
  return text_of(node, "data_format", "NHWC") == "NCHW" ? Planes{1, 2, 3} : Planes{3, 1, 2};
}

int64_t divided(int64_t size, int64_t by) { return size < 0 ? -1 : size / by; }
int64_t multiplied(int64_t size, int64_t by) { return size < 0 ? -1 : size * by; }

Status depth_to_space(InferContext& c) {
  TRY(require_inputs(c, 1));
  Shape y = c.shape(0);
  const int64_t block = int_of(c.node, "block_size", 0);
  if (y.size() != 4) return c.fail("x must have 4 dimensions");
  const auto at = planes(c.node);
  if (block < 1 || (y[at.c] >= 0 && y[at.c] % (block * block)))
    return c.fail("block_size " + std::to_string(block) + " does not divide the channels");
  y[at.c] = divided(y[at.c], block * block);
  y[at.h] = multiplied(y[at.h], block);
  y[at.w] = multiplied(y[at.w], block);
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status space_to_depth(InferContext& c) {
  TRY(require_inputs(c, 1));
  Shape y = c.shape(0);
  const int64_t block = int_of(c.node, "block_size", 0);
  if (y.size() != 4) return c.fail("x must have 4 dimensions");
  const auto at = planes(c.node);
  if (block < 1 || (y[at.h] >= 0 && y[at.h] % block) || (y[at.w] >= 0 && y[at.w] % block))
    return c.fail("block_size " + std::to_string(block) + " does not divide the rows and columns");
  y[at.c] = multiplied(y[at.c], block * block);
  y[at.h] = divided(y[at.h], block);
  y[at.w] = divided(y[at.w], block);
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status shuffle_channel(InferContext& c) {
  TRY(require_inputs(c, 1));
  const Shape& x = c.shape(0);
  const int64_t group = int_of(c.node, "group", 1);
  if (rank_known(x) && x.size() < 2) return c.fail("x must have two dimensions or more");
  if (group < 1 || (x.size() > 1 && x[1] >= 0 && x[1] % group))
    return c.fail("group " + std::to_string(group) + " does not divide the channels");
  return same(c);
}

constexpr InferRow rows[] = {
    {"Slice", slice},
    {"SliceD", slice_d},
    {"StridedSlice", strided_slice},
    {"StridedSliceV2", strided_slice_v2},
    {"StridedSliceV3", strided_slice_v2},
    {"StridedSliceD", strided_slice_d},
    {"Pad", pad},
    {"PadV2", pad},
    {"PadV3", pad},
    {"MirrorPad", pad},
    {"PadD", pad_d},
    {"PadV2D", pad_d},
    {"PadV3D", pad_d},
    {"MaskedScatter", like_first},
    {"StridedSliceAssign", like_first},
    {"StridedSliceAssignD", like_first},
    {"Tile", tile},
    {"TileWithAxis", tile_with_axis},
    {"TileD", tile_d},
    {"ReverseV2", same},
    {"ReverseV2D", same},
    {"ReverseSequence", same},
    {"Roll", same},
    {"Trilu", same},
    {"Triu", same},
    {"Tril", same},
    {"DepthToSpace", depth_to_space},
    {"SpaceToDepth", space_to_depth},
    {"ShuffleChannel", shuffle_channel},
};

}  // namespace

std::span<const InferRow> infer_rows_slice() { return rows; }

}  // namespace belay::graph
