// SPDX-License-Identifier: Apache-2.0
// Convolutions, poolings, matrix products, normalisations, softmax.
#include <algorithm>

#include "base/text.h"
#include "graph/infer/arguments.h"
#include "graph/infer/convolution.h"
#include "graph/infer/rows.h"
#include "graph/infer/window.h"

namespace belay::graph {
namespace {

// Products of 8-bit integers are summed in 32 bits.
DataType product_type(DataType type) {
  return type == DataType::Int8 || type == DataType::UInt8 ? DataType::Int32 : type;
}

Status convolution(InferContext& c) {
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (!c.has(i) || rank_known(c.shape(i))) continue;
    const size_t rank = c.node.type.find("3D") != std::string::npos ? 5 : 4;
    c.add_output(product_type(c.inputs[i].type), Shape(rank, -1));
    return {};
  }
  const Convolution found = TRY(read_convolution(c));
  c.add_output(product_type(c.inputs[found.x].type), found.output_shape);
  return {};
}

Status pooling(InferContext& c) {
  if (!rank_known(c.shape(0))) {
    c.add_output(c.inputs[0].type, c.shape(0));
    return {};
  }
  c.add_output(c.inputs[0].type, TRY(read_pooling(c)).output_shape);
  return {};
}

// A second output counts positions inside one plane.
Status pooling_with_argmax(InferContext& c) {
  TRY(pooling(c));
  const int64_t type = get_or(c.node.attributes, "dtype", get_or(c.node.attributes, "Targmax", int64_t{3}));
  c.add_output(type == 9 ? DataType::Int64 : DataType::Int32, c.outputs[0].shape);
  return {};
}

Status global_pooling(InferContext& c) {
  Shape shape = c.shape(0);
  for (size_t d = 2; d < shape.size(); ++d) shape[d] = 1;
  c.add_output(c.inputs[0].type, std::move(shape));
  return {};
}

bool transposes(const InferContext& c, size_t side) {
  const char* names[][3] = {{"transpose_x1", "adj_x1", "transpose_a"}, {"transpose_x2", "adj_x2", "transpose_b"}};
  return std::ranges::any_of(names[side], [&](const char* n) { return get_or(c.node.attributes, n, false); });
}

// As numpy's matmul: a vector is a row on the left and a column on the right, and that dimension is gone in the result.
Status matrix_product(InferContext& c) {
  Shape a = c.shape(0), b = c.shape(1);
  const DataType type = product_type(c.inputs[0].type);
  if (!rank_known(a) || !rank_known(b)) {
    c.add_output(type, {-2});
    return {};
  }
  if (a.empty() || b.empty()) return c.fail("a scalar has no matrix product");
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  if (transposes(c, 0) && !row) std::swap(a.end()[-1], a.end()[-2]);
  if (transposes(c, 1) && !column) std::swap(b.end()[-1], b.end()[-2]);
  const int64_t left = a.back(), right = b.end()[-2];
  if (left >= 0 && right >= 0 && left != right)
    return c.fail(formatted("matrices of shapes {} and {} cannot be multiplied: {} columns meet {} rows",
                            to_text(c.shape(0)), to_text(c.shape(1)), left, right));
  auto batch = broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (!batch.ok()) return c.fail(batch.status().message);
  Shape y = *batch;
  if (!row) y.push_back(a.end()[-2]);
  if (!column) y.push_back(b.back());
  c.add_output(type, std::move(y));
  return {};
}

Status full_connection(InferContext& c) {
  const Shape& x = c.shape(0);
  const size_t axis = static_cast<size_t>(get_or(c.node.attributes, "axis", int64_t{1}));
  if (!rank_known(x) || axis >= x.size()) return c.fail("axis lies outside the input");
  Shape y(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(axis));
  y.push_back(get_or(c.node.attributes, "num_output", int64_t{-1}));
  if (axis == 1) y.insert(y.end(), {1, 1});
  c.add_output(product_type(c.inputs[0].type), std::move(y));
  return {};
}

Status like_first(InferContext& c) {
  c.add_output(c.inputs[0].type, c.shape(0));
  return {};
}

// One loss for each label, or a single one; then the sum of the weights, or the log probabilities.
Status loss(InferContext& c) {
  const bool each = get_or(c.node.attributes, "reduction", std::string("mean")) == "none";
  c.add_output(c.inputs[0].type, each ? c.shape(1) : Shape{});
  c.add_output(c.inputs[0].type, c.node.type == "NLLLoss" ? Shape{} : c.shape(0));
  return {};
}

Status softmax(InferContext& c) {
  const bool widens = get_or(c.node.attributes, "half_to_float", false);
  c.add_output(widens ? DataType::Float : c.inputs[0].type, c.shape(0));
  return {};
}

// y and five statistics of the shape of `scale`.
Status batch_norm(InferContext& c) {
  c.add_output(c.inputs[0].type, c.shape(0));
  const size_t outputs = std::max<size_t>(c.node.outputs.size(), c.node.type == "BatchNorm" ? 6 : 5);
  for (size_t i = 1; i < outputs; ++i) c.add_output(c.inputs[1].type, c.shape(1));
  return {};
}

size_t channel_axis(const InferContext& c, std::string_view fallback) {
  const std::string format = data_format_of(c.node, fallback);
  const size_t rank = c.shape(0).size();
  return format.size() > 1 && format[1] == 'C' ? 1 : rank - 1;
}

// Sums of the channels, in Float for narrow types.
Status batch_sums(InferContext& c) {
  TRY(require_inputs(c, 1));
  const Shape& x = c.shape(0);
  const DataType type = c.inputs[0].type == DataType::Double ? DataType::Double : DataType::Float;
  const Shape sums{rank_known(x) && x.size() > 1 ? x[channel_axis(c, "NCHW")] : -1};
  for (int i = 0; i < 2; ++i) c.add_output(type, sums);
  return {};
}

// The batch, and statistics of its channels.
Status batch_update(InferContext& c) {
  TRY(require_inputs(c, 7));
  c.add_output(c.inputs[0].type, c.shape(0));
  for (const size_t i : {5, 6, 5, 6}) c.add_output(c.inputs[i].type, c.shape(i));
  return {};
}

Status binary_cross_entropy(InferContext& c) {
  TRY(require_inputs(c, 2));
  c.add_output(c.inputs[0].type, text_of(c.node, "reduction", "mean") == "none" ? c.shape(0) : Shape{});
  return {};
}

// y, and mean and variance of each instance's channels.
Status instance_norm(InferContext& c) {
  c.add_output(c.inputs[0].type, c.shape(0));
  Shape kept = c.shape(0);
  if (rank_known(kept) && kept.size() >= 2) {
    const size_t channel = channel_axis(c, c.node.type == "InstanceNorm" ? "NDHWC" : "NCHW");
    for (size_t d = 1; d < kept.size(); ++d)
      if (d != channel) kept[d] = 1;
  }
  for (int i = 0; i < 2; ++i) c.add_output(c.inputs[0].type, kept);
  return {};
}

Status group_norm(InferContext& c) {
  c.add_output(c.inputs[0].type, c.shape(0));
  const int64_t groups = get_or(c.node.attributes, "num_groups", int64_t{1});
  const Shape& x = c.shape(0);
  const int64_t batch = rank_known(x) && !x.empty() ? x[0] : -1;
  // The oldest form has one number for all dimensions of each group.
  const Shape statistics = c.node.type == "GroupNorm" ? Shape{batch * groups} : Shape{batch, groups};
  for (int i = 0; i < 2; ++i) c.add_output(c.inputs[0].type, batch < 0 ? Shape(statistics.size(), -1) : statistics);
  return {};
}

// `x` with 1 for the dimensions from `first` on.
Shape kept_before(const Shape& x, int64_t first) {
  if (!rank_known(x)) return x;
  Shape kept = x;
  if (first < 0) first += static_cast<int64_t>(x.size());
  for (size_t d = static_cast<size_t>(std::max<int64_t>(first, 0)); d < kept.size(); ++d) kept[d] = 1;
  return kept;
}

// The statistics of narrow types are in float from the third version on.
DataType statistics_type(const InferContext& c) {
  return c.node.type == "LayerNorm"             ? c.inputs[0].type
         : c.inputs[0].type == DataType::Double ? DataType::Double
                                                : DataType::Float;
}

Status layer_norm(InferContext& c) {
  c.add_output(c.inputs[0].type, c.shape(0));
  int64_t first = get_or(c.node.attributes, "begin_norm_axis", int64_t{0});
  if (c.node.type == "LayerNormV4") {
    const Shape& sizes = c.shape(1);
    const auto rank = sizes.size() == 1 ? sizes[0] : 1;
    first = rank < 0 ? 0 : -rank;
  }
  for (int i = 0; i < 2; ++i) c.add_output(statistics_type(c), kept_before(c.shape(0), first));
  return {};
}

// Norms of whole rows: `gamma` has the last dimensions of x, with ones before them or not. How many those are.
Result<int64_t> normed_dimensions(const InferContext& c, size_t gamma) {
  const Shape &x = c.shape(0), &given = c.shape(gamma);
  if (!is_known(x) || !is_known(given)) return static_cast<int64_t>(given.size());
  size_t ones = 0;
  while (ones + 1 < given.size() && given[ones] == 1) ++ones;
  const Shape row(given.begin() + static_cast<std::ptrdiff_t>(ones), given.end());
  if (!row.empty() && row.size() <= x.size() && std::equal(row.rbegin(), row.rend(), x.rbegin()))
    return static_cast<int64_t>(row.size());
  return c.fail(formatted("gamma {} does not have the last dimensions of x {}", to_text(given), to_text(x)));
}

// An input that is added to rows of `length` elements, or multiplies them: all rows of x, or some that come again.
Status check_rows(const InferContext& c, size_t input, std::string_view name, int64_t length) {
  if (!c.has(input) || !is_known(c.shape(0)) || !is_known(c.shape(input))) return {};
  const int64_t all = element_count(c.shape(0)), given = element_count(c.shape(input));
  if (given > 0 && length > 0 && given % length == 0 && all % given == 0) return {};
  return c.fail(formatted("{} {} is not made of rows of x {}", name, to_text(c.shape(input)), to_text(c.shape(0))));
}

Status rms_norm(InferContext& c) {
  const int64_t normed = TRY(normed_dimensions(c, 1));
  c.add_output(c.inputs[0].type, c.shape(0));
  c.add_output(DataType::Float, kept_before(c.shape(0), -normed));
  return {};
}

// y, statistics, and the sum of x1 and x2.
Status add_norm(InferContext& c) {
  const int64_t normed = TRY(normed_dimensions(c, 2));
  if (c.inputs[0].type != c.inputs[1].type)
    return c.fail(
        formatted("x1 is {} and x2 {}; they must have one type", name_of(c.inputs[0].type), name_of(c.inputs[1].type)));
  if (is_known(c.shape(0)) && is_known(c.shape(1)) && c.shape(0) != c.shape(1))
    return c.fail(formatted("x1 {} and x2 {} must have the same shape", to_text(c.shape(0)), to_text(c.shape(1))));
  if (c.node.type == "AddLayerNorm" && is_known(c.shape(2))) {
    const int64_t length = element_count(c.shape(2));
    if (is_known(c.shape(3)) && element_count(c.shape(3)) != length)
      return c.fail(formatted("beta {} is not of the size of gamma {}", to_text(c.shape(3)), to_text(c.shape(2))));
    TRY(check_rows(c, 4, "bias", length));
  }
  c.add_output(c.inputs[0].type, c.shape(0));
  const int statistics = c.node.type == "AddLayerNorm" ? 2 : 1;
  for (int i = 0; i < statistics; ++i) c.add_output(DataType::Float, kept_before(c.shape(0), -normed));
  c.add_output(c.inputs[0].type, c.shape(0));
  return {};
}

constexpr InferRow rows[] = {
    {"AddLayerNorm", add_norm},
    {"AddRmsNorm", add_norm},
    {"AvgPool", pooling},
    {"AvgPool3D", pooling},
    {"AvgPoolV2", pooling},
    {"BNInfer", like_first},
    {"BNInference", like_first},
    {"BNInferenceD", like_first},
    {"BatchMatMul", matrix_product},
    {"BatchMatMulV2", matrix_product},
    {"BatchMatMulV3", matrix_product},
    {"BNTrainingReduce", batch_sums},
    {"BNTrainingUpdate", batch_update},
    {"BatchNorm", batch_norm},
    {"BatchNorm3D", batch_norm},
    {"BinaryCrossEntropy", binary_cross_entropy},
    {"Conv2D", convolution},
    {"Conv2DBackpropInput", convolution},
    {"Conv2DBackpropInputD", convolution},
    {"Conv2DTranspose", convolution},
    {"Conv2DTransposeD", convolution},
    {"Conv3D", convolution},
    {"Conv3DTranspose", convolution},
    {"Conv3DTransposeD", convolution},
    {"Deconvolution", convolution},
    {"DepthwiseConv2D", convolution},
    {"FullyConnection", full_connection},
    {"GEMM", matrix_product},
    {"GlobalAveragePool", global_pooling},
    {"GlobalLpPool", global_pooling},
    {"GlobalMaxPool", global_pooling},
    {"GroupNorm", group_norm},
    {"GroupNormSilu", group_norm},
    {"GroupNormSwish", group_norm},
    {"GroupNormV2", group_norm},
    {"HardMax", like_first},
    {"InstanceNorm", instance_norm},
    {"L2Normalize", like_first},
    {"LRN", like_first},
    {"LayerNorm", layer_norm},
    {"LayerNormV3", layer_norm},
    {"LayerNormV4", layer_norm},
    {"LogSoftmaxV2", like_first},
    {"NLLLoss", loss},
    {"MVN", like_first},
    {"MVNV2", like_first},
    {"MatMul", matrix_product},
    {"MatMulV2", matrix_product},
    {"MatMulV3", matrix_product},
    {"MaxPool", pooling},
    {"MaxPool3D", pooling},
    {"MaxPool3DWithArgmaxV2", pooling_with_argmax},
    {"MaxPoolExt2", pooling},
    {"MaxPoolV3", pooling},
    {"MaxPoolWithArgmaxV3", pooling_with_argmax},
    {"Pooling", pooling},
    {"RmsNorm", rms_norm},
    {"SoftmaxCrossEntropyLoss", loss},
    {"SoftmaxV2", softmax},
};

}  // namespace

std::span<const InferRow> infer_rows_nn() { return rows; }

}  // namespace belay::graph
