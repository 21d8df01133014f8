// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/quant/parameter.h"

#include <bit>
#include <cmath>

#include "backend/cpu/arguments.h"
#include "base/text.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

Result<std::vector<float>> floats(const Tensor& tensor) {
  std::vector<float> values;
  if (tensor.type == DataType::UInt64 || tensor.type == DataType::Int64) {
    for (int64_t i = 0, count = tensor.count(); i < count; ++i)
      values.push_back(std::bit_cast<float>(uint32_t(tensor.as<uint64_t>()[i])));
    return values;
  }
  for (const double value : TRY(reals(tensor))) values.push_back(float(value));
  return values;
}

}  // namespace

Result<Parameter> Parameter::read(const std::string& label, const Tensor& tensor, const Shape& shape, int64_t axis,
                                  float fallback) {
  if (!tensor.present) return of(fallback);
  auto values = TRY(floats(tensor));
  if (values.empty()) return failed(label, "a scale or offset is empty");
  if (values.size() == 1) return of(values[0]);
  const auto count = int64_t(values.size());
  const auto along = graph::axis_within(axis, shape.size());
  if (tensor.shape.size() == 1 && along && shape[*along] == count)
    return Parameter(std::move(values), product(shape, *along + 1, shape.size()), count);
  // Broadcast: written out, for there is no cheaper way that holds for all.
  const auto whole = graph::broadcast(shape, tensor.shape);
  if (!whole.ok() || *whole != shape)
    return failed(label, formatted("a scale or offset of {} does not fit {}", graph::to_text(tensor.shape),
                                   graph::to_text(shape)));
  const size_t missing = shape.size() - tensor.shape.size();
  std::vector<float> all(size_t(graph::element_count(shape)));
  for (size_t i = 0; i < all.size(); ++i) {
    int64_t rest = int64_t(i), at = 0, step = 1;
    for (size_t d = shape.size(); d-- > missing; rest /= shape[d]) {
      const int64_t size = tensor.shape[d - missing];
      if (size > 1) at += rest % shape[d] * step;
      step *= size;
    }
    all[i] = values[size_t(at)];
  }
  const auto elements = int64_t(all.size());
  return Parameter(std::move(all), 1, elements);
}

Result<Rounding> rounding_named(const std::string& name) {
  if (name == "Round" || name == "round" || name == "rint") return Rounding::HalfToEven;
  if (name == "Floor" || name == "floor") return Rounding::Floor;
  if (name == "Ceil" || name == "ceil") return Rounding::Ceil;
  if (name == "Trunc" || name == "trunc") return Rounding::Truncate;
  return refuse(formatted("round_mode {} is not known", name));
}

namespace {

template <class T>
T rounded_number(Rounding rounding, T value) {
  switch (rounding) {
    case Rounding::HalfToEven:
      return nearest_whole(value);
    case Rounding::Floor:
      return std::floor(value);
    case Rounding::Ceil:
      return std::ceil(value);
    case Rounding::Truncate:
      return std::trunc(value);
  }
  return value;
}

}  // namespace

float rounded(Rounding rounding, float value) { return rounded_number(rounding, value); }
double rounded(Rounding rounding, double value) { return rounded_number(rounding, value); }

}  // namespace belay::backend::cpu
