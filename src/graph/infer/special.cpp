// SPDX-License-Identifier: Apache-2.0
// Shapes of operators that belong to no family.
#include <algorithm>

#include "base/text.h"
#include "graph/infer/arguments.h"
#include "graph/infer/einsum_plan.h"
#include "graph/infer/rows.h"

namespace belay::graph {
namespace {

Status einsum(InferContext& c) {
  TRY(require_inputs(c, 1));
  std::vector<Shape> shapes;
  for (const TensorInfo& input : c.inputs) {
    if (!rank_known(input.shape)) return c.add_output(c.inputs[0].type, {-2}), Status{};
    shapes.push_back(input.shape);
  }
  const auto plan = plan_einsum(text_of(c.node, "equation", ""), shapes);
  if (!plan.ok()) return c.fail(plan.status().message);
  c.add_output(c.inputs[0].type, (*plan).result_shape());
  return {};
}

Status determinant(InferContext& c) {
  Shape y = c.shape(0);
  if (rank_known(y)) {
    if (y.size() < 2) return c.fail("x must hold matrices");
    y.resize(y.size() - 2);
  }
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

// A row of counts for each row of the input.
Status tf_idf(InferContext& c) {
  const auto places = ints_of(c.node, "ngram_indexes");
  const int64_t width = places.empty() ? 0 : *std::max_element(places.begin(), places.end()) + 1;
  const Shape& x = c.shape(0);
  if (!rank_known(x)) return c.add_output(DataType::Float, {-2}), Status{};
  if (x.size() > 2) return c.fail("its input must have one or two dimensions");
  c.add_output(DataType::Float, x.size() == 2 ? Shape{x[0], width} : Shape{width});
  return {};
}

// What the model wants of its images was written down when the operator was put in; how many there are, the input says.
Status aipp(InferContext& c) {
  if (c.node.outputs.empty()) return c.fail("it has no description of its result");
  Shape y = c.node.outputs[0].shape;
  if (!y.empty() && rank_known(c.shape(0)) && !c.shape(0).empty()) y[0] = c.shape(0)[0];
  c.add_output(c.node.outputs[0].type, std::move(y));
  return {};
}

Status random_tensor(InferContext& c) {
  const DataType type = type_of(c.node, "dtype", DataType::Float);
  const auto shape = c.partial_ints(0);
  if (!shape) return c.add_output(type, {-2}), Status{};
  Shape y = *shape;
  for (int64_t& dim : y)
    if (dim < 0) dim = -1;
  c.add_output(type, std::move(y));
  return {};
}

Status multinomial(InferContext& c) {
  const Shape& x = c.shape(0);
  if (rank_known(x) && x.size() != 2) return c.fail("logits must be [batch, classes]");
  const auto samples = scalar(c, 1);
  c.add_output(type_of(c.node, "dtype", DataType::Int64), {rank_known(x) ? x[0] : -1, samples ? *samples : -1});
  return {};
}

Status like_x(InferContext& c) {
  c.add_output(c.inputs[0].type, c.shape(0));
  return {};
}

// As many places as the offsets have.
Status deform_conv(InferContext& c) {
  TRY(require_inputs(c, 3));
  const Shape &x = c.shape(0), &w = c.shape(1), &offset = c.shape(2);
  if (!rank_known(x) || !rank_known(w) || !rank_known(offset)) return c.add_output(c.inputs[0].type, {-2}), Status{};
  if (x.size() != 4 || w.size() != 4 || offset.size() != 4) return c.fail("x, w and offset must have 4 dimensions");
  c.add_output(c.inputs[0].type, {x[0], w[0], offset[2], offset[3]});
  return {};
}

// Each place of the offsets becomes a filter's place, or as many as ksize has taps.
Status deformable(InferContext& c) {
  const bool convolves = c.node.type == "DeformableConv2D";
  TRY(require_inputs(c, convolves ? 3 : 2));
  const Shape &x = c.shape(0), &offsets = c.shape(convolves ? 2 : 1);
  const auto kernel = ints_of(c.node, "ksize");
  if (!rank_known(x) || !rank_known(offsets) || (convolves && !rank_known(c.shape(1))))
    return c.add_output(c.inputs[0].type, {-2}), Status{};
  if (x.size() != 4 || offsets.size() != 4 || (convolves && c.shape(1).size() != 4) ||
      (!convolves && kernel.size() != 2))
    return c.fail("x, filter and offsets must have 4 dimensions, and ksize 2 numbers");
  const bool last = text_of(c.node, "data_format", "NHWC") == "NHWC";
  Shape y = offsets;
  y[last ? 3 : 1] = convolves ? c.shape(1)[last ? 3 : 0] : x[last ? 3 : 1];
  for (size_t i = 0; i < 2 && !convolves; ++i)
    if (int64_t& size = y[(last ? 1 : 2) + i]; size > 0) size *= kernel[i];
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

// The number of a row.
Status map_index(InferContext& c) {
  TRY(require_inputs(c, 2));
  c.add_output(DataType::Int32, {});
  return {};
}

// Outputs that the node itself describes; with `open` as the largest that they can become.
Status declared(InferContext& c) {
  c.data_dependent = flag_of(c.node, "open", false);
  const auto types = ints_of(c.node, "types");
  const auto shapes = get_or(c.node.attributes, "shapes", std::vector<Shape>{});
  if (types.size() != shapes.size()) return c.fail("types and shapes differ in number");
  for (size_t i = 0; i < types.size(); ++i) c.add_output(static_cast<DataType>(types[i]), shapes[i]);
  return {};
}

constexpr InferRow rows[] = {
    {"AclnnAdvanceStep", declared},
    {"AclnnAntiQuant", declared},
    {"AclnnAttention", declared},
    {"AclnnAttentionGrad", declared},
    {"AclnnAttentionUpdate", declared},
    {"AclnnAveragePoolGrad", declared},
    {"AclnnBincount", declared},
    {"AclnnBlockQuant", declared},
    {"AclnnCachedRotary", declared},
    {"AclnnCholesky", declared},
    {"AclnnCol2im", declared},
    {"AclnnComplex", declared},
    {"AclnnConvolutionGrad", declared},
    {"AclnnCross", declared},
    {"AclnnCumulative", declared},
    {"AclnnDeltaRule", declared},
    {"AclnnDequantBias", declared},
    {"AclnnDropout", declared},
    {"AclnnDynamicQuant", declared},
    {"AclnnEmbeddingGrad", declared},
    {"AclnnGate", declared},
    {"AclnnGateQuant", declared},
    {"AclnnGatherPaKvCache", declared},
    {"AclnnGridSampleGrad", declared},
    {"AclnnGroupNormGrad", declared},
    {"AclnnGroupedMatmul", declared},
    {"AclnnGroupedMatmulAdd", declared},
    {"AclnnGroupedMatmulSwigluQuant", declared},
    {"AclnnHistogram", declared},
    {"AclnnIm2col", declared},
    {"AclnnIndexedPoolGrad", declared},
    {"AclnnIndexer", declared},
    {"AclnnInt4Pack", declared},
    {"AclnnInverse", declared},
    {"AclnnKth", declared},
    {"AclnnLatentCache", declared},
    {"AclnnLowRank", declared},
    {"AclnnMap", declared},
    {"AclnnMask", declared},
    {"AclnnMasked", declared},
    {"AclnnMaskedIndex", declared},
    {"AclnnMaskedPool", declared},
    {"AclnnMaskedPoolGrad", declared},
    {"AclnnMaskedPut", declared},
    {"AclnnMaskedSelect", declared},
    {"AclnnMoeCombine", declared},
    {"AclnnMoeExpertTokens", declared},
    {"AclnnMoeGating", declared},
    {"AclnnMoeInitRouting", declared},
    {"AclnnMoePermute", declared},
    {"AclnnMoeSpread", declared},
    {"AclnnMultinomial", declared},
    {"AclnnNll", declared},
    {"AclnnNllGrad", declared},
    {"AclnnNonzero", declared},
    {"AclnnNorm", declared},
    {"AclnnNormGrad", declared},
    {"AclnnPermutation", declared},
    {"AclnnQr", declared},
    {"AclnnQuantMatmul", declared},
    {"AclnnRandom", declared},
    {"AclnnRandomIntegers", declared},
    {"AclnnReRouting", declared},
    {"AclnnRealPart", declared},
    {"AclnnRepeatEach", declared},
    {"AclnnResizeGrad", declared},
    {"AclnnRingUpdate", declared},
    {"AclnnRotary", declared},
    {"AclnnRotaryGrad", declared},
    {"AclnnRoundOff", declared},
    {"AclnnScaleWords", declared},
    {"AclnnScatterBatches", declared},
    {"AclnnScatterPaKvCache", declared},
    {"AclnnSeparable", declared},
    {"AclnnSeparableGrad", declared},
    {"AclnnSlogdet", declared},
    {"AclnnSparseAttention", declared},
    {"AclnnStaticQuant", declared},
    {"AclnnTokenFilter", declared},
    {"AclnnTokenSample", declared},
    {"AclnnTriangularSolve", declared},
    {"AclnnUnique", declared},
    {"AclnnUnscale", declared},
    {"AclnnWeightQuantMatmul", declared},
    {"Aipp", aipp},
    {"BranchRefused", declared},
    {"DeformConv", deform_conv},
    {"DeformableConv2D", deformable},
    {"DeformableOffsets", deformable},
    {"Einsum", einsum},
    {"MapIndex", map_index},
    {"MatrixDeterminant", determinant},
    {"Multinomial", multinomial},
    {"RandomStandardNormal", random_tensor},
    {"RandomUniform", random_tensor},
    {"RotaryMul", like_x},
    {"RotaryPositionEmbedding", like_x},
    {"TfIdfVectorizer", tf_idf},
};

}  // namespace

std::span<const InferRow> infer_rows_special() { return rows; }

}  // namespace belay::graph
