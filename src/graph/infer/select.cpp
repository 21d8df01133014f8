// SPDX-License-Identifier: Apache-2.0
// Shapes of what orders or picks elements by their values, and of matrices made from diagonals.
#include <algorithm>

#include "graph/infer/arguments.h"
#include "graph/infer/rows.h"

namespace belay::graph {
namespace {

Status top_k(InferContext& c, std::optional<int64_t> k) {
  Shape y = c.shape(0);
  if (rank_known(y)) {
    if (y.empty()) return c.fail("x must have a dimension");
    const size_t axis = TRY(require_axis(c, int_of(c.node, "dim", -1), y.size()));
    if (k && *k < 0) return c.fail("k is negative");
    if (k && y[axis] >= 0 && *k > y[axis])
      return c.fail("k is " + std::to_string(*k) + ", the dimension has " + std::to_string(y[axis]) + " elements");
    y[axis] = k.value_or(-1);
  }
  c.add_output(c.inputs[0].type, y);
  c.add_output(type_of(c.node, "indices_dtype", DataType::Int32), y);
  return {};
}

Status top_k_plain(InferContext& c) {
  TRY(require_inputs(c, 2));
  return top_k(c, scalar(c, 1));
}

Status top_k_d(InferContext& c) {
  TRY(require_inputs(c, 1));
  return top_k(c, int_of(c.node, "k", 0));
}

Status sort(InferContext& c) {
  TRY(require_inputs(c, 1));
  c.add_output(c.inputs[0].type, c.shape(0));
  c.add_output(type_of(c.node, "y2_dtype", DataType::Int32), c.shape(0));
  return {};
}

// One row of coordinates for each element that is not zero.
Status coordinates(InferContext& c, DataType type, bool transpose) {
  TRY(require_inputs(c, 1));
  c.data_dependent = true;
  c.bounds = {{0, transpose ? 1 : 0}};
  if (!rank_known(c.shape(0))) {
    c.add_output(type, {-1, -1});
    return {};
  }
  const auto rank = int64_t(c.shape(0).size());
  const int64_t most = element_count(c.shape(0));
  c.add_output(type, transpose ? Shape{rank, most} : Shape{most, rank});
  return {};
}

Status non_zero(InferContext& c) {
  return coordinates(c, type_of(c.node, "dtype", DataType::Int64), flag_of(c.node, "transpose", false));
}

Status where(InferContext& c) { return coordinates(c, DataType::Int64, false); }

Status masked_select(InferContext& c) {
  TRY(require_inputs(c, 2));
  c.data_dependent = true;
  auto both = broadcast(c.shape(0), c.shape(1));
  if (!both.ok()) return c.fail(both.status().message);
  c.add_output(c.inputs[0].type, {rank_known(*both) ? element_count(*both) : -1});
  return {};
}

int64_t count_of(const Shape& shape) { return rank_known(shape) ? element_count(shape) : -1; }

// Values, for each element the place of its value, and how often each occurs.
Status unique(InferContext& c) {
  TRY(require_inputs(c, 1));
  c.data_dependent = true;
  c.bounds = {{0, 0}, {2, 0}};
  const int64_t most = count_of(c.shape(0));
  const auto index =
      type_of(c.node, "out_idx", c.node.type == "UniqueWithCountsAndSorting" ? DataType::Int64 : DataType::Int32);
  c.add_output(c.inputs[0].type, {most});
  c.add_output(index, c.node.type == "UniqueWithCountsAndSorting" ? c.shape(0) : Shape{most});
  if (c.node.type != "Unique")
    c.add_output(index, {most});
  else
    c.bounds = {{0, 0}};
  return {};
}

// Slices along an axis: values, first places, counts, and for each slice the place of its value.
Status unique_along(InferContext& c) {
  TRY(require_inputs(c, 1));
  c.data_dependent = true;
  Shape y = c.shape(0);
  const auto index = type_of(c.node, "out_idx", DataType::Int64);
  int64_t slices = count_of(y);
  const auto axis = c.has(1) ? c.ints(1) : std::vector<int64_t>{};
  if (!axis || (!axis->empty() && !rank_known(y))) {
    y = {-2};
    slices = -1;
  } else if (axis->empty()) {
    y = {slices};
    c.bounds = {{0, 0}, {1, 0}, {2, 0}};
  } else {
    const size_t along = TRY(require_axis(c, axis->front(), y.size()));
    slices = y[along];
    c.bounds = {{0, along}, {1, 0}, {2, 0}};
  }
  c.add_output(c.inputs[0].type, std::move(y));
  for (int i = 0; i < 3; ++i) c.add_output(index, {slices});
  return {};
}

Status matrix_diag(InferContext& c) {
  TRY(require_inputs(c, 1));
  Shape y = c.shape(0);
  if (rank_known(y)) {
    if (y.empty()) return c.fail("x must have a dimension");
    y.push_back(y.back());
  }
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

// diagonal, k (one diagonal or the first and last of a band), rows, columns, padding.
Status matrix_diag_v2(InferContext& c) {
  TRY(require_inputs(c, 5));
  const auto k = c.ints(1), rows_wanted = c.ints(2), columns_wanted = c.ints(3);
  if (!rank_known(c.shape(0)) || !k || !rows_wanted || !columns_wanted || k->empty() || rows_wanted->empty() ||
      columns_wanted->empty()) {
    c.add_output(c.inputs[0].type, {-2});
    return {};
  }
  const Shape& x = c.shape(0);
  const int64_t low = k->front(), high = k->back();
  const bool band = low != high;
  if (low > high) return c.fail("k's first diagonal is above its last");
  if (x.size() < (band ? 2u : 1u)) return c.fail("diagonal has too few dimensions");
  const int64_t longest = x.back();
  // The smallest matrix that holds the longest diagonal.
  int64_t height = rows_wanted->front(), width = columns_wanted->front();
  const int64_t least_height = longest - std::min<int64_t>(high, 0), least_width = longest + std::max<int64_t>(low, 0);
  if (height == -1 && width == -1) height = width = std::max(least_height, least_width);
  if (height == -1) height = least_height;
  if (width == -1) width = least_width;
  Shape y(x.begin(), x.end() - (band ? 2 : 1));
  y.push_back(height);
  y.push_back(width);
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status eye(InferContext& c) {
  Shape y = ints_of(c.node, "batch_shape");
  const int64_t height = int_of(c.node, "num_rows", 0), width = int_of(c.node, "num_columns", 0);
  y.push_back(height);
  y.push_back(width > 0 ? width : height);
  c.add_output(type_of(c.node, "dtype", DataType::Float), std::move(y));
  return {};
}

// [n, c * kernel, positions] to [n, c, output_size...].
Status col2im(InferContext& c) {
  TRY(require_inputs(c, 3));
  const auto size = c.ints(1), kernel = c.ints(2);
  const Shape& x = c.shape(0);
  if (!size || !kernel || !rank_known(x)) {
    c.add_output(c.inputs[0].type, {-2});
    return {};
  }
  if (x.size() != 3 && x.size() != 4) return c.fail("x must have 3 or 4 dimensions");
  int64_t window = 1;
  for (const int64_t k : *kernel) window *= k;
  if (window < 1 || (x.size() == 3 && x[1] >= 0 && x[1] % window))
    return c.fail("the kernel does not divide dimension 1");
  Shape y{x[0], x.size() == 4 || x[1] < 0 ? x[1] : x[1] / window};
  y.insert(y.end(), size->begin(), size->end());
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status search_sorted(InferContext& c) {
  TRY(require_inputs(c, 2));
  c.add_output(type_of(c.node, "dtype", DataType::Int64), c.shape(1));
  return {};
}

constexpr InferRow rows[] = {
    {"TopK", top_k_plain},
    {"TopKV2", top_k_plain},
    {"TopKV2D", top_k_plain},
    {"TopKD", top_k_d},
    {"Sort", sort},
    {"NonZero", non_zero},
    {"Where", where},
    {"MaskedSelect", masked_select},
    {"MaskedSelectV2", masked_select},
    {"Unique", unique},
    {"UniqueWithCounts", unique},
    {"UniqueWithCountsAndSorting", unique},
    {"UniqueWithCountsExt2", unique_along},
    {"MatrixDiag", matrix_diag},
    {"MatrixDiagV2", matrix_diag_v2},
    {"MatrixDiagV3", matrix_diag_v2},
    {"Eye", eye},
    {"Col2ImV2", col2im},
    {"SearchSorted", search_sorted},
};

}  // namespace

std::span<const InferRow> infer_rows_select() { return rows; }

}  // namespace belay::graph
