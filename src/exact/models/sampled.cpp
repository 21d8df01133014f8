// SPDX-License-Identifier: Apache-2.0
// Operators for which no formula was worked out: their inputs are moved at random by what their roundings amount to,
// several times, and what comes out of it is taken several times as large. An estimate, not a bound.
#include <algorithm>
#include <cmath>
#include <random>

#include "exact/models/model.h"
#include "exact/products/sum.h"
#include "graph/infer/arguments.h"

namespace belay::exact {
namespace {

constexpr int samples = 6;
constexpr double margin = 4;

// How far the results moved, each at least as far as the others of its row on the average.
std::vector<double> spread_of(const std::vector<std::vector<double>>& moved, const Value& y) {
  const auto exact = y.doubles();
  const auto row = static_cast<size_t>(y.shape.empty() ? 1 : std::max<int64_t>(1, y.shape.back()));
  std::vector<double> spread(exact.size());
  for (size_t begin = 0; begin < exact.size(); begin += row) {
    const size_t end = std::min(exact.size(), begin + row);
    double squares = 0;
    for (size_t i = begin; i < end; ++i)
      for (const auto& sample : moved) {
        const double error = error_between(sample[i], exact[i]);
        spread[i] = std::max(spread[i], error);
        if (std::isfinite(error)) squares += error * error;
      }
    const double usual = std::sqrt(squares / static_cast<double>((end - begin) * moved.size()));
    for (size_t i = begin; i < end; ++i) spread[i] = std::max(spread[i], 2 * usual);
  }
  return spread;
}

// Whole numbers that some operators take as floats: another is another element, and no rounding changes them.
bool is_index(const Operation& operation, size_t input, size_t element) {
  constexpr size_t roi = 5;  // the image, and two corners
  if (operation.node.type == "ROIAlign") return input == 1 && element % roi == 0;
  return operation.node.type.starts_with("Common") && input == 4;  // lengths of sequences
}

using Again = Result<std::vector<Value>> (*)(const Operation& operation, std::span<const Value> values);
Result<std::vector<Value>> in_double(const Operation& operation, std::span<const Value> values) {
  return operation.again(values);
}
Result<std::vector<Value>> in_float(const Operation& operation, std::span<const Value> values) {
  return operation.again_in_float(values);
}

// `units`: what an input is moved by, in units of the sums; and in units of its own type, `own`.
Status sample(const Operation& operation, std::span<Tracked> outputs, double units, double own,
              Again again = in_double) {
  std::vector<std::vector<std::vector<double>>> moved(outputs.size());
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> between(-1, 1);
  for (int s = 0; s < samples; ++s) {
    std::vector<Value> values = operation.values();
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i].present || !values[i].real()) continue;
      const Tracked& input = operation.inputs[i];
      const double part = units * sum_unit(input.stored) + own * rounding_of(input.stored).unit;
      std::vector<double> made(values[i].doubles().begin(), values[i].doubles().end());
      for (size_t e = 0; e < made.size(); ++e)
        if (!is_index(operation, i, e))
          made[e] += between(random) * (part * std::fabs(made[e]) + error_at(input, static_cast<int64_t>(e)));
      values[i] = make_value(values[i].shape, made);
    }
    const auto made = TRY(again(operation, values));
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (!outputs[o].value.real()) return not_checkable(operation.node, "it gives whole numbers");
      if (made[o].shape != outputs[o].value.shape)
        return not_checkable(operation.node, "its shape depends on roundings");
      moved[o].emplace_back(made[o].doubles().begin(), made[o].doubles().end());
    }
  }
  for (size_t o = 0; o < outputs.size(); ++o) {
    const auto spread = spread_of(moved[o], outputs[o].value);
    const auto y = outputs[o].value.doubles();
    const double unit = rounding_of(outputs[o].stored).unit;
    outputs[o].errors = round_each(outputs[o], [&](int64_t i) {
      const auto e = static_cast<size_t>(i);
      return margin * spread[e] + 4 * unit * std::fabs(y[e]);
    });
  }
  return {};
}

// Products with the weights and the state, in every step; the state may be stored in its type. Steps are in float:
// where a gate is close to 0 or 1, what its result and 1 - z are rounded by is more than any input could move them.
Status recurrent(const Operation& operation, std::span<Tracked> outputs) {
  const auto& x = operation.inputs[0].value.shape;
  const auto& r = operation.inputs[2].value.shape;
  const auto terms = static_cast<double>((x.empty() ? 1 : x.back()) + (r.empty() ? 1 : r.back()));
  const bool wide = operation.inputs[0].stored == graph::DataType::Double;
  return sample(operation, outputs, roundings(terms, 0) + 8, 2, wide ? in_double : in_float);
}

// Coordinates are computed in the type, which moves the place that is looked at.
Status interpolate(const Operation& operation, std::span<Tracked> outputs) {
  const std::string mode =
      graph::text_of(operation.node, "interpolation_mode", graph::text_of(operation.node, "mode", ""));
  if (mode == "nearest" || graph::text_of(operation.node, "method", "") == "nearest")
    return not_checkable(operation.node, "a place that is rounded differently is another element");
  return sample(operation, outputs, 16, 4);
}

double largest(const Value& value) {
  double most = 0;
  for (const double x : value.doubles())
    if (std::isfinite(x)) most = std::max(most, std::fabs(x));
  return most;
}

// Places come from sizes alone: an error of a place of some units times the size, and then a weighted sum.
Status resize(const Operation& operation, std::span<Tracked> outputs) {
  Tracked& y = outputs[0];
  if (!y.value.real()) return not_checkable(operation.node, "it rounds to whole numbers");
  const std::string mode = graph::text_of(operation.node, "mode", "nearest");
  const std::string& type = operation.node.type;
  const bool nearest =
      type.find("Nearest") != std::string::npos || ((type == "Resize" || type == "ResizeD") && mode == "nearest");
  if (nearest) return move_together(operation, outputs);
  if (operation.inexact()) return not_checkable(operation.node, "its inputs may be rounded differently");
  const auto& shape = operation.inputs[0].value.shape;
  const double size = static_cast<double>(shape.empty() ? 1 : *std::ranges::max_element(shape));
  const double most = largest(operation.inputs[0].value);
  const double before = (12 * rounding_of(y.stored).unit + 8 * size * 0x1p-24) * most;
  y.errors = round_each(y, [&](int64_t) { return before; });
  return {};
}

Status losses(const Operation& operation, std::span<Tracked> outputs) {
  const auto terms = static_cast<double>(operation.inputs[0].value.count());
  TRY(sample(operation, outputs, roundings(terms, 0) + 8, 4));
  for (Tracked& output : outputs) {
    auto errors = *output.errors;
    for (double& error : errors) error += 16 * rounding_of(output.stored).unit;
    output.errors = std::make_shared<const std::vector<double>>(std::move(errors));
  }
  return {};
}

Status few_steps(const Operation& operation, std::span<Tracked> outputs) { return sample(operation, outputs, 16, 4); }

constexpr ErrorModelRow rows[] = {
    {"AffineGrid", few_steps},
    {"BNTrainingReduce", losses},
    {"BNTrainingUpdate", losses},
    {"BinaryCrossEntropy", losses},
    {"CommonGRU", recurrent},
    {"CommonLSTM", recurrent},
    {"CommonRNN", recurrent},
    {"CropAndResize", interpolate},
    {"DeformConv", interpolate},
    {"DeformableConv2D", interpolate},
    {"DeformableOffsets", interpolate},
    {"GridSampler2D", interpolate},
    {"GridSampler3D", interpolate},
    {"MatrixDeterminant", few_steps},
    {"NLLLoss", losses},
    {"ROIAlign", interpolate},
    {"Resize", resize},
    {"ResizeBicubicV2", resize},
    {"ResizeBilinearV2", resize},
    {"ResizeBilinearV2D", resize},
    {"ResizeD", resize},
    {"ResizeLinear", resize},
    {"ResizeNearestNeighborV2", resize},
    {"ResizeNearestNeighborV2D", resize},
    {"ResizeTrilinear", resize},
    {"SoftmaxCrossEntropyLoss", losses},
    {"UpsampleNearest1d", resize},
    {"UpsampleNearest3d", resize},
};

}  // namespace

std::span<const ErrorModelRow> sampled_models() { return rows; }

}  // namespace belay::exact
