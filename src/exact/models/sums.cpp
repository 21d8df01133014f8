// SPDX-License-Identifier: Apache-2.0
// Sums and means, whole and running; averages over windows; norms of vectors; sums of a few tensors.
#include <algorithm>
#include <cmath>

#include "exact/models/model.h"
#include "exact/products/sum.h"
#include "graph/infer/arguments.h"
#include "graph/infer/window.h"

namespace belay::exact {
namespace {

using graph::get_or;

double units_of(const Operation& operation, double terms) {
  return roundings(terms, terms * repeated_part(operation.inputs[0].value));
}

double members(const Operation& operation, const Tracked& output) {
  const auto groups = static_cast<double>(std::max<int64_t>(1, output.value.count()));
  return static_cast<double>(operation.inputs[0].value.count()) / groups;
}

// A linear function with positive factors: its value of the magnitudes bounds every partial sum.
Status linear(const Operation& operation, std::span<Tracked> outputs, double terms, double unit) {
  Tracked& y = outputs[0];
  if (!y.value.real()) return {};
  const auto plain = TRY(operation.again(magnitudes(operation, false)));
  const auto moved = operation.inexact() ? TRY(operation.again(magnitudes(operation, true))) : plain;
  const double units = (units_of(operation, terms) + 2) * unit;
  const auto sum = plain[0].doubles(), most = moved[0].doubles();
  y.errors = round_each(y, [&](int64_t i) {
    const auto e = static_cast<size_t>(i);
    return units * std::fabs(most[e]) + std::fabs(most[e] - sum[e]);
  });
  return {};
}

Status sum(const Operation& operation, std::span<Tracked> outputs) {
  return linear(operation, outputs, members(operation, outputs[0]), sum_unit(outputs[0].stored));
}

// Each result is a sum of at most all elements along one axis; what is stored between may be rounded to its type.
Status running_sum(const Operation& operation, std::span<Tracked> outputs) {
  const auto& shape = operation.inputs[0].value.shape;
  const int64_t longest = shape.empty() ? 1 : *std::ranges::max_element(shape);
  return linear(operation, outputs, static_cast<double>(longest), sum_unit(outputs[0].stored));
}

Status average_windows(const Operation& operation, std::span<Tracked> outputs) {
  std::vector<graph::TensorInfo> infos;
  for (const Tracked& input : operation.inputs)
    infos.push_back({input.stored, input.value.shape, nullptr, input.value.present});
  const graph::InferContext context(operation.node, infos);
  const auto pooling = TRY(graph::read_pooling(context));
  double terms = 1;
  for (const int64_t size : pooling.window.kernel) terms *= static_cast<double>(size);
  return linear(operation, outputs, terms, sum_unit(outputs[0].stored));
}

Status choose_of_windows(const Operation& operation, std::span<Tracked> outputs) {
  return move_together(operation, outputs);
}

Status pool(const Operation& operation, std::span<Tracked> outputs) {
  const bool averages = get_or(operation.node.attributes, "mode", int64_t{0}) == 1;
  return averages ? average_windows(operation, outputs) : choose_of_windows(operation, outputs);
}

Status add_few(const Operation& operation, std::span<Tracked> outputs) {
  const int64_t mode = operation.node.type == "Eltwise" ? get_or(operation.node.attributes, "mode", int64_t{1}) : 1;
  const auto count = static_cast<double>(operation.inputs.size());
  const double unit = rounding_of(outputs[0].stored).unit;
  if (mode == 2) return move_together(operation, outputs);
  const auto factors = get_or(operation.node.attributes, "coeff", std::vector<float>{});
  const bool negative = std::ranges::any_of(factors, [](float factor) { return factor < 0; }) ||
                        get_or(operation.node.attributes, "alpha", 1.0f) < 0;
  if (negative) return not_checkable(operation.node, "its factors are negative");
  return linear(operation, outputs, 2 * count, unit);
}

Status product_of_all(const Operation& operation, std::span<Tracked> outputs) {
  const auto& shape = operation.inputs[0].value.shape;
  const bool running = operation.node.type.starts_with("Cum");
  const double terms = running ? static_cast<double>(shape.empty() ? 1 : *std::ranges::max_element(shape))
                               : members(operation, outputs[0]);
  return linear(operation, outputs, terms, rounding_of(outputs[0].stored).unit);
}

// Norms grow with every magnitude, and by no more than the norm of what is added.
Status length(const Operation& operation, std::span<Tracked> outputs) {
  const double p =
      operation.node.type.find("Lp") != std::string::npos ? get_or(operation.node.attributes, "p", 2.0f) : 2;
  Tracked& y = outputs[0];
  const auto plain = TRY(operation.again(magnitudes(operation, false)));
  const auto moved = operation.inexact() ? TRY(operation.again(magnitudes(operation, true))) : plain;
  const bool powers = p != 1 && p != 2 && p != 0 && std::isfinite(p);
  const double units = std::isinf(p) || p == 0 ? 0
                                               : sum_unit(y.stored) * (units_of(operation, members(operation, y)) + 4) +
                                                     rounding_of(y.stored).unit * (powers ? 200 : 2);
  const auto sum = plain[0].doubles(), most = moved[0].doubles();
  y.errors = round_each(y, [&](int64_t i) {
    const auto e = static_cast<size_t>(i);
    return units * most[e] + (most[e] - sum[e]);
  });
  return {};
}

// log of a sum, or of a sum of exponentials.
Status log_of_sum(const Operation& operation, std::span<Tracked> outputs) {
  if (operation.inexact()) return not_checkable(operation.node, "its inputs may be rounded differently");
  Tracked& y = outputs[0];
  const bool exponentials = operation.node.type == "ReduceLogSumExp";
  const double terms = members(operation, y), unit = rounding_of(y.stored).unit;
  const double relative = sum_unit(y.stored) * (units_of(operation, terms) + 4);
  double most = 0;
  for (const double x : operation.inputs[0].value.doubles())
    if (std::isfinite(x)) most = std::max(most, std::fabs(x));
  const auto sizes = TRY(operation.again(magnitudes(operation, false)));
  const auto values = y.value.doubles(), magnitude = sizes[0].doubles();
  y.errors = round_each(y, [&](int64_t i) {
    const auto e = static_cast<size_t>(i);
    const double function = 6 * unit * (std::fabs(values[e]) + 1);
    if (exponentials) return relative + function + unit * (2 * most + std::log(terms + 1) + 4);
    return relative * std::exp(magnitude[e] - values[e]) + function;
  });
  return {};
}

// As the other scatters are called.
std::string reduction_of(const graph::Node& node) {
  const std::string name = graph::text_of(node, "reduction", "none");
  if (name == "none" || name == "update") return "None";
  return std::string(1, static_cast<char>(name[0] - 'a' + 'A')) + name.substr(1);
}

Status scatter(const Operation& operation, std::span<Tracked> outputs) {
  std::string type = operation.node.type;
  if (type == "ScatterElements") type += reduction_of(operation.node);
  if (!outputs[0].value.real()) return {};
  if (type.ends_with("None")) return find_error_model("ScatterUpdate")(operation, outputs);
  if (type.ends_with("Max") || type.ends_with("Min")) return move_together(operation, outputs);
  if (operation.inexact()) return not_checkable(operation.node, "its inputs may be rounded differently");
  auto values = magnitudes(operation, false);
  if (type.ends_with("Sub")) {
    std::vector<double> turned(values[2].doubles().begin(), values[2].doubles().end());
    for (double& value : turned) value = -value;
    values[2] = make_value(values[2].shape, turned);
  }
  const size_t indices = type == "ScatterNd" ? 0 : 1;
  const auto sums = TRY(operation.again(values));
  const double updates = static_cast<double>(operation.inputs[indices].value.count());
  const double units = (roundings(updates, 0) + 2) * rounding_of(outputs[0].stored).unit;
  const auto most = sums[0].doubles();
  outputs[0].errors = round_each(outputs[0], [&](int64_t i) { return units * most[static_cast<size_t>(i)]; });
  return {};
}

Status multiply_add(const Operation& operation, std::span<Tracked> outputs) {
  return linear(operation, outputs, 3, rounding_of(outputs[0].stored).unit);
}

Status fold_columns(const Operation& operation, std::span<Tracked> outputs) {
  const auto& shape = operation.inputs[0].value.shape;
  return linear(operation, outputs, static_cast<double>(shape.size() > 1 ? shape[1] : 1), sum_unit(outputs[0].stored));
}

constexpr ErrorModelRow rows[] = {
    {"AccumulateNV2", add_few},
    {"AddN", add_few},
    {"AvgPool", average_windows},
    {"AvgPool3D", average_windows},
    {"AvgPoolV2", average_windows},
    {"Axpy", add_few},
    {"Bias", multiply_add},
    {"BiasAdd", multiply_add},
    {"Col2ImV2", fold_columns},
    {"Cumprod", product_of_all},
    {"CumprodD", product_of_all},
    {"Cumsum", running_sum},
    {"CumsumD", running_sum},
    {"Eltwise", add_few},
    {"EuclideanNorm", length},
    {"EuclideanNormD", length},
    {"GlobalAveragePool", sum},
    {"GlobalLpPool", length},
    {"GlobalMaxPool", choose_of_windows},
    {"LpNorm", length},
    {"LpNormV2", length},
    {"MaxPool", choose_of_windows},
    {"MaxPool3D", choose_of_windows},
    {"MaxPool3DWithArgmaxV2", choose_of_windows},
    {"MaxPoolExt2", choose_of_windows},
    {"MaxPoolV3", choose_of_windows},
    {"MaxPoolWithArgmaxV3", choose_of_windows},
    {"Pooling", pool},
    {"ReduceLogSum", log_of_sum},
    {"ReduceLogSumExp", log_of_sum},
    {"ReduceMax", choose_of_windows},
    {"ReduceMaxD", choose_of_windows},
    {"ReduceMean", sum},
    {"ReduceMeanD", sum},
    {"ReduceMin", choose_of_windows},
    {"ReduceMinD", choose_of_windows},
    {"ReduceProd", product_of_all},
    {"ReduceProdD", product_of_all},
    {"ReduceSum", sum},
    {"ReduceSumD", sum},
    {"Scale", multiply_add},
    {"ScatterAdd", scatter},
    {"ScatterElements", scatter},
    {"ScatterMax", scatter},
    {"ScatterMin", scatter},
    {"ScatterMul", scatter},
    {"ScatterNd", scatter},
    {"ScatterNdAdd", scatter},
    {"ScatterNdMax", scatter},
    {"ScatterNdMin", scatter},
    {"ScatterNdMul", scatter},
    {"ScatterNdSub", scatter},
    {"ScatterSub", scatter},
    {"SquareSumV1", sum},
    {"TensorScatterAdd", scatter},
    {"TensorScatterMax", scatter},
    {"TensorScatterMin", scatter},
    {"TensorScatterMul", scatter},
    {"TensorScatterSub", scatter},
};

}  // namespace

std::span<const ErrorModelRow> sum_models() { return rows; }

}  // namespace belay::exact
