// SPDX-License-Identifier: Apache-2.0
// Shapes of operators that work together with other ranks. Where ranks count differently, elements are counted and the
// result is a row of them.
#include <algorithm>

#include "base/text.h"
#include "graph/infer/arguments.h"
#include "graph/infer/rows.h"

namespace belay::graph {
namespace {

Status like_inputs(InferContext& c) {
  for (const TensorInfo& input : c.inputs) c.add_output(input.type, input.shape);
  return {};
}

Result<int64_t> rank_size(const InferContext& c) {
  const int64_t size = int_of(c.node, "rank_size", 0);
  if (size < 1) return c.fail(formatted("rank_size is {}; it must say how many ranks the group has", size));
  return size;
}

Status need_a_dimension(const InferContext& c) {
  return c.shape(0).empty() ? c.fail("x is a scalar; it must have a dimension to divide among the ranks") : Status{};
}

Status all_gather(InferContext& c) {
  const int64_t size = TRY(rank_size(c));
  TRY(need_a_dimension(c));
  Shape y = c.shape(0);
  if (rank_known(y) && y[0] >= 0) y[0] *= size;
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status divided(const InferContext& c, const Shape& x, int64_t size) {
  if (!rank_known(x) || x[0] < 0 || x[0] % size == 0) return {};
  return c.fail(formatted("dimension 0 of x is {}, which {} ranks cannot share evenly", x[0], size));
}

Status reduce_scatter(InferContext& c) {
  const int64_t size = TRY(rank_size(c));
  TRY(need_a_dimension(c));
  Shape y = c.shape(0);
  TRY(divided(c, y, size));
  if (rank_known(y) && y[0] >= 0) y[0] /= size;
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status all_to_all(InferContext& c) {
  TRY(need_a_dimension(c));
  if (const int64_t size = int_of(c.node, "rank_size", 0); size > 0) TRY(divided(c, c.shape(0), size));
  return like_inputs(c);
}

// A row of elements, up to where the last of the parts ends; -1 while the counts are not known.
Status row_of_parts(InferContext& c, size_t counts, size_t displacements) {
  const auto count = c.ints(counts), offset = c.ints(displacements);
  int64_t end = -1, packed = 0;
  if (count && (offset || !c.has(displacements))) {
    if (offset && offset->size() != count->size())
      return c.fail(formatted("there are {} counts and {} displacements", count->size(), offset->size()));
    end = 0;
    for (size_t i = 0; i < count->size(); ++i) {
      const int64_t begin = offset ? (*offset)[i] : packed;
      if ((*count)[i] < 0 || begin < 0 || begin > INT64_MAX - (*count)[i])
        return c.fail(formatted("part {} begins at {} and has {} elements", i, begin, (*count)[i]));
      if ((*count)[i] > 0) end = std::max(end, begin + (*count)[i]);
      packed = begin + (*count)[i];
    }
  }
  c.add_output(c.inputs[0].type, {end});
  return {};
}

Status all_to_all_v(InferContext& c) { return row_of_parts(c, 3, 4); }
Status all_gather_v(InferContext& c) { return row_of_parts(c, 2, 3); }

// As many elements as the column of this rank says.
Status all_to_all_vc(InferContext& c) {
  const auto matrix = c.ints(1);
  if (!matrix) return c.add_output(c.inputs[0].type, {-1}), Status{};
  const int64_t rank = int_of(c.node, "rank", 0);
  const Shape& shape = c.shape(1);
  if (shape.size() != 2 || shape[0] != shape[1])
    return c.fail(formatted("send_count_matrix has the shape {}; it must be square", to_text(shape)));
  if (rank < 0 || rank >= shape[0])
    return c.fail(formatted("rank is {}, and send_count_matrix is for {} ranks", rank, shape[0]));
  int64_t sum = 0;
  for (int64_t from = 0; from < shape[0]; ++from) {
    const int64_t count = (*matrix)[static_cast<size_t>(from * shape[0] + rank)];
    if (count < 0 || sum > INT64_MAX - count) return c.fail(formatted("{} elements from rank {}", count, from));
    sum += count;
  }
  c.add_output(c.inputs[0].type, {sum});
  return {};
}

Status reduce_scatter_v(InferContext& c) {
  const auto count = scalar(c, 1);
  if (count && *count < 0) return c.fail(formatted("recv_count is {}", *count));
  c.add_output(c.inputs[0].type, {count ? *count : -1});
  return {};
}

Status send(InferContext&) { return {}; }

Status receive(InferContext& c) {
  const DataType type = type_of(c.node, "dtype", DataType::Undefined);
  if (type == DataType::Undefined) return c.fail("dtype must say what is received");
  Shape y = ints_of(c.node, "shape");
  if (std::ranges::any_of(y, [](int64_t dim) { return dim < 0; }))
    return c.fail(formatted("shape is {}; a receiver must know it", to_text(y)));
  c.add_output(type, std::move(y));
  return {};
}

constexpr InferRow rows[] = {
    {"HcomAllReduce", like_inputs},
    {"HcomReduce", like_inputs},
    {"HcomBroadcast", like_inputs},
    {"HcomAllGather", all_gather},
    {"HcomAllGatherV", all_gather_v},
    {"HcomReduceScatter", reduce_scatter},
    {"HcomReduceScatterV", reduce_scatter_v},
    {"HcomAllToAll", all_to_all},
    {"HcomAllToAllV", all_to_all_v},
    {"HcomAllToAllVC", all_to_all_vc},
    {"HcomSend", send},
    {"HcomReceive", receive},
};

}  // namespace

std::span<const InferRow> infer_rows_collective() { return rows; }

}  // namespace belay::graph
