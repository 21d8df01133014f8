// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/random.h"

#include <cmath>
#include <cstring>
#include <numbers>
#include <type_traits>

#include "acl/acl_rt.h"
#include "base/half.h"
#include "base/text.h"
#include "runtime/bad_parameter.h"

namespace belay {
namespace {

constexpr double kTwoToMinus53 = 0x1p-53;

double unit(uint64_t word) { return static_cast<double>(word >> 11) * kTwoToMinus53; }

Status unknown_type(aclDataType type) {
  return bad_parameter(
      formatted("data type {} is not one of int32, int64, uint32, uint64, float16, bfloat16, float32", type));
}

template <class T>
void put(void* out, uint64_t index, T value) {
  std::memcpy(static_cast<std::byte*>(out) + index * sizeof(T), &value, sizeof(T));
}

template <class T>
T get(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

// Stores a real number as `type`; false when that is not a real type.
bool put_real(void* out, uint64_t index, double value, aclDataType type) {
  const auto single = static_cast<float>(value);
  switch (static_cast<int>(type)) {
    case ACL_FLOAT:
      put(out, index, single);
      return true;
    case ACL_FLOAT16:
      put(out, index, float_to_half(single));
      return true;
    case ACL_BF16:
      put(out, index, float_to_bf16(single));
      return true;
    default:
      return false;
  }
}

bool is_real(aclDataType type) { return type == ACL_FLOAT || type == ACL_FLOAT16 || type == ACL_BF16; }

// Every value of the range is equally likely to within 2^-64.
template <class T>
Status fill_integers(const RandomBits& bits, void* out, uint64_t count, T min, T max) {
  if (max < min) return bad_parameter("the maximum of the uniform distribution is below its minimum");
  const uint64_t range = static_cast<uint64_t>(max) - static_cast<uint64_t>(min);
  for (uint64_t i = 0; i < count; ++i) {
    const auto scaled = static_cast<unsigned __int128>(bits.at(i)[0]) * range;
    put(out, i, static_cast<T>(static_cast<uint64_t>(min) + static_cast<uint64_t>(scaled >> 64)));
  }
  return {};
}

Status check_normal(aclDataType type, double mean, double deviation) {
  if (!is_real(type))
    return bad_parameter(formatted("a normal distribution needs a float type, not data type {}", type));
  if (!std::isfinite(mean) || !std::isfinite(deviation) || deviation < 0)
    return bad_parameter(
        formatted("mean {} and deviation {} must be finite, the deviation not below 0", mean, deviation));
  return {};
}

}  // namespace

// Ten rounds of multiplications whose halves cross over, under keys that step on with every round (Philox 4x32).
std::array<uint64_t, 2> RandomBits::at(uint64_t index, uint32_t draw) const {
  constexpr uint64_t kLeft = 0xD2511F53, kRight = 0xCD9E8D57;
  constexpr uint32_t kStep0 = 0x9E3779B9, kStep1 = 0xBB67AE85;
  auto key0 = static_cast<uint32_t>(seed_), key1 = static_cast<uint32_t>(seed_ >> 32) ^ draw * 0x85EBCA6B;
  uint32_t a = static_cast<uint32_t>(index), b = static_cast<uint32_t>(index >> 32);
  uint32_t c = static_cast<uint32_t>(counter_), d = static_cast<uint32_t>(counter_ >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t left = kLeft * a, right = kRight * c;
    a = static_cast<uint32_t>(right >> 32) ^ b ^ key0;
    b = static_cast<uint32_t>(right);
    c = static_cast<uint32_t>(left >> 32) ^ d ^ key1;
    d = static_cast<uint32_t>(left);
    key0 += kStep0;
    key1 += kStep1;
  }
  return {uint64_t{b} << 32 | a, uint64_t{d} << 32 | c};
}

double RandomBits::uniform(uint64_t index, uint32_t draw) const { return unit(at(index, draw)[0]); }

// Box and Muller's transform; 1 - u keeps the logarithm finite.
double RandomBits::normal(uint64_t index, uint32_t draw) const {
  const auto [first, second] = at(index, draw);
  return std::sqrt(-2 * std::log(1 - unit(first))) * std::cos(2 * std::numbers::pi * unit(second));
}

size_t random_element_size(aclDataType type) {
  switch (static_cast<int>(type)) {
    case ACL_FLOAT16:
    case ACL_BF16:
      return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
      return 4;
    case ACL_INT64:
    case ACL_UINT64:
      return 8;
    default:
      return 0;
  }
}

Result<RandomParameter> read_random_parameter(const void* element, aclDataType type) {
  switch (static_cast<int>(type)) {
    case ACL_FLOAT:
      return RandomParameter{.real = get<float>(element)};
    case ACL_FLOAT16:
      return RandomParameter{.real = half_to_float(get<uint16_t>(element))};
    case ACL_BF16:
      return RandomParameter{.real = bf16_to_float(get<uint16_t>(element))};
    case ACL_INT32:
      return RandomParameter{.integer = get<int32_t>(element)};
    case ACL_INT64:
      return RandomParameter{.integer = get<int64_t>(element)};
    case ACL_UINT32:
      return RandomParameter{.whole = get<uint32_t>(element)};
    case ACL_UINT64:
      return RandomParameter{.whole = get<uint64_t>(element)};
    default:
      return unknown_type(type);
  }
}

Status fill_uniform(const RandomBits& bits, void* out, uint64_t count, aclDataType type, RandomParameter min,
                    RandomParameter max) {
  switch (static_cast<int>(type)) {
    case ACL_INT32:
      return fill_integers(bits, out, count, static_cast<int32_t>(min.integer), static_cast<int32_t>(max.integer));
    case ACL_INT64:
      return fill_integers(bits, out, count, min.integer, max.integer);
    case ACL_UINT32:
      return fill_integers(bits, out, count, static_cast<uint32_t>(min.whole), static_cast<uint32_t>(max.whole));
    case ACL_UINT64:
      return fill_integers(bits, out, count, min.whole, max.whole);
    default:
      break;
  }
  if (!is_real(type)) return unknown_type(type);
  if (!std::isfinite(min.real) || !std::isfinite(max.real) || max.real < min.real)
    return bad_parameter(formatted("a uniform distribution cannot go from {} to {}", min.real, max.real));
  for (uint64_t i = 0; i < count; ++i) put_real(out, i, min.real + bits.uniform(i) * (max.real - min.real), type);
  return {};
}

Status fill_normal(const RandomBits& bits, void* out, uint64_t count, aclDataType type, double mean, double deviation) {
  TRY(check_normal(type, mean, deviation));
  for (uint64_t i = 0; i < count; ++i) put_real(out, i, mean + deviation * bits.normal(i), type);
  return {};
}

Status fill_truncated_normal(const RandomBits& bits, void* out, uint64_t count, aclDataType type, double mean,
                             double deviation) {
  TRY(check_normal(type, mean, deviation));
  for (uint64_t i = 0; i < count; ++i) {
    double value = bits.normal(i);
    for (uint32_t draw = 1; std::abs(value) > 2; ++draw) value = bits.normal(i, draw);
    put_real(out, i, mean + deviation * value, type);
  }
  return {};
}

Status fill_dropout_mask(const RandomBits& bits, void* out, uint64_t count, double ratio) {
  if (!(ratio >= 0 && ratio <= 1))
    return bad_parameter(formatted("the dropout ratio is {}; it must be from 0 to 1", ratio));
  auto* mask = static_cast<uint8_t*>(out);
  std::memset(mask, 0, (count + 7) / 8);
  for (uint64_t i = 0; i < count; ++i)
    if (bits.uniform(i) >= ratio) mask[i / 8] = static_cast<uint8_t>(mask[i / 8] | 1u << (i % 8));
  return {};
}

}  // namespace belay
