// SPDX-License-Identifier: Apache-2.0
// Shapes of what picks elements by index, and of what puts them there.
#include "graph/infer/arguments.h"
#include "graph/infer/rows.h"

namespace belay::graph {
namespace {

Status unknown_rank(InferContext& c, DataType type) {
  c.add_output(type, {-2});
  return {};
}

// x[..., indices, ...] along `axis`; the first batch_dims dimensions go together.
Status gather_along(InferContext& c, std::optional<int64_t> axis) {
  const auto &x = c.shape(0), &indices = c.shape(1);
  if (!rank_known(x) || !rank_known(indices)) return unknown_rank(c, c.inputs[0].type);
  const auto batch = axis_within(int_of(c.node, "batch_dims", 0), indices.size() + 1);
  if (!batch) return c.fail("batch_dims is outside the rank of the indices");
  if (!axis) return unknown_rank(c, c.inputs[0].type);
  const size_t along = TRY(require_axis(c, *axis, x.size()));
  if (*batch > along) return c.fail("batch_dims is beyond the axis");
  Shape y(x.begin(), x.begin() + int64_t(along));
  y.insert(y.end(), indices.begin() + int64_t(*batch), indices.end());
  y.insert(y.end(), x.begin() + int64_t(along) + 1, x.end());
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status gather_v2(InferContext& c) {
  TRY(require_inputs(c, 3));
  return gather_along(c, scalar(c, 2));
}

Status gather_v2_d(InferContext& c) {
  TRY(require_inputs(c, 2));
  return gather_along(c, int_of(c.node, "axis", 0));
}

Status gather(InferContext& c) {
  TRY(require_inputs(c, 2));
  return gather_along(c, int_of(c.node, "batch_dims", 0));
}

Status gather_elements(InferContext& c) {
  TRY(require_inputs(c, 2));
  if (rank_known(c.shape(0)) && rank_known(c.shape(1))) {
    if (c.shape(0).size() != c.shape(1).size()) return c.fail("x and index differ in rank");
    TRY(require_axis(c, int_of(c.node, "dim", 0), c.shape(0).size()));
  }
  c.add_output(c.inputs[0].type, c.shape(1));
  return {};
}

Status gather_nd(InferContext& c) {
  TRY(require_inputs(c, 2));
  const auto &x = c.shape(0), &indices = c.shape(1);
  if (!rank_known(x) || !rank_known(indices)) return unknown_rank(c, c.inputs[0].type);
  if (indices.empty()) return c.fail("indices must have a dimension");
  const int64_t batch = int_of(c.node, "batch_dims", 0), depth = indices.back();
  if (depth < 0) return unknown_rank(c, c.inputs[0].type);
  if (batch < 0 || batch >= int64_t(indices.size()) || batch + depth > int64_t(x.size()))
    return c.fail("indices of length " + std::to_string(depth) + " do not fit a tensor of rank " +
                  std::to_string(x.size()));
  Shape y(indices.begin(), indices.end() - 1);
  y.insert(y.end(), x.begin() + batch + depth, x.end());
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

// The result looks like the tensor that is written into.
Status like_first(InferContext& c) {
  TRY(require_inputs(c, 3));
  c.add_output(c.inputs[0].type, c.shape(0));
  return {};
}

Status scatter_elements(InferContext& c) {
  TRY(require_inputs(c, 3));
  const auto &data = c.shape(0), &indices = c.shape(1), &updates = c.shape(2);
  if (rank_known(data) && rank_known(indices) && rank_known(updates)) {
    if (data.size() != indices.size() || indices.size() != updates.size())
      return c.fail("data, indices and updates differ in rank");
    TRY(require_axis(c, int_of(c.node, "axis", 0), data.size()));
  }
  return like_first(c);
}

Status scatter_nd(InferContext& c) {
  TRY(require_inputs(c, 3));
  if (const auto shape = c.ints(2))
    c.add_output(c.inputs[1].type, *shape);
  else if (rank_known(c.shape(2)) && c.shape(2).size() == 1 && c.shape(2)[0] >= 0)
    c.add_output(c.inputs[1].type, Shape(size_t(c.shape(2)[0]), -1));
  else
    c.add_output(c.inputs[1].type, {-2});
  return {};
}

Status one_hot(InferContext& c, std::optional<int64_t> depth, DataType type) {
  if (!rank_known(c.shape(0))) return unknown_rank(c, type);
  Shape y = c.shape(0);
  const size_t axis = TRY(require_axis(c, int_of(c.node, "axis", -1), y.size() + 1));
  y.insert(y.begin() + int64_t(axis), depth.value_or(-1));
  c.add_output(type, std::move(y));
  return {};
}

Status one_hot_plain(InferContext& c) {
  TRY(require_inputs(c, 4));
  return one_hot(c, scalar(c, 1), c.inputs[2].type);
}

Status one_hot_d(InferContext& c) {
  TRY(require_inputs(c, 3));
  return one_hot(c, int_of(c.node, "depth", 0), c.inputs[1].type);
}

constexpr InferRow rows[] = {
    {"GatherV2", gather_v2},
    {"GatherV2D", gather_v2_d},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherNd", gather_nd},
    {"ScatterElements", scatter_elements},
    {"TensorScatterUpdate", like_first},
    {"TensorScatterAdd", like_first},
    {"TensorScatterSub", like_first},
    {"TensorScatterMul", like_first},
    {"TensorScatterMax", like_first},
    {"TensorScatterMin", like_first},
    {"ScatterNdUpdate", like_first},
    {"ScatterNdAdd", like_first},
    {"ScatterNdSub", like_first},
    {"ScatterNdMul", like_first},
    {"ScatterNdMax", like_first},
    {"ScatterNdMin", like_first},
    {"ScatterUpdate", like_first},
    {"ScatterAdd", like_first},
    {"ScatterSub", like_first},
    {"ScatterMul", like_first},
    {"ScatterMax", like_first},
    {"ScatterMin", like_first},
    {"ScatterNd", scatter_nd},
    {"OneHot", one_hot_plain},
    {"OneHotD", one_hot_d},
};

}  // namespace

std::span<const InferRow> infer_rows_gather() { return rows; }

}  // namespace belay::graph
