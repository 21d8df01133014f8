// SPDX-License-Identifier: Apache-2.0
#include "exact/value.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::exact {
namespace {

using graph::DataType;

constexpr int64_t grain = 1 << 14;

Status refused(DataType type) {
  return {ACL_ERROR_GE_FAILURE, formatted("elements of type {} have no value in double", graph::name_of(type))};
}

bool is_whole(DataType type) {
  switch (type) {
    case DataType::Int8:
    case DataType::Int16:
    case DataType::Int32:
    case DataType::Int64:
    case DataType::UInt8:
    case DataType::UInt16:
    case DataType::UInt32:
    case DataType::UInt64:
    case DataType::Bool:
      return true;
    default:
      return false;
  }
}

template <class From, class To, class Convert>
void convert(const std::byte* from, std::byte* to, int64_t count, Convert convert) {
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      From element;
      std::memcpy(&element, from + i * static_cast<int64_t>(sizeof(From)), sizeof(From));
      const To made = convert(element);
      std::memcpy(to + i * static_cast<int64_t>(sizeof(To)), &made, sizeof(To));
    }
  });
}

// The float to which rounding a second time gives what rounding the double once does: odd where it is not exact.
float rounded_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (!std::isfinite(nearest) || static_cast<double>(nearest) == value) return nearest;
  uint32_t bits;
  std::memcpy(&bits, &nearest, sizeof(bits));
  if (bits & 1) return nearest;
  const bool below = static_cast<double>(nearest) < value;
  return std::nextafter(nearest,
                        below ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity());
}

}  // namespace

std::span<const double> Value::doubles() const {
  return {reinterpret_cast<const double*>(bytes->data()), bytes->size() / sizeof(double)};
}

bool is_float_type(DataType type) {
  return type == DataType::Float || type == DataType::Float16 || type == DataType::BFloat16 || type == DataType::Double;
}

Value make_value(graph::Shape shape, std::span<const double> elements) {
  const auto bytes = std::as_bytes(elements);
  return {DataType::Double, std::move(shape),
          std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end())};
}

Result<Value> widened(DataType type, const graph::Shape& shape, std::span<const std::byte> bytes) {
  if (!is_float_type(type) && !is_whole(type)) return refused(type);
  const int64_t count = graph::element_count(shape);
  if (count < 0 || bytes.size() != graph::bytes_of(type, count))
    return Status{ACL_ERROR_GE_FAILURE, formatted("{} bytes are not a tensor of type {} and shape {}", bytes.size(),
                                                  graph::name_of(type), graph::to_text(shape))};
  if (!is_float_type(type))
    return Value{type, shape, std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end())};
  auto made = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(count) * sizeof(double));
  const std::byte* from = bytes.data();
  std::byte* to = made->data();
  if (type == DataType::Float)
    convert<float, double>(from, to, count, [](float x) { return static_cast<double>(x); });
  else if (type == DataType::Float16)
    convert<uint16_t, double>(from, to, count, [](uint16_t x) { return static_cast<double>(half_to_float(x)); });
  else if (type == DataType::BFloat16)
    convert<uint16_t, double>(from, to, count, [](uint16_t x) { return static_cast<double>(bf16_to_float(x)); });
  else if (count > 0)
    std::memcpy(to, from, bytes.size());
  return Value{DataType::Double, shape, std::move(made)};
}

Result<std::vector<std::byte>> narrowed(const Value& value, DataType type) {
  if (!value.real() || type == DataType::Double) {
    if (type != value.type)
      return Status{ACL_ERROR_GE_FAILURE, formatted("a value of type {} is not one of type {}",
                                                    graph::name_of(value.type), graph::name_of(type))};
    return *value.bytes;
  }
  const int64_t count = value.count();
  std::vector<std::byte> made(graph::bytes_of(type, count));
  const std::byte* from = value.bytes->data();
  if (type == DataType::Float)
    convert<double, float>(from, made.data(), count, [](double x) { return static_cast<float>(x); });
  else if (type == DataType::Float16)
    convert<double, uint16_t>(from, made.data(), count, [](double x) { return float_to_half(rounded_to_odd(x)); });
  else if (type == DataType::BFloat16)
    convert<double, uint16_t>(from, made.data(), count, [](double x) { return float_to_bf16(rounded_to_odd(x)); });
  else
    return refused(type);
  return made;
}

double integer_at(const Value& value, int64_t element) {
  const std::byte* from = value.bytes->data() + static_cast<size_t>(element) * graph::bits_of(value.type) / 8;
  const auto read = [&]<class T>(T made) {
    std::memcpy(&made, from, sizeof(made));
    return static_cast<double>(made);
  };
  switch (value.type) {
    case DataType::Int8:
      return read(int8_t{});
    case DataType::Int16:
      return read(int16_t{});
    case DataType::Int32:
      return read(int32_t{});
    case DataType::Int64:
      return read(int64_t{});
    case DataType::UInt16:
      return read(uint16_t{});
    case DataType::UInt32:
      return read(uint32_t{});
    case DataType::UInt64:
      return read(uint64_t{});
    default:
      return read(uint8_t{});
  }
}

}  // namespace belay::exact
