// SPDX-License-Identifier: Apache-2.0
// What collective operations should give, by plain loops over bytes. Halves are computed by this file's own
// conversions.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hccl/hccl_types.h"

namespace belay::test::oracle {

using Bytes = std::vector<uint8_t>;

constexpr HcclDataType kReduced[] = {HCCL_DATA_TYPE_INT8,  HCCL_DATA_TYPE_INT16, HCCL_DATA_TYPE_INT32,
                                     HCCL_DATA_TYPE_INT64, HCCL_DATA_TYPE_FP16,  HCCL_DATA_TYPE_FP32,
                                     HCCL_DATA_TYPE_BFP16};
constexpr HcclDataType kMoved[] = {
    HCCL_DATA_TYPE_INT8,   HCCL_DATA_TYPE_INT16,  HCCL_DATA_TYPE_INT32,  HCCL_DATA_TYPE_INT64, HCCL_DATA_TYPE_UINT8,
    HCCL_DATA_TYPE_UINT16, HCCL_DATA_TYPE_UINT32, HCCL_DATA_TYPE_UINT64, HCCL_DATA_TYPE_FP16,  HCCL_DATA_TYPE_FP32,
    HCCL_DATA_TYPE_FP64,   HCCL_DATA_TYPE_BFP16,  HCCL_DATA_TYPE_INT128};

inline size_t size_of(HcclDataType type) {
  constexpr size_t sizes[] = {1, 2, 4, 2, 4, 8, 8, 1, 2, 4, 8, 2, 16};
  return sizes[type];
}

// Halves through double: every step is exact but the last.
inline double from_half(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31) return fraction ? NAN : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}
// Round to nearest, ties to even, with `bits` of fraction and the least exponent.
inline double rounded(double value, int bits, int least, double largest) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), least);
  const double unit = std::ldexp(1.0, exponent - bits), result = std::nearbyint(value / unit) * unit;
  return std::fabs(result) > largest ? std::copysign(INFINITY, value) : result;
}
inline uint16_t to_half(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00);
  const double nearest = std::fabs(rounded(value, 10, -14, 65504));
  if (std::isinf(nearest)) return static_cast<uint16_t>(sign | 0x7c00);
  if (nearest == 0) return sign;
  const int exponent = std::max(std::ilogb(nearest), -14);
  const auto fraction = static_cast<int>(std::ldexp(nearest, 10 - exponent));
  return static_cast<uint16_t>(sign | (fraction >= 1024 ? (exponent + 15) << 10 | (fraction - 1024) : fraction));
}
inline float from_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
inline uint32_t to_bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

template <class T>
T combined(T a, T b, HcclReduceOp op) {
  if (op == HCCL_REDUCE_MAX) return a > b ? a : b;
  if (op == HCCL_REDUCE_MIN) return a < b ? a : b;
  if constexpr (std::is_integral_v<T>) {
    const auto x = static_cast<__int128>(a), y = static_cast<__int128>(b);
    return static_cast<T>(op == HCCL_REDUCE_SUM ? x + y : x * y);
  } else {
    return op == HCCL_REDUCE_SUM ? a + b : a * b;
  }
}

template <class T>
void reduce_as(Bytes& into, const Bytes& from, HcclReduceOp op) {
  for (size_t at = 0; at < into.size(); at += sizeof(T)) {
    T a, b;
    std::memcpy(&a, &into[at], sizeof(T));
    std::memcpy(&b, &from[at], sizeof(T));
    a = combined(a, b, op);
    std::memcpy(&into[at], &a, sizeof(T));
  }
}

inline void reduce_halves(Bytes& into, const Bytes& from, HcclReduceOp op, bool brain) {
  for (size_t at = 0; at < into.size(); at += 2) {
    uint16_t a, b;
    std::memcpy(&a, &into[at], 2);
    std::memcpy(&b, &from[at], 2);
    if (brain) {
      const float sum = combined(from_bits(uint32_t{a} << 16), from_bits(uint32_t{b} << 16), op);
      const uint32_t bits = to_bits(sum);
      a = static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    } else {
      a = to_half(combined(static_cast<float>(from_half(a)), static_cast<float>(from_half(b)), op));
    }
    std::memcpy(&into[at], &a, 2);
  }
}

// Rank 0 op rank 1 op rank 2 ..., element by element.
inline Bytes reduced(const std::vector<Bytes>& inputs, HcclDataType type, HcclReduceOp op) {
  Bytes result = inputs[0];
  for (size_t rank = 1; rank < inputs.size(); ++rank) switch (static_cast<int>(type)) {
      case HCCL_DATA_TYPE_INT8:
        reduce_as<int8_t>(result, inputs[rank], op);
        break;
      case HCCL_DATA_TYPE_INT16:
        reduce_as<int16_t>(result, inputs[rank], op);
        break;
      case HCCL_DATA_TYPE_INT32:
        reduce_as<int32_t>(result, inputs[rank], op);
        break;
      case HCCL_DATA_TYPE_INT64:
        reduce_as<int64_t>(result, inputs[rank], op);
        break;
      case HCCL_DATA_TYPE_FP32:
        reduce_as<float>(result, inputs[rank], op);
        break;
      default:
        reduce_halves(result, inputs[rank], op, type == HCCL_DATA_TYPE_BFP16);
    }
  return result;
}

// Numbers of all sizes; no infinities or NaNs among the floats.
inline Bytes values(size_t count, HcclDataType type, uint32_t seed) {
  Bytes bytes(count * size_of(type));
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 33);
  };
  for (auto& byte : bytes) byte = static_cast<uint8_t>(next());
  const auto small = [&] { return (static_cast<float>(next() % 4001) - 2000.0f) / 512.0f; };
  for (size_t i = 0; i < count; ++i) {
    const float value = small();
    const auto half = to_half(value), brain = static_cast<uint16_t>(to_bits(value) >> 16);
    if (type == HCCL_DATA_TYPE_FP32) std::memcpy(&bytes[i * 4], &value, 4);
    if (type == HCCL_DATA_TYPE_FP16) std::memcpy(&bytes[i * 2], &half, 2);
    if (type == HCCL_DATA_TYPE_BFP16) std::memcpy(&bytes[i * 2], &brain, 2);
  }
  return bytes;
}

}  // namespace belay::test::oracle
