// SPDX-License-Identifier: Apache-2.0
// AllReduce over ranks that are threads. The oracle is a plain loop in the order of the ranks.
#include <cmath>

#include "support/ranks.h"

namespace {

using namespace belay::test;

class AllReduceOfRanks : public testing::TestWithParam<uint32_t> {};

float value(uint32_t rank, size_t i) {
  return std::sin(static_cast<float>(i * 7 + rank * 13)) * std::exp2(static_cast<float>(i % 20));
}

TEST_P(AllReduceOfRanks, AddsInTheOrderOfTheRanks) {
  for (const size_t count : {size_t{1}, size_t{3}, size_t{4096}, size_t{4097}, size_t{100003}}) {
    std::vector<float> expected(count);
    for (size_t i = 0; i < count; ++i) {
      expected[i] = value(0, i);
      for (uint32_t rank = 1; rank < GetParam(); ++rank) expected[i] += value(rank, i);
    }
    on_ranks(GetParam(), [&](const Rank& rank) {
      std::vector<float> mine(count);
      for (size_t i = 0; i < count; ++i) mine[i] = value(rank.rank, i);
      const Buffer<float> send(mine), recv(count), in_place(mine);
      EXPECT_EQ(
          HcclAllReduce(send.data(), recv.data(), count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm, rank.stream),
          HCCL_SUCCESS);
      EXPECT_EQ(HcclAllReduce(in_place.data(), in_place.data(), count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm,
                              rank.stream),
                HCCL_SUCCESS);
      EXPECT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
      EXPECT_EQ(recv.values(), expected);
      EXPECT_EQ(in_place.values(), expected);
      EXPECT_EQ(send.values(), mine);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(, AllReduceOfRanks, testing::Values(1, 2, 3, 5, 8));

}  // namespace
