// SPDX-License-Identifier: Apache-2.0
// Shapes of what joins tensors along a dimension, and of what takes them apart.
#include "graph/infer/arguments.h"
#include "graph/infer/rows.h"

namespace belay::graph {
namespace {

// Keeps what is known of either; an error when both are known and differ.
Status agree(const InferContext& c, int64_t& dimension, int64_t other) {
  if (dimension < 0) dimension = other;
  if (other >= 0 && dimension != other)
    return c.fail("dimensions " + std::to_string(dimension) + " and " + std::to_string(other) + " differ");
  return {};
}

// Inputs [first, last) joined along the axis.
Status concat(InferContext& c, size_t first, size_t last, std::optional<int64_t> along) {
  if (first >= last) return c.fail("nothing to join");
  const auto type = c.inputs[first].type;
  Shape y{-2};
  for (size_t i = first; i < last && y == Shape{-2}; ++i)
    if (rank_known(c.shape(i))) y = Shape(c.shape(i).size(), -1);
  if (!rank_known(y) || !along) {
    c.add_output(type, std::move(y));
    return {};
  }
  const size_t axis = TRY(require_axis(c, *along, y.size()));
  int64_t total = 0;
  for (size_t i = first; i < last; ++i) {
    if (!rank_known(c.shape(i))) {
      total = -1;
      continue;
    }
    if (c.shape(i).size() != y.size()) return c.fail("the inputs differ in rank");
    for (size_t d = 0; d < y.size(); ++d)
      if (d != axis) TRY(agree(c, y[d], c.shape(i)[d]));
    const int64_t size = c.shape(i)[axis];
    total = size < 0 || total < 0 ? -1 : total + size;
  }
  y[axis] = total;
  c.add_output(type, std::move(y));
  return {};
}

Status concat_d(InferContext& c) { return concat(c, 0, c.inputs.size(), int_of(c.node, "concat_dim", 0)); }

Status concat_first(InferContext& c) {
  TRY(require_inputs(c, 2));
  return concat(c, 1, c.inputs.size(), scalar(c, 0));
}

Status concat_v2(InferContext& c) {
  TRY(require_inputs(c, 2));
  return concat(c, 0, c.inputs.size() - 1, scalar(c, c.inputs.size() - 1));
}

Status pack(InferContext& c) {
  TRY(require_inputs(c, 1));
  Shape y = c.shape(0);
  if (!rank_known(y)) {
    c.add_output(c.inputs[0].type, {-2});
    return {};
  }
  for (const auto& input : c.inputs) {
    if (!rank_known(input.shape)) continue;
    if (input.shape.size() != y.size()) return c.fail("the inputs differ in rank");
    for (size_t d = 0; d < y.size(); ++d) TRY(agree(c, y[d], input.shape[d]));
  }
  const size_t axis = TRY(require_axis(c, int_of(c.node, "axis", 0), y.size() + 1));
  y.insert(y.begin() + int64_t(axis), int64_t(c.inputs.size()));
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status unpack(InferContext& c) {
  TRY(require_inputs(c, 1));
  const int64_t pieces = int_of(c.node, "num", int64_t(c.node.outputs.size()));
  Shape y = c.shape(0);
  if (rank_known(y)) {
    const size_t axis = TRY(require_axis(c, int_of(c.node, "axis", 0), y.size()));
    TRY(agree(c, y[axis], pieces));
    y.erase(y.begin() + int64_t(axis));
  }
  for (int64_t i = 0; i < pieces; ++i) c.add_output(c.inputs[0].type, y);
  return {};
}

int64_t pieces_of(const InferContext& c) { return int_of(c.node, "num_split", int64_t(c.node.outputs.size())); }

// x in equal pieces; the last one is smaller when they do not come out even.
Status split(InferContext& c, size_t x, std::optional<int64_t> along) {
  const int64_t pieces = pieces_of(c);
  if (pieces <= 0) return c.fail("num_split must be positive");
  Shape y = c.shape(x);
  if (!rank_known(y) || !along) {
    if (rank_known(y)) y.assign(y.size(), -1);
    for (int64_t i = 0; i < pieces; ++i) c.add_output(c.inputs[x].type, y);
    return {};
  }
  const size_t axis = TRY(require_axis(c, *along, y.size()));
  const int64_t size = y[axis], piece = size < 0 ? -1 : (size + pieces - 1) / pieces;
  for (int64_t i = 0; i < pieces; ++i) {
    y[axis] = size < 0 ? -1 : std::max<int64_t>(0, std::min(piece, size - i * piece));
    c.add_output(c.inputs[x].type, y);
  }
  return {};
}

Status split_first(InferContext& c) {
  TRY(require_inputs(c, 2));
  return split(c, 1, scalar(c, 0));
}

Status split_d(InferContext& c) {
  TRY(require_inputs(c, 1));
  return split(c, 0, int_of(c.node, "split_dim", 0));
}

// x in pieces of the given sizes, of which one may be -1: what is left.
Status split_by(InferContext& c, std::optional<std::vector<int64_t>> sizes, std::optional<int64_t> along) {
  const int64_t pieces = pieces_of(c);
  Shape y = c.shape(0);
  if (!rank_known(y) || !along || !sizes) {
    if (rank_known(y)) y.assign(y.size(), -1);
    if (rank_known(y) && along) {
      const size_t axis = TRY(require_axis(c, *along, y.size()));
      y = c.shape(0);
      y[axis] = -1;
    }
    for (int64_t i = 0; i < pieces; ++i) c.add_output(c.inputs[0].type, y);
    return {};
  }
  if (int64_t(sizes->size()) != pieces) return c.fail("num_split and the number of sizes differ");
  const size_t axis = TRY(require_axis(c, *along, y.size()));
  int64_t given = 0;
  for (const int64_t size : *sizes)
    if (__builtin_add_overflow(given, std::max<int64_t>(size, 0), &given))
      return c.fail("the sizes add up to more than can be counted");
  const int64_t whole = y[axis];
  if (whole >= 0 && given > whole)
    return c.fail("the sizes add up to " + std::to_string(given) + ", the dimension is " + std::to_string(whole));
  for (const int64_t size : *sizes) {
    y[axis] = size >= 0 ? size : whole < 0 ? -1 : whole - given;
    c.add_output(c.inputs[0].type, y);
  }
  return {};
}

Status split_v(InferContext& c) {
  TRY(require_inputs(c, 3));
  return split_by(c, c.ints(1), scalar(c, 2));
}

Status split_v_d(InferContext& c) {
  TRY(require_inputs(c, 1));
  return split_by(c, ints_of(c.node, "size_splits"), int_of(c.node, "split_dim", 0));
}

constexpr InferRow rows[] = {
    {"ConcatD", concat_d}, {"ConcatV2D", concat_d}, {"Concat", concat_first}, {"ConcatV2", concat_v2},
    {"Pack", pack},        {"Unpack", unpack},      {"Split", split_first},   {"SplitD", split_d},
    {"SplitV", split_v},   {"SplitVD", split_v_d},
};

}  // namespace

std::span<const InferRow> infer_rows_join() { return rows; }

}  // namespace belay::graph
