// SPDX-License-Identifier: Apache-2.0
#include "comm/combine.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "base/half.h"
#include "comm/engine/lanes.h"

namespace belay::comm {
namespace {

TEST(Lanes, FromHalfIsTheFloatThatItStandsFor) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    ASSERT_EQ(std::bit_cast<uint32_t>(lane_from_half(half)), std::bit_cast<uint32_t>(half_to_float(half))) << bits;
    ASSERT_EQ(std::bit_cast<uint32_t>(lane_from_bf16(half)), std::bit_cast<uint32_t>(bf16_to_float(half))) << bits;
  }
}

// Every upper half of a float, with lower halves around all places where rounding turns.
TEST(Lanes, ToHalfRoundsToNearestEven) {
  constexpr uint32_t lower[] = {0,      1,      0x0fff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x3000,
                                0x7fff, 0x8000, 0x8001, 0xefff, 0xf000, 0xf001, 0xffff};
  for (uint32_t upper = 0; upper <= 0xffff; ++upper)
    for (const uint32_t low : lower) {
      const auto value = std::bit_cast<float>(upper << 16 | low);
      ASSERT_EQ(lane_to_half(value), std::isnan(value) ? 0x7e00 : float_to_half(value)) << upper << " " << low;
      ASSERT_EQ(lane_to_bf16(value), std::isnan(value) ? 0x7fc0 : float_to_bf16(value)) << upper << " " << low;
    }
}

// Three ranks' NaN of different payloads and signs, in all orders.
TEST(Combine, MakesTheSameNanOfHalvesWhereverTheyLie) {
  constexpr uint16_t halves[] = {0x7e01, 0xfe02, 0x7c01, 0x3c00}, bfloats[] = {0x7fc1, 0xffc2, 0x7f81, 0x3f80};
  for (const HcclReduceOp op : {HCCL_REDUCE_SUM, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX, HCCL_REDUCE_MIN})
    for (const size_t count : {1, 3, 8, 17, 100})
      for (size_t a = 0; a < 4; ++a)
        for (size_t b = 0; b < 4; ++b) {
          if (a == 3 && b == 3) continue;
          std::vector<uint16_t> left(count, halves[a]), right(count, halves[b]), out(count);
          combine(out.data(), left.data(), right.data(), count, HCCL_DATA_TYPE_FP16, op);
          ASSERT_EQ(out, std::vector<uint16_t>(count, 0x7e00)) << a << b << op;
          left.assign(count, bfloats[a]);
          right.assign(count, bfloats[b]);
          combine(out.data(), left.data(), right.data(), count, HCCL_DATA_TYPE_BFP16, op);
          ASSERT_EQ(out, std::vector<uint16_t>(count, 0x7fc0)) << a << b << op;
        }
}

float one_by_one(float a, float b, HcclReduceOp op) {
  if (op == HCCL_REDUCE_SUM) return a + b;
  if (op == HCCL_REDUCE_PROD) return a * b;
  if (std::isnan(a) || std::isnan(b)) return NAN;
  return op == HCCL_REDUCE_MAX ? std::max(a, b) : std::min(a, b);
}

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

TEST(Combine, EveryElementOfAnyLengthWhereverTheResultLies) {
  std::mt19937 random(1);
  for (const HcclReduceOp op : {HCCL_REDUCE_SUM, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX, HCCL_REDUCE_MIN})
    for (const size_t count : {1, 3, 4, 5, 31, 100})
      for (const int place : {0, 1, 2}) {
        std::vector<float> floats[3];
        std::vector<uint16_t> halves[3];
        for (auto& values : floats) {
          for (size_t i = 0; i < count; ++i) values.push_back(static_cast<float>(random() % 2000) / 16 - 50);
          values[random() % count] = NAN;
        }
        for (int side = 0; side < 3; ++side)
          for (const float value : floats[side]) halves[side].push_back(float_to_half(value));
        std::vector<float> expected;
        std::vector<uint16_t> expected_halves;
        for (size_t i = 0; i < count; ++i) {
          expected.push_back(one_by_one(floats[1][i], floats[2][i], op));
          expected_halves.push_back(
              float_to_half(one_by_one(half_to_float(halves[1][i]), half_to_float(halves[2][i]), op)));
        }
        combine(floats[place].data(), floats[1].data(), floats[2].data(), count, HCCL_DATA_TYPE_FP32, op);
        combine(halves[place].data(), halves[1].data(), halves[2].data(), count, HCCL_DATA_TYPE_FP16, op);
        for (size_t i = 0; i < count; ++i) {
          EXPECT_TRUE(same(floats[place][i], expected[i])) << op << " of " << count << " at " << i;
          EXPECT_TRUE(same(half_to_float(halves[place][i]), half_to_float(expected_halves[i])))
              << op << " of " << count << " at " << i;
        }
      }
}

TEST(Combine, IntegersWrap) {
  const int8_t a[] = {127, -128, 100}, b[] = {1, -1, 100};
  int8_t out[3];
  combine(out, a, b, 3, HCCL_DATA_TYPE_INT8, HCCL_REDUCE_SUM);
  EXPECT_EQ(std::vector<int8_t>(out, out + 3), (std::vector<int8_t>{-128, 127, -56}));
  combine(out, a, b, 3, HCCL_DATA_TYPE_INT8, HCCL_REDUCE_PROD);
  EXPECT_EQ(std::vector<int8_t>(out, out + 3), (std::vector<int8_t>{127, -128, 16}));
}

}  // namespace
}  // namespace belay::comm
