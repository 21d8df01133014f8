// SPDX-License-Identifier: Apache-2.0
// Operators that round to whole numbers on the way, or to another type: where their argument is close to where the
// result jumps, either side is faithful.
#include <algorithm>
#include <cmath>

#include "exact/models/model.h"

namespace belay::exact {
namespace {

double number_of(const Value& value, size_t i) {
  return value.real() ? value.doubles()[i] : integer_at(value, static_cast<int64_t>(i));
}

// Each float input goes up and down by some units of its type, against all others.
Status jump(const Operation& operation, std::span<Tracked> outputs) {
  std::vector<size_t> reals;
  for (size_t i = 0; i < operation.inputs.size(); ++i)
    if (operation.has(i) && operation.inputs[i].value.real()) reals.push_back(i);
  std::vector<std::vector<double>> spreads(outputs.size());
  for (size_t o = 0; o < outputs.size(); ++o) spreads[o].resize(static_cast<size_t>(outputs[o].value.count()));
  for (size_t corner = 0; corner < size_t{1} << std::min<size_t>(reals.size(), 3); ++corner) {
    std::vector<Value> values = operation.values();
    for (size_t r = 0; r < reals.size(); ++r) {
      const Tracked& input = operation.inputs[reals[r]];
      const double part = (corner >> std::min<size_t>(r, 2) & 1 ? 3 : -3) * 0x1p-24;
      std::vector<double> moved(input.value.doubles().begin(), input.value.doubles().end());
      for (size_t i = 0; i < moved.size(); ++i)
        moved[i] += part * std::fabs(moved[i]) + std::copysign(error_at(input, static_cast<int64_t>(i)), part);
      values[reals[r]] = make_value(input.value.shape, moved);
    }
    const auto made = TRY(operation.again(values));
    for (size_t o = 0; o < outputs.size(); ++o)
      for (size_t i = 0; i < spreads[o].size(); ++i)
        spreads[o][i] = std::max(spreads[o][i], error_between(number_of(made[o], i), number_of(outputs[o].value, i)));
  }
  for (size_t o = 0; o < outputs.size(); ++o) {
    const auto& spread = spreads[o];
    if (outputs[o].value.real())
      outputs[o].errors = round_each(outputs[o], [&](int64_t i) { return spread[static_cast<size_t>(i)]; });
    else if (std::ranges::any_of(spread, [](double error) { return error > 0; }))
      outputs[o].errors = std::make_shared<const std::vector<double>>(spread);
  }
  return {};
}

// To whole numbers, ties to even: nothing is computed on the way, so that nothing may be off.
Status round_to_even(const Operation& operation, std::span<Tracked> outputs) {
  const bool whole = graph::get_or(operation.node.attributes, "decimals", int64_t{0}) == 0;
  return whole && !operation.inexact() ? Status{} : jump(operation, outputs);
}

Status cast(const Operation& operation, std::span<Tracked> outputs) {
  Tracked& y = outputs[0];
  const Tracked& x = operation.inputs[0];
  if (!y.value.real()) {
    if (operation.inexact()) return not_checkable(operation.node, "it cuts off what may be rounded differently");
    return {};
  }
  const bool narrower = !x.value.real() || rounding_of(y.stored).unit > rounding_of(x.stored).unit;
  if (narrower)
    y.errors = round_each(y, [&](int64_t i) { return error_at(x, i); });
  else
    y.errors = x.errors;
  return {};
}

// (x - offset) * scale, of whole numbers.
Status dequantize(const Operation& operation, std::span<Tracked> outputs) {
  if (operation.inexact()) return not_checkable(operation.node, "its inputs may be rounded differently");
  const auto y = outputs[0].value.doubles();
  const double unit = rounding_of(outputs[0].stored).unit;
  outputs[0].errors =
      round_each(outputs[0], [&](int64_t i) { return 3 * unit * std::fabs(y[static_cast<size_t>(i)]); });
  return {};
}

// Sums of whole numbers, exact; then their scales and a bias.
Status scaled_sums(const Operation& operation, std::span<Tracked> outputs) {
  if (!outputs[0].value.real()) return jump(operation, outputs);
  if (operation.inexact()) return not_checkable(operation.node, "its inputs may be rounded differently");
  double bias = 0;
  if (operation.has(4) && operation.inputs[4].value.real())
    for (const double value : operation.inputs[4].value.doubles()) bias = std::max(bias, std::fabs(value));
  const auto y = outputs[0].value.doubles();
  const double unit = rounding_of(outputs[0].stored).unit;
  outputs[0].errors =
      round_each(outputs[0], [&](int64_t i) { return 4 * unit * (std::fabs(y[static_cast<size_t>(i)]) + bias); });
  return {};
}

// What is kept depends on overlaps that are compared with a threshold: when that is moved by some units, the same must
// be kept.
Status suppress(const Operation& operation, std::span<Tracked> outputs) {
  if (operation.inexact()) return not_checkable(operation.node, "it chooses by values that may be rounded differently");
  for (const double part : {-8 * 0x1p-24, 8 * 0x1p-24}) {
    std::vector<Value> values = operation.values();
    for (Value& value : values)
      if (value.present && value.real() && value.count() == 1)
        value = make_value(value.shape, std::vector<double>{value.doubles()[0] * (1 + part)});
    const auto made = TRY(operation.again(values));
    for (size_t o = 0; o < outputs.size(); ++o)
      if (made[o].shape != outputs[o].value.shape || *made[o].bytes != *outputs[o].value.bytes)
        return not_checkable(operation.node, "an overlap is the threshold itself but for a rounding");
  }
  return {};
}

Status range(const Operation& operation, std::span<Tracked> outputs) {
  if (!outputs[0].value.real()) return {};
  if (operation.inexact()) return not_checkable(operation.node, "its limits may be rounded differently");
  const auto y = outputs[0].value.doubles();
  const double unit = rounding_of(outputs[0].stored).unit, first = y.empty() ? 0 : std::fabs(y[0]);
  outputs[0].errors = round_each(outputs[0], [&](int64_t i) {
    return (2 + static_cast<double>(i)) * unit * (first + std::fabs(y[static_cast<size_t>(i)]));
  });
  return {};
}

constexpr ErrorModelRow rows[] = {
    {"AscendAntiQuant", dequantize},
    {"AscendAntiQuantV2", dequantize},
    {"QuantBatchMatmulV3", scaled_sums},
    {"NonMaxSuppression", suppress},
    {"NonMaxSuppressionV2", suppress},
    {"NonMaxSuppressionV3", suppress},
    {"NonMaxSuppressionV6", suppress},
    {"NonMaxSuppressionV7", suppress},
    {"TfIdfVectorizer", dequantize},
    {"AscendDequant", dequantize},
    {"AscendQuant", jump},
    {"AscendQuantV2", jump},
    {"Cast", cast},
    {"CastLike", cast},
    {"DynamicQuant", jump},
    {"DynamicQuantV2", jump},
    {"FloorDiv", jump},
    {"FloorMod", jump},
    {"Mod", jump},
    {"Quantize", jump},
    {"Range", range},
    {"Round", round_to_even},
    {"TruncateDiv", jump},
    {"TruncateMod", jump},
    {"NonMaxSuppression", jump},
};

}  // namespace

std::span<const ErrorModelRow> discrete_models() { return rows; }

}  // namespace belay::exact
