// SPDX-License-Identifier: Apache-2.0
// Messages in groups and batches, and ranks that wait for each other's. What arrives is what was filled in by hand.
#include "support/ranks.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

constexpr uint64_t kCount = 5000;
constexpr aclError kFailed = 507048;
constexpr auto kType = HCCL_DATA_TYPE_FP32;

TEST(GroupedMessages, ToTheOwnRankAreCopied) {
  on_ranks(2, [](const Rank& rank) {
    const uint32_t other = 1 - rank.rank;
    const Buffer<float> mine(kCount, static_cast<float>(rank.rank) + 1), theirs(kCount), again(kCount);
    EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
    EXPECT_EQ(HcclSend(mine.data(), kCount, kType, rank.rank, rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(HcclSend(mine.data(), kCount, kType, other, rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(HcclRecv(theirs.data(), kCount, kType, other, rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(HcclRecv(again.data(), kCount, kType, rank.rank, rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
    ASSERT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
    EXPECT_EQ(theirs.values(), std::vector<float>(kCount, static_cast<float>(other) + 1));
    EXPECT_EQ(again.values(), mine.values());
  });
}

// HcclGroupEnd is a success all the same, as the vendor's is.
TEST(GroupedMessages, ThatAreRefusedFailTheStreamsOfAllRanks) {
  on_ranks(2, [](const Rank& rank) {
    const uint32_t other = 1 - rank.rank;
    const Buffer<float> out(kCount), in(kCount);
    forget_errors();
    EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
    EXPECT_EQ(HcclSend(out.data(), kCount, kType, other, rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(HcclRecv(in.data(), kCount, kType, other, rank.comm, rank.stream), HCCL_SUCCESS);
    if (rank.rank == 1) EXPECT_EQ(HcclSend(out.data(), 7, kType, 1, rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
    const std::string why = "the messages from rank 1 to itself are no pairs: 1 are sent and 0 received";
    if (rank.rank == 1) EXPECT_THAT(message(), HasSubstr(why));
    EXPECT_EQ(rank.synchronize(), kFailed);
    EXPECT_THAT(message(), HasSubstr(why));
    HcclResult error = HCCL_SUCCESS;
    EXPECT_EQ(HcclGetCommAsyncError(rank.comm, &error), HCCL_SUCCESS);
    EXPECT_EQ(error, HCCL_E_REMOTE);
  });
}

TEST(Batches, SayWhichPairDiffers) {
  on_ranks(1, [](const Rank& rank) {
    const Buffer<float> buffer(32);
    HcclSendRecvItem items[] = {{HCCL_SEND, buffer.data(), 8, kType, 0}, {HCCL_RECV, buffer.data() + 8, 6, kType, 0}};
    EXPECT_FAILS(HcclBatchSendRecv(items, 2, rank.comm, rank.stream), HCCL_E_PARA,
                 "the one at 0 is sent as Send(count 8, fp32) and received as Recv(count 6, fp32)");
  });
}

// Rank 1 receives from rank 2 and rank 0 in one batch; rank 2 sends only after rank 0's message to it, and that comes
// only after the one to rank 1.
TEST(Batches, DoNotOrderTheMessagesOfDifferentRanks) {
  on_ranks(3, [](const Rank& rank) {
    const Buffer<float> out(kCount, static_cast<float>(rank.rank)), first(kCount, -1.0f), second(kCount, -1.0f);
    HcclSendRecvItem items[] = {{HCCL_RECV, first.data(), kCount, kType, 2},
                                {HCCL_RECV, second.data(), kCount, kType, 0}};
    if (rank.rank == 0) {
      EXPECT_EQ(HcclSend(out.data(), kCount, kType, 1, rank.comm, rank.stream), HCCL_SUCCESS);
      EXPECT_EQ(HcclSend(out.data(), kCount, kType, 2, rank.comm, rank.stream), HCCL_SUCCESS);
    } else if (rank.rank == 1) {
      EXPECT_EQ(HcclBatchSendRecv(items, 2, rank.comm, rank.stream), HCCL_SUCCESS);
    } else {
      EXPECT_EQ(HcclRecv(first.data(), kCount, kType, 0, rank.comm, rank.stream), HCCL_SUCCESS);
      EXPECT_EQ(HcclSend(out.data(), kCount, kType, 1, rank.comm, rank.stream), HCCL_SUCCESS);
    }
    ASSERT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
    if (rank.rank == 1) {
      EXPECT_EQ(first.values(), std::vector<float>(kCount, 2.0f));
      EXPECT_EQ(second.values(), std::vector<float>(kCount, 0.0f));
    }
  });
}

void expect_circle(const Rank& rank, const char* waits) {
  EXPECT_EQ(rank.synchronize(), kFailed);
  const std::string text = message();
  EXPECT_THAT(text, HasSubstr("wait for each other in a circle"));
  EXPECT_THAT(text, HasSubstr(waits));
}

TEST(Circles, OfSendsAreFound) {
  for (const uint32_t size : {2u, 3u})
    on_ranks(size, [&](const Rank& rank) {
      const Buffer<float> out(kCount), in(kCount);
      const uint32_t next = (rank.rank + 1) % size, before = (rank.rank + size - 1) % size;
      EXPECT_EQ(HcclSend(out.data(), kCount, kType, next, rank.comm, rank.stream), HCCL_SUCCESS);
      EXPECT_EQ(HcclRecv(in.data(), kCount, kType, before, rank.comm, rank.stream), HCCL_SUCCESS);
      expect_circle(rank, "waits in Send(count 5000, fp32) for rank 0");
    });
}

// What would break it is not called before: the program waits in each of its ranks.
TEST(Circles, OfReceivesThatNobodyHasSentAreFound) {
  on_ranks(2, [&](const Rank& rank) {
    const Buffer<float> in(kCount);
    EXPECT_EQ(HcclRecv(in.data(), kCount, kType, 1 - rank.rank, rank.comm, rank.stream), HCCL_SUCCESS);
    expect_circle(rank, "waits in Recv(count 5000, fp32) for rank 0");
  });
}

// Each rank's second stream waits for an event of its first.
TEST(Circles, ThroughEventsAreFound) {
  on_ranks(2, [&](const Rank& rank) {
    const Buffer<float> data(kCount);
    const aclrtStream second = new_stream();
    aclrtEvent event = nullptr;
    EXPECT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
    EXPECT_EQ(HcclSend(data.data(), kCount, kType, 1 - rank.rank, rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(aclrtRecordEvent(event, rank.stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamWaitEvent(second, event), ACL_SUCCESS);
    EXPECT_EQ(HcclRecv(data.data(), kCount, kType, 1 - rank.rank, rank.comm, second), HCCL_SUCCESS);
    expect_circle(rank, "waits in Send(count 5000, fp32) for rank 0");
    EXPECT_EQ(aclrtSynchronizeStream(second), kFailed);
    EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(second), ACL_SUCCESS);
  });
}

}  // namespace
