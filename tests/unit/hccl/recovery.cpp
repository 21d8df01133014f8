// SPDX-License-Identifier: Apache-2.0
// Suspend, abort, agree, resume: what frameworks do to go on after something went wrong.
#include <barrier>

#include "hccl/hccl_comm.h"
#include "support/ranks.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

HcclResult add_up(const Rank& rank, const Buffer<float>& buffer, uint64_t count) {
  return HcclAllReduce(buffer.data(), buffer.data(), count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm,
                       rank.stream);
}

TEST(Recovery, AfterAnAbortThatLeftRanksInAnOperationTheyGoOnTogether) {
  std::barrier agreed(3);
  on_ranks(3, [&](const Rank& rank) {
    for (int turn = 0; turn < 3; ++turn) {
      const Buffer<float> lost(20000, 1.0f), kept(20000, static_cast<float>(rank.rank));
      for (const uint64_t count : {20000, 10, 20000}) {
        // Refused when another rank has given up by then.
        if (rank.rank != 1) {
          EXPECT_THAT(add_up(rank, lost, count), testing::AnyOf(HCCL_SUCCESS, HCCL_E_REMOTE));
        }
      }
      EXPECT_EQ(HcclCommSuspend(rank.comm), HCCL_SUCCESS);
      EXPECT_EQ(aclrtDeviceTaskAbort(static_cast<int32_t>(rank.rank), 0), ACL_SUCCESS);
      agreed.arrive_and_wait();
      EXPECT_EQ(HcclCommResume(rank.comm), HCCL_SUCCESS) << message();
      HcclResult error = HCCL_E_REMOTE;
      EXPECT_EQ(HcclGetCommAsyncError(rank.comm, &error), HCCL_SUCCESS);
      EXPECT_EQ(error, HCCL_SUCCESS);
      EXPECT_EQ(add_up(rank, kept, 20000), HCCL_SUCCESS);
      EXPECT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
      EXPECT_EQ(kept.values(), std::vector<float>(20000, 3.0f));
      EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
      EXPECT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
    }
  });
}

TEST(Recovery, OfOperationsThatNothingHappenedToLetsThemEnd) {
  on_ranks(2, [&](const Rank& rank) {
    const Buffer<float> buffer(500000, 1.0f);
    EXPECT_EQ(add_up(rank, buffer, 500000), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommSuspend(rank.comm), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommResume(rank.comm), HCCL_SUCCESS);
    EXPECT_EQ(add_up(rank, buffer, 500000), HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
    EXPECT_EQ(buffer.values(), std::vector<float>(500000, 4.0f));
  });
}

TEST(Recovery, AfterADisagreementTheSameCommunicatorIsUsedAgain) {
  std::barrier agreed(2);
  on_ranks(2, [&](const Rank& rank) {
    const Buffer<float> buffer(8, 1.0f);
    EXPECT_EQ(add_up(rank, buffer, 7 + rank.rank), HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), 507048);
    forget_errors();
    agreed.arrive_and_wait();
    EXPECT_EQ(HcclCommResume(rank.comm), HCCL_SUCCESS) << message();
    EXPECT_EQ(add_up(rank, buffer, 8), HCCL_SUCCESS) << message();
    EXPECT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
    EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), ACL_SUCCESS);
  });
}

}  // namespace
