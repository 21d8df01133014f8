// SPDX-License-Identifier: Apache-2.0
// Reductions, arg reductions, sums along an axis, sorting.
#include <numeric>

#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/numbers.h"

namespace belay::convert {
namespace {

bool keep_dims(const NodeContext& c) { return c.integer("keepdims", 1) != 0; }

Attributes reduce_attributes(const NodeContext& c) {
  return {{"keep_dims", keep_dims(c)}, {"noop_with_empty_axes", c.integer("noop_with_empty_axes", 0) != 0}};
}

// The axes of an attribute; all of them when it is left out and the rank is known, else none, which means all.
std::vector<int64_t> attribute_axes(const NodeContext& c) {
  std::vector<int64_t> axes = c.integers("axes");
  const int rank = c.rank(size_t{0});
  if (axes.empty() && rank > 0 && c.integer("noop_with_empty_axes", 0) == 0) {
    axes.resize(static_cast<size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
  }
  return axes;
}

Edge reduced(NodeContext& c, const char* suffix, std::string_view type) {
  const Edge axes = c.has(1) ? c.in(1) : c.int_constant("data1", attribute_axes(c));
  return c.add({type, suffix}, {c.in(0), axes}, reduce_attributes(c));
}

// The largest of truths is whether any holds, the smallest whether all do.
Status reduce_truths(NodeContext& c) {
  const bool noop = c.integer("noop_with_empty_axes", 0) != 0;
  const Edge axes = c.has(1) ? c.in(1) : c.int_constant("data1", attribute_axes(c));
  const auto known = c.info(axes).value ? read_ints(*c.info(axes).value) : std::nullopt;
  if (noop && !known) return c.fail("with noop_with_empty_axes, axes must be constant");
  if (noop && known->empty()) return c.give(0, c.add("Identity", {c.in(0)})), Status{};
  c.give(0, c.add(c.ge == "ReduceMax" ? "ReduceAny" : "ReduceAll", {c.in(0), axes}, {{"keep_dims", keep_dims(c)}}));
  return {};
}

Status reduce_extreme(NodeContext& c) {
  if (c.type(0) == DataType::Bool) return reduce_truths(c);
  c.give(0, reduced(c, std::string(c.ge).c_str(), c.ge));
  return {};
}

Status reduce(NodeContext& c) {
  c.give(0, reduced(c, std::string(c.ge).c_str(), c.ge));
  return {};
}

Status reduce_log_sum(NodeContext& c) {
  c.give(0, c.add("Log", {reduced(c, "ReduceSum", "ReduceSum")}));
  return {};
}

// For operators whose axes are an attribute in GE.
Result<std::vector<int64_t>> constant_axes(const NodeContext& c) {
  if (!c.has(1)) return attribute_axes(c);
  const auto axes = c.ints(1);
  if (!axes) return c.fail("axes must be constant");
  if (!axes->empty() || c.integer("noop_with_empty_axes", 0) != 0) return *axes;
  return attribute_axes(c);
}

bool keeps_all(const NodeContext& c, const std::vector<int64_t>& axes) {
  return axes.empty() && c.integer("noop_with_empty_axes", 0) != 0;
}

// The sum of |x| or x * x along axes that are known only when it runs.
Status norm_at_run_time(NodeContext& c) {
  const bool absolute = c.node.type == "ReduceL1";
  const Edge terms = c.add(absolute ? "Abs" : "Square", {c.in(0)});
  const Edge sum = c.add("ReduceSum", {terms, c.in(1)}, reduce_attributes(c));
  c.give(0, c.node.type == "ReduceL2" ? c.add("Sqrt", {sum}) : sum);
  return {};
}

Status reduce_norm(NodeContext& c) {
  if (c.has(1) && !c.ints(1)) return norm_at_run_time(c);
  const auto axes = TRY(constant_axes(c));
  if (keeps_all(c, axes)) {
    c.give(0, c.add(c.node.type == "ReduceSumSquare" ? "Square" : "Abs", {c.in(0)}));
    return {};
  }
  if (c.node.type == "ReduceSumSquare") {
    c.give(0, c.add("SquareSumV1", {c.in(0)}, {{"axis", axes}, {"keep_dims", keep_dims(c)}}));
    return {};
  }
  if (c.node.type == "ReduceL1" && (c.type(0) == DataType::Int32 || c.type(0) == DataType::Int64)) {  // exactly
    c.give(0,
           c.add("ReduceSum", {c.add("Abs", {c.in(0)}), c.int_constant("data1", axes)}, {{"keep_dims", keep_dims(c)}}));
    return {};
  }
  const float p = c.node.type == "ReduceL1" ? 1 : 2;
  c.give(0, c.add("LpNormV2", {c.in(0)}, {{"p", p}, {"axes", axes}, {"keepdim", keep_dims(c)}}));
  return {};
}

// The last of equal elements is the first of the reversed ones.
Status arg(NodeContext& c) {
  const int64_t axis = c.integer("axis", 0);
  const bool last = c.integer("select_last_index", 0) != 0;
  const Edge dimension = c.int_scalar("Const_0", axis, DataType::Int32);
  Edge x = c.in(0);
  int64_t length = -1;
  if (last) {
    const int rank = c.rank(size_t{0});
    if (rank > 0) length = c.shape(0)[TRY(c.axis_within(axis, rank))];
    if (length < 0) return c.fail("select_last_index needs a known size of the axis");
    x = c.add("ReverseV2", {x, c.int_constant("ReverseAxis", {axis}, DataType::Int32)});
  }
  Edge result = c.add(c.ge, {x, dimension}, {{"dtype", DataType::Int64}});
  if (last) result = c.add("Sub", {c.int_scalar("Last", length - 1), result});
  if (keep_dims(c)) result = c.add("ExpandDims", {result, c.int_scalar("Const_1", axis)});
  c.give(0, result);
  return {};
}

Attributes top_k_attributes(const NodeContext& c) {
  return {{"sorted", c.integer("sorted", 1) != 0},
          {"dim", c.integer("axis", -1)},
          {"largest", c.integer("largest", 1) != 0},
          {"indices_dtype", static_cast<int64_t>(DataType::Int64)}};
}

Status top_k_old(NodeContext& c) {
  const Edge k = c.int_scalar("Const", c.integer("k", 1), DataType::Int32);
  c.give_all(c.add("TopK", {c.in(0), k}, top_k_attributes(c)));
  return {};
}

Status top_k(NodeContext& c) {
  c.give_all(c.add("TopK", c.inputs(), top_k_attributes(c)));
  return {};
}

Status cumulative(NodeContext& c) {
  c.give(0, c.add(c.ge, c.inputs(),
                  {{"exclusive", c.integer("exclusive", 0) != 0}, {"reverse", c.integer("reverse", 0) != 0}}));
  return {};
}

Status non_zero(NodeContext& c) {
  c.give(0, c.add("NonZero", c.inputs(), {{"transpose", true}, {"dtype", DataType::Int64}}));
  return {};
}

constexpr MapRow rows[] = {
    {"ArgMax", 1, latest, "ArgMaxV2", arg},
    {"ArgMin", 1, latest, "ArgMin", arg},
    {"CumProd", 24, latest, "Cumprod", cumulative},
    {"CumSum", 11, latest, "Cumsum", cumulative},
    {"NonZero", 9, latest, "NonZero", non_zero},
    {"ReduceL1", 1, latest, "LpNormV2", reduce_norm},
    {"ReduceL2", 1, latest, "LpNormV2", reduce_norm},
    {"ReduceLogSum", 1, latest, "ReduceSum", reduce_log_sum},
    {"ReduceLogSumExp", 1, latest, "ReduceLogSumExp", reduce},
    {"ReduceMax", 1, latest, "ReduceMax", reduce_extreme},
    {"ReduceMean", 1, latest, "ReduceMean", reduce},
    {"ReduceMin", 1, latest, "ReduceMin", reduce_extreme},
    {"ReduceProd", 1, latest, "ReduceProd", reduce},
    {"ReduceSum", 1, latest, "ReduceSum", reduce},
    {"ReduceSumSquare", 1, latest, "SquareSumV1", reduce_norm},
    {"TopK", 1, 9, "TopK", top_k_old},
    {"TopK", 10, latest, "TopK", top_k},
};

}  // namespace

std::span<const MapRow> map_rows_reduce() { return rows; }

}  // namespace belay::convert
