// SPDX-License-Identifier: Apache-2.0
// Normalisation.
#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/numbers.h"

namespace belay::convert {
namespace {

Status batch_norm(NodeContext& c) {
  const bool training = c.opset < 7 ? c.integer("is_test", 0) == 0 : c.integer("training_mode", 0) == 1;
  if (training) return c.fail("it is in training mode");
  if (c.opset < 9 && c.integer("spatial", 1) == 0) return c.fail("spatial = 0 is not supported");
  for (size_t i = 1; i < c.output_count(); ++i)
    if (c.wanted(i)) return c.fail("it gives running statistics, which only training needs");
  c.give(0, c.add("BatchNorm", c.inputs(),
                  {{"epsilon", c.real("epsilon", 1e-5f)}, {"data_format", "NCHW"}, {"is_training", false}}));
  return {};
}

Status instance_norm(NodeContext& c) {
  c.give(0, c.add("InstanceNorm", c.inputs(), {{"data_format", "NCHW"}, {"epsilon", c.real("epsilon", 1e-5f)}}));
  return {};
}

// Dimensions from `axis` on, when they are known.
Result<Shape> normalized_shape(const NodeContext& c, int64_t axis) {
  const Shape shape = c.shape(0);
  Shape tail(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end());
  if (!graph::is_known(tail)) return c.fail("without B, the dimensions it normalises must be known");
  TRY(c.require_few(graph::element_count(tail)));
  return tail;
}

// The vendor's expansion also has Identity, Shape and two BroadcastTo before LayerNorm, which a pass removes again.
Status layer_norm(NodeContext& c) {
  const int rank = c.rank(size_t{0});
  if (rank < 0) return c.fail("the rank of its input is not known");
  int64_t axis = c.integer("axis", -1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return c.fail(formatted("axis {} is not one of its input", c.integer("axis", -1)));
  const float epsilon = c.real("epsilon", 1e-5f);
  constexpr int vendor_helpers = 4;
  c.force_long_names(vendor_helpers);
  Edge beta = c.in(2);
  if (!beta.connected()) {
    const Shape shape = TRY(normalized_shape(c, axis));
    const std::vector<double> zeros(static_cast<size_t>(graph::element_count(shape)), 0);
    beta = c.constant("beta", make_numbers(zeros, shape, c.type(1)));
  }
  const Edge y = c.add("LayerNorm", {c.in(0), c.in(1), beta},
                       {{"begin_norm_axis", axis}, {"begin_params_axis", axis}, {"epsilon", epsilon}});
  c.give(0, y);
  if (c.wanted(1)) c.give(1, {y.node, 1});
  if (!c.wanted(2)) return {};
  c.give(2, c.add("Rsqrt", {c.add("Adds", {{y.node, 2}}, {{"value", epsilon}})}));
  return {};
}

// Until opset 20 scale and bias had one number per group.
Result<Edge> per_channel(NodeContext& c, size_t input, const char* suffix) {
  const int64_t groups = c.integer("num_groups", 1);
  const Shape shape = c.shape(0);
  const auto values = c.value(input) ? read_numbers(*c.value(input)) : std::nullopt;
  if (groups < 1) return c.fail("num_groups must be above 0");
  if (shape.size() < 2 || shape[1] < 0 || c.shape(input) != Shape{groups} || shape[1] % groups != 0)
    return c.fail("the channels must be known, and scale and bias must have one number per group");
  const auto repeat = static_cast<size_t>(shape[1] / groups);
  if (!values) {
    const std::string name = suffix;
    const Edge column = c.add({"Unsqueeze", name + "Column"}, {c.in(input)}, {{"axes", std::vector<int64_t>{1}}});
    const Edge times = c.int_constant(name + "Times", {1, static_cast<int64_t>(repeat)});
    const Edge repeated = c.add({"Tile", name + "Repeated"}, {column, times});
    return c.add({"Reshape", name}, {repeated, c.int_constant(name + "Shape", {shape[1]})});
  }
  std::vector<double> repeated;
  for (const double value : *values) repeated.insert(repeated.end(), repeat, value);
  return c.constant(suffix, make_numbers(repeated, {shape[1]}, c.type(input)));
}

Status group_norm(NodeContext& c) {
  const Edge scale = c.opset < 21 ? TRY(per_channel(c, 1, "gamma")) : c.in(1);
  const Edge bias = c.opset < 21 ? TRY(per_channel(c, 2, "beta")) : c.in(2);
  c.give(0, c.add("GroupNorm", {c.in(0), scale, bias},
                  {{"num_groups", c.integer("num_groups", 1)},
                   {"eps", c.real("epsilon", 1e-5f)},
                   {"data_format", "NCHW"},
                   {"is_training", false}}));
  return {};
}

Status rms_norm(NodeContext& c) {
  const Edge y = c.add("RmsNorm", {c.in(0), c.in(1)}, {{"epsilon", c.real("epsilon", 1e-5f)}});
  c.give(0, y);
  if (c.wanted(1)) c.give(1, {y.node, 1});
  return {};
}

// com.microsoft: x + skip (+ bias), then the norm.
Status skip_layer_norm(NodeContext& c) {
  for (const size_t output : {1, 2})
    if (c.wanted(output)) return c.fail("mean and inv_std_var outputs are not supported");
  if (!c.has(3)) return c.fail("it needs beta");
  const Edge y = c.add("AddLayerNorm", {c.in(0), c.in(1), c.in(2), c.in(3), c.in(4)},
                       {{"epsilon", c.real("epsilon", 1e-12f)}, {"additional_output", c.wanted(3)}});
  c.give(0, y);
  if (c.wanted(3)) c.give(3, {y.node, 3});
  return {};
}

Status skip_rms_norm(NodeContext& c) {
  if (c.has(3)) return c.fail("a bias is not supported");
  const Edge y = c.add("AddRmsNorm", {c.in(0), c.in(1), c.in(2)}, {{"epsilon", c.real("epsilon", 1e-12f)}});
  c.give(0, y);
  if (c.wanted(3)) c.give(3, {y.node, 2});
  return {};
}

// ONNX divides alpha by the size of the window, GE does not. An even window has one more channel behind than before,
// which depth_radius cannot say: `size` does.
Status lrn(NodeContext& c) {
  const int64_t size = c.integer("size", 0);
  if (size < 1) return c.fail("attribute size is missing or below 1");
  c.give(0, c.add("LRN", {c.in(0)},
                  {{"depth_radius", (size - 1) / 2},
                   {"alpha", c.real("alpha", 1e-4f) / static_cast<float>(size)},
                   {"beta", c.real("beta", 0.75f)},
                   {"bias", c.real("bias", 1)},
                   {"norm_region", "ACROSS_CHANNELS"},
                   {"size", size}}));
  return {};
}

Status mean_variance_norm(NodeContext& c) {
  c.give(0, c.add("MVNV2", {c.in(0)}, {{"axes", c.integers("axes", {0, 2, 3})}}));
  return {};
}

Status lp_norm(NodeContext& c) {
  const Edge x = c.add("Identity", {c.in(0)});
  const Edge norm = c.add("LpNormV2", {x},
                          {{"p", static_cast<float>(c.integer("p", 2))},
                           {"axes", std::vector<int64_t>{c.integer("axis", -1)}},
                           {"keepdim", true}});
  c.give(0, c.add({"RealDiv", "Div"}, {x, norm}));
  return {};
}

constexpr std::string_view microsoft = "com.microsoft";
constexpr MapRow rows[] = {
    {"BatchNormalization", 1, latest, "BatchNorm", batch_norm},
    {"GroupNormalization", 18, latest, "GroupNorm", group_norm},
    {"InstanceNormalization", 1, latest, "InstanceNorm", instance_norm},
    {"LRN", 1, latest, "LRN", lrn},
    {"LayerNormalization", 17, latest, "LayerNorm", layer_norm},
    {"LpNormalization", 1, latest, "LpNormV2", lp_norm},
    {"MeanVarianceNormalization", 9, latest, "MVNV2", mean_variance_norm},
    {"NPURmsNorm", 1, latest, "RmsNorm", rms_norm, "npu"},
    {"RMSNormalization", 23, latest, "RmsNorm", rms_norm},
    {"SimplifiedLayerNormalization", 1, latest, "RmsNorm", rms_norm, microsoft},
    {"SimplifiedLayerNormalization", 1, latest, "RmsNorm", rms_norm},
    {"SkipLayerNormalization", 1, latest, "AddLayerNorm", skip_layer_norm, microsoft},
    {"SkipSimplifiedLayerNormalization", 1, latest, "AddRmsNorm", skip_rms_norm, microsoft},
};

}  // namespace

std::span<const MapRow> map_rows_norm() { return rows; }

}  // namespace belay::convert
