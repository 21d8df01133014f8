// SPDX-License-Identifier: Apache-2.0
#include "convert/map/numbers.h"

#include <cstring>
#include <limits>

#include "base/files/mapped_file.h"
#include "base/half.h"

namespace belay::convert {
namespace {

using graph::Constant;
using graph::DataType;

struct Half {
  uint16_t bits;
  explicit operator double() const { return half_to_float(bits); }
  explicit operator float() const { return half_to_float(bits); }
  explicit operator int64_t() const { return static_cast<int64_t>(half_to_float(bits)); }
};

struct Brain {
  uint16_t bits;
  explicit operator double() const { return bf16_to_float(bits); }
  explicit operator float() const { return bf16_to_float(bits); }
  explicit operator int64_t() const { return static_cast<int64_t>(bf16_to_float(bits)); }
};

// Calls with a value of the C++ type that stands for the element type; false when there is none.
template <class Body>
bool with_type(DataType type, Body body) {
  switch (type) {
    case DataType::Float:
      return body(float{}), true;
    case DataType::Double:
      return body(double{}), true;
    case DataType::Float16:
      return body(Half{}), true;
    case DataType::BFloat16:
      return body(Brain{}), true;
    case DataType::Int8:
      return body(int8_t{}), true;
    case DataType::UInt8:
    case DataType::Bool:
      return body(uint8_t{}), true;
    case DataType::Int16:
      return body(int16_t{}), true;
    case DataType::UInt16:
      return body(uint16_t{}), true;
    case DataType::Int32:
      return body(int32_t{}), true;
    case DataType::UInt32:
      return body(uint32_t{}), true;
    case DataType::Int64:
      return body(int64_t{}), true;
    case DataType::UInt64:
      return body(uint64_t{}), true;
    default:
      return false;
  }
}

template <class To>
std::optional<std::vector<To>> read_as(const Constant& constant) {
  std::vector<To> values;
  const bool known = with_type(constant.type, [&](auto sample) {
    using From = decltype(sample);
    values.resize(constant.bytes.size() / sizeof(From));
    for (size_t i = 0; i < values.size(); ++i) {
      From element;
      std::memcpy(&element, constant.bytes.data() + i * sizeof(From), sizeof(From));
      values[i] = static_cast<To>(element);
    }
  });
  forget_pages(constant.bytes.data(), constant.bytes.size());  // of large weights, that is
  return known ? std::optional(std::move(values)) : std::nullopt;
}

template <class To, class From>
To element(From value) {
  if constexpr (std::is_same_v<To, Half>) {
    return {float_to_half(static_cast<float>(value))};
  } else if constexpr (std::is_same_v<To, Brain>) {
    return {float_to_bf16(static_cast<float>(value))};
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // The nearest there is; NaN becomes 0.
    if (!(value == value)) return 0;
    if (value <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (value >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class From>
Constant make_from(const std::vector<From>& values, graph::Shape shape, DataType type) {
  Constant made{type, std::move(shape)};
  with_type(type, [&](auto sample) {
    using To = decltype(sample);
    auto buffer = std::make_shared<std::vector<To>>();
    buffer->reserve(values.size());
    for (const From value : values) buffer->push_back(element<To>(value));
    if (type == DataType::Bool)
      for (size_t i = 0; i < values.size(); ++i) (*buffer)[i] = element<To>(static_cast<int>(values[i] != From{}));
    made.bytes = std::as_bytes(std::span(*buffer));
    made.owner = std::move(buffer);
  });
  return made;
}

}  // namespace

std::optional<std::vector<int64_t>> read_ints(const Constant& constant) { return read_as<int64_t>(constant); }
std::optional<std::vector<float>> read_floats(const Constant& constant) { return read_as<float>(constant); }
std::optional<std::vector<double>> read_numbers(const Constant& constant) { return read_as<double>(constant); }

Constant make_ints(const std::vector<int64_t>& values, graph::Shape shape, DataType type) {
  return make_from(values, std::move(shape), type);
}

Constant make_numbers(const std::vector<double>& values, graph::Shape shape, DataType type) {
  return make_from(values, std::move(shape), type);
}

std::optional<Constant> converted(const Constant& constant, DataType type) {
  if (constant.type == type) return constant;
  if (!with_type(type, [](auto) {})) return {};
  if (is_integer(constant.type) && is_integer(type)) {
    const auto values = read_ints(constant);
    return values ? std::optional(make_ints(*values, constant.shape, type)) : std::nullopt;
  }
  const auto values = read_numbers(constant);
  return values ? std::optional(make_numbers(*values, constant.shape, type)) : std::nullopt;
}

bool is_floating(DataType type) {
  return type == DataType::Float || type == DataType::Double || type == DataType::Float16 || type == DataType::BFloat16;
}

bool is_integer(DataType type) {
  return type != DataType::Bool && !is_floating(type) && with_type(type, [](auto) {});
}

}  // namespace belay::convert
