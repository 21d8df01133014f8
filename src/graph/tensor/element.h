// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/half.h"
#include "base/status.h"
#include "base/text.h"
#include "graph/tensor/types.h"

// C++ types for the elements of tensors, and the step from a DataType to them.
namespace belay::graph {

// binary16 and bfloat16 elements: computed with as float, rounded once when stored.
struct Half {
  Half() = default;
  Half(float value) : bits(float_to_half(value)) {}
  operator float() const { return half_to_float(bits); }
  uint16_t bits;
};
struct BFloat16 {
  BFloat16() = default;
  BFloat16(float value) : bits(float_to_bf16(value)) {}
  operator float() const { return bf16_to_float(bits); }
  uint16_t bits;
};

// A bool element: any byte but 0 is true.
struct Bool {
  Bool() = default;
  Bool(bool value) : byte(value) {}
  operator bool() const { return byte != 0; }
  uint8_t byte;
};

template <class T>
inline constexpr bool is_narrow_float = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T> || is_narrow_float<T>;
// Integers and bool excluded; Bool is neither.
template <class T>
inline constexpr bool is_integer = std::is_integral_v<T>;

// The type in which an element is computed with: float for the narrow floats, else its own.
template <class T>
using compute_t = std::conditional_t<is_narrow_float<T>, float, std::conditional_t<std::is_same_v<T, Bool>, bool, T>>;

// The type in which the reference kernels keep sums: double for all floats, 64 bits for integers.
template <class T>
using sum_t = std::conditional_t<is_float<T>, double, std::conditional_t<std::is_unsigned_v<T>, uint64_t, int64_t>>;

template <class... Ts>
struct TypeList {};
using FloatTypes = TypeList<float, double, Half, BFloat16>;
using IntegerTypes = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
using NumberTypes =
    TypeList<float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
using AllTypes = TypeList<float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                          uint64_t, Bool>;
// Where only the size of an element matters.
using SizeTypes = TypeList<uint8_t, uint16_t, uint32_t, uint64_t>;

template <class T>
constexpr DataType data_type_of() {
  if constexpr (std::is_same_v<T, float>)
    return DataType::Float;
  else if constexpr (std::is_same_v<T, double>)
    return DataType::Double;
  else if constexpr (std::is_same_v<T, Half>)
    return DataType::Float16;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return DataType::BFloat16;
  else if constexpr (std::is_same_v<T, int8_t>)
    return DataType::Int8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return DataType::Int16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return DataType::Int32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return DataType::Int64;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return DataType::UInt8;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return DataType::UInt16;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return DataType::UInt32;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return DataType::UInt64;
  else
    return DataType::Bool;
}

// Returns f.template operator()<T>() for the T of the list that stands for `type`; a refusal naming the type when the
// list has none. The result is a Status or a Result.
template <class... Ts, class F>
auto with_type(TypeList<Ts...>, DataType type, F&& f) {
  using R = decltype(std::forward<F>(f).template operator()<std::tuple_element_t<0, std::tuple<Ts...>>>());
  R result = Status{ACL_ERROR_GE_FAILURE, formatted("type {} is not supported", name_of(type))};
  ((type == data_type_of<Ts>() ? (result = f.template operator()<Ts>(), true) : false) || ...);
  return result;
}

}  // namespace belay::graph
