// SPDX-License-Identifier: Apache-2.0
// Activations, clipping and softmax.
#include <limits>

#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/numbers.h"

namespace belay::convert {
namespace {

Status with(NodeContext& c, Attributes attributes) {
  c.give(0, c.add(c.ge, c.inputs(), std::move(attributes)));
  return {};
}

Status leaky_relu(NodeContext& c) { return with(c, {{"negative_slope", c.real("alpha", 0.01f)}}); }
Status elu(NodeContext& c) { return with(c, {{"alpha", c.real("alpha", 1)}}); }
Status shrink(NodeContext& c) { return with(c, {{"lambd", c.real("lambd", 0.5f)}, {"bias", c.real("bias", 0)}}); }
Status swish(NodeContext& c) { return with(c, {{"scale", c.real("alpha", 1)}}); }
Status quick_gelu(NodeContext& c) { return with(c, {{"scale", c.real("alpha", 1.702f)}}); }
Status gelu(NodeContext& c) { return with(c, {{"approximate", c.text("approximate", "none")}}); }

Status hard_sigmoid(NodeContext& c) {
  return with(c, {{"alpha", c.real("alpha", 0.2f)}, {"beta", c.real("beta", 0.5f)}});
}

Status celu(NodeContext& c) {
  const float alpha = c.real("alpha", 1);
  return with(c, {{"alpha1", alpha}, {"alpha2", alpha}});
}

// GE's Selu has ONNX's default numbers built in; others are an Elu with a scale.
Status selu(NodeContext& c) {
  const bool old = c.opset < 6;
  const float usual_alpha = old ? 1.6732f : 1.67326319217681884765625f;
  const float usual_gamma = old ? 1.0507f : 1.05070102214813232421875f;
  const float alpha = c.real("alpha", usual_alpha), gamma = c.real("gamma", usual_gamma);
  if (!old && alpha == usual_alpha && gamma == usual_gamma) return with(c, {});
  c.give(0, c.add("Elu", c.inputs(), {{"alpha", alpha}, {"scale", gamma}}));
  return {};
}

Status thresholded_relu(NodeContext& c) {
  const Edge x = c.add("Identity", {c.in(0)});
  const Edge above = c.add("Threshold", {x}, {{"threshold", c.real("alpha", 1)}});
  c.give(0, c.add("Mul", {x, above}));
  return {};
}

// Before opset 7 a list of slopes was one for each channel, which broadcasting would take for the last dimension.
Status prelu(NodeContext& c) {
  const int rank = c.rank(size_t{0});
  Edge slope = c.in(1);
  if (c.opset < 7 && c.rank(slope) == 1 && c.shape(1) != Shape{1}) {
    if (rank < 2) return c.fail("the rank of its input must be known and 2 or more");
    std::vector<int64_t> behind;
    for (int i = 1; i < rank - 1; ++i) behind.push_back(i);
    if (!behind.empty()) slope = c.add("Unsqueeze", {slope}, {{"axes", behind}});
  }
  c.give(0, c.add("PRelu", {c.in(0), slope}));
  return {};
}

// Bounds as attributes.
Status clip_old(NodeContext& c) {
  const DataType type = c.type(0) == DataType::Undefined ? DataType::Float : c.type(0);
  const Edge low = c.scalar("data1", c.real("min", std::numeric_limits<float>::lowest()), type);
  const Edge high = c.scalar("data2", c.real("max", std::numeric_limits<float>::max()), type);
  c.give(0, c.add("ClipByValue", {c.in(0), low, high}));
  return {};
}

Status clip(NodeContext& c) {
  if (c.has(1) && c.has(2)) {
    c.give(0, c.add("ClipByValue", c.inputs()));
  } else if (c.has(1)) {
    c.give(0, c.add("Maximum", {c.in(0), c.in(1)}));
  } else if (c.has(2)) {
    c.give(0, c.add("Minimum", {c.in(0), c.in(2)}));
  } else {
    c.give(0, c.add("Identity", {c.in(0)}));
  }
  return {};
}

// Softmax over one axis.
Status softmax(NodeContext& c) { return with(c, {{"axes", std::vector<int64_t>{c.integer("axis", -1)}}}); }

// Before opset 13 the dimensions from `axis` on counted as one.
Status softmax_flat(NodeContext& c) {
  const int64_t axis = c.integer("axis", 1);
  const int rank = c.rank(size_t{0});
  if (rank < 0) return c.fail("the rank of its input is not known");
  std::vector<int64_t> axes;
  if (rank > 0)
    for (auto i = static_cast<int64_t>(TRY(c.axis_within(axis, rank))); i < rank; ++i) axes.push_back(i);
  if (axes.size() <= 1) axes = {axis};
  return with(c, {{"axes", axes}, {"need_fusion", 1}});
}

Status hardmax(NodeContext& c) { return with(c, {{"axis", c.integer("axis", -1)}}); }

// Before opset 13: hardmax of the matrix that the dimensions from `axis` on make.
Status hardmax_flat(NodeContext& c) {
  const int rank = c.rank(size_t{0});
  if (rank < 0) return c.fail("the rank of its input is not known");
  int64_t axis = c.integer("axis", 1);
  if (axis < 0) axis += rank;
  if (axis == rank - 1) return with(c, {{"axis", axis}});
  const Edge flat = c.add("Flatten", {c.in(0)}, {{"axis", axis}});
  const Edge best = c.add("HardMax", {flat}, {{"axis", 1}});
  c.give(0, c.add("Reshape", {best, c.add("Shape", {c.in(0)}, {{"dtype", static_cast<int64_t>(DataType::Int64)}})}));
  return {};
}

// com.microsoft: x plus bias, then Gelu.
Status bias_gelu(NodeContext& c) {
  const Edge x = c.has(1) ? c.add("Add", {c.in(0), c.in(1)}) : c.in(0);
  const char* form = c.node.type == "FastGelu" ? "tanh" : "none";
  c.give(0, c.add("GeluV2", {x}, {{"approximate", form}}));
  return {};
}

constexpr std::string_view microsoft = "com.microsoft";
constexpr MapRow rows[] = {
    {"BiasGelu", 1, latest, "GeluV2", bias_gelu, microsoft},
    {"Celu", 12, latest, "Celu", celu},
    {"Clip", 1, 10, "ClipByValue", clip_old},
    {"Clip", 11, latest, "ClipByValue", clip},
    {"Elu", 1, latest, "Elu", elu},
    {"FastGelu", 1, latest, "GeluV2", bias_gelu, microsoft},
    {"Gelu", 1, latest, "GeluV2", gelu, microsoft},
    {"Gelu", 20, latest, "GeluV2", gelu},
    {"HardSigmoid", 1, latest, "HardSigmoid", hard_sigmoid},
    {"HardSwish", 14, latest, "HardSwish"},
    {"Hardmax", 1, 12, "HardMax", hardmax_flat},
    {"Hardmax", 13, latest, "HardMax", hardmax},
    {"LeakyRelu", 1, latest, "LeakyRelu", leaky_relu},
    {"LogSoftmax", 1, 12, "LogSoftmaxV2", softmax_flat},
    {"LogSoftmax", 13, latest, "LogSoftmaxV2", softmax},
    {"Mish", 18, latest, "Mish"},
    {"NPUFastGelu", 1, latest, "FastGelu", nullptr, "npu"},
    {"NPUGeluV2", 1, latest, "GeluV2", gelu, "npu"},
    {"NPUMish", 1, latest, "Mish", nullptr, "npu"},
    {"PRelu", 1, latest, "PRelu", prelu},
    {"QuickGelu", 1, latest, "Swish", quick_gelu, microsoft},
    {"Relu", 1, latest, "Relu"},
    {"Selu", 1, latest, "Selu", selu},
    {"Shrink", 9, latest, "Shrink", shrink},
    {"Sigmoid", 1, latest, "Sigmoid"},
    {"Softmax", 1, 12, "SoftmaxV2", softmax_flat},
    {"Softmax", 13, latest, "SoftmaxV2", softmax},
    {"Softplus", 1, latest, "Softplus"},
    {"Softsign", 1, latest, "Softsign"},
    {"Swish", 24, latest, "Swish", swish},
    {"Tanh", 1, latest, "Tanh"},
    {"ThresholdedRelu", 10, latest, "Threshold", thresholded_relu},
};

}  // namespace

std::span<const MapRow> map_rows_activation() { return rows; }

}  // namespace belay::convert
