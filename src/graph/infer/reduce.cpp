// SPDX-License-Identifier: Apache-2.0
// Operators that combine the elements along axes, and those that accumulate along one.
#include "graph/infer/arguments.h"
#include "graph/infer/rows.h"
#include "graph/model/schema.h"

namespace belay::graph {
namespace {

bool keeps_dims(const Node& node) { return flag_of(node, "keep_dims", false) || flag_of(node, "keepdim", false); }

// Whether no axes mean no reduction rather than a whole one.
bool empty_keeps(const Node& node) {
  const Schema* schema = find_schema(node.type);
  const AttributeSchema* declared = schema ? schema->attribute("noop_with_empty_axes") : nullptr;
  return flag_of(node, "noop_with_empty_axes", declared && std::get<bool>(declared->fallback));
}

Result<Shape> reduced(const InferContext& c, const std::vector<int64_t>& axes) {
  const Shape& x = c.shape(0);
  if (!rank_known(x)) return x;
  if (axes.empty() && empty_keeps(c.node)) return x;
  std::vector<bool> gone(x.size(), axes.empty());
  for (const int64_t axis : axes)
    if (!x.empty() || (axis != 0 && axis != -1)) gone[TRY(require_axis(c, axis, x.size()))] = true;
  const bool keep = keeps_dims(c.node);
  Shape y;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!gone[i]) y.push_back(x[i]);
    if (gone[i] && keep) y.push_back(1);
  }
  return y;
}

Status reduce(InferContext& c) {
  const auto axes = c.ints(1);
  if (axes) {
    c.add_output(c.inputs[0].type, TRY(reduced(c, *axes)));
  } else {
    const bool rank_stays = rank_known(c.shape(0)) && keeps_dims(c.node);
    c.add_output(c.inputs[0].type, rank_stays ? Shape(c.shape(0).size(), -1) : Shape{-2});
  }
  return {};
}

Status reduce_d(InferContext& c) {
  c.add_output(c.inputs[0].type, TRY(reduced(c, ints_of(c.node, "axes"))));
  return {};
}

Status square_sum(InferContext& c) {
  c.add_output(c.inputs[0].type, TRY(reduced(c, ints_of(c.node, "axis"))));
  return {};
}

// Two results of one shape: mean and variance, deviation and mean.
Status moments(InferContext& c) {
  const char* axes = c.node.type == "ReduceMeanVariance" ? "axes" : "dim";
  Shape y = TRY(reduced(c, ints_of(c.node, axes)));
  c.add_output(c.inputs[0].type, y);
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Result<Shape> without_axis(const InferContext& c, std::optional<int64_t> axis) {
  const Shape& x = c.shape(0);
  if (!rank_known(x)) return x;
  if (x.empty()) return x;
  if (!axis) return Shape(x.size() - 1, -1);
  Shape y = x;
  const size_t at = TRY(require_axis(c, *axis, x.size()));
  if (keeps_dims(c.node))
    y[at] = 1;
  else
    y.erase(y.begin() + static_cast<int64_t>(at));
  return y;
}

Status arg(InferContext& c) {
  c.add_output(type_of(c.node, "dtype", DataType::Int64), TRY(without_axis(c, scalar(c, 1))));
  return {};
}

Status arg_d(InferContext& c) {
  c.add_output(type_of(c.node, "dtype", DataType::Int64), TRY(without_axis(c, int_of(c.node, "dimension", 0))));
  return {};
}

Status arg_with_value(InferContext& c) {
  Shape y = TRY(without_axis(c, int_of(c.node, "dimension", 0)));
  c.add_output(type_of(c.node, "indice_dtype", DataType::Int32), y);
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status accumulate(InferContext& c) {
  c.add_output(c.inputs[0].type, c.shape(0));
  return {};
}

Status accumulate_with_index(InferContext& c) {
  c.add_output(c.inputs[0].type, c.shape(0));
  c.add_output(DataType::Int64, c.shape(0));
  return {};
}

Status whole(InferContext& c) {
  c.add_output(c.inputs[0].type, {});
  return {};
}

// clang-format off
constexpr InferRow kRows[] = {
    {"ReduceAll", reduce}, {"ReduceAny", reduce}, {"ReduceLogSum", reduce}, {"ReduceLogSumExp", reduce},
    {"ReduceMax", reduce}, {"ReduceMean", reduce}, {"ReduceMin", reduce}, {"ReduceNansum", reduce},
    {"ReduceProd", reduce}, {"ReduceSum", reduce}, {"EuclideanNorm", reduce},
    {"ReduceAllD", reduce_d}, {"ReduceAnyD", reduce_d}, {"ReduceMaxD", reduce_d}, {"ReduceMeanD", reduce_d},
    {"ReduceMinD", reduce_d}, {"ReduceProdD", reduce_d}, {"ReduceSumD", reduce_d}, {"EuclideanNormD", reduce_d},
    {"LpNorm", reduce_d}, {"LpNormV2", reduce_d}, {"LpNormReduce", reduce_d}, {"LpNormReduceV2", reduce_d},
    {"SquareSumV1", square_sum}, {"ReduceMeanVariance", moments}, {"ReduceStd", moments}, {"ReduceStdV2", moments},
    {"ReduceVar", moments}, {"L2Loss", whole},
    {"ArgMaxV2", arg}, {"ArgMin", arg}, {"ArgMaxD", arg_d}, {"ArgMinD", arg_d},
    {"ArgMaxWithValue", arg_with_value}, {"ArgMinWithValue", arg_with_value},
    {"Cumsum", accumulate}, {"CumsumD", accumulate}, {"Cumprod", accumulate}, {"CumprodD", accumulate},
    {"CumulativeLogsumexp", accumulate}, {"CumulativeLogsumexpD", accumulate},
    {"Cummax", accumulate_with_index}, {"Cummin", accumulate_with_index},
};
// clang-format on

}  // namespace

std::span<const InferRow> infer_rows_reduce() { return kRows; }

}  // namespace belay::graph
