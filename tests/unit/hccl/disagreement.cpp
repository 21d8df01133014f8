// SPDX-License-Identifier: Apache-2.0
// Ranks that do not agree, do not come, or wait for each other in a circle: each ends, and says who.
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "support/ranks.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

constexpr aclError kFailed = 507048;

// Every rank's stream fails, or the call of one that comes late, and its message holds all of these parts.
void expect_all_fail(uint32_t size, const std::function<HcclResult(const Rank& rank)>& call,
                     const std::vector<std::string>& parts, HcclResult async, const HcclCommConfig* config = nullptr) {
  on_ranks(
      size,
      [&](const Rank& rank) {
        forget_errors();
        const HcclResult called = call(rank);
        if (called == HCCL_SUCCESS)
          EXPECT_EQ(rank.synchronize(), kFailed);
        else
          ASSERT_EQ(called, async) << message();  // it came when the others had found out
        const std::string text = message();
        for (const std::string& part : parts) EXPECT_THAT(text, HasSubstr(part));
        HcclResult error = HCCL_SUCCESS;
        EXPECT_EQ(HcclGetCommAsyncError(rank.comm, &error), HCCL_SUCCESS);
        EXPECT_EQ(error, async);
        EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), async);  // and it stays so
      },
      config);
}

TEST(Disagreement, OfCountsNamesRanksParameterAndBothValues) {
  expect_all_fail(
      3,
      [](const Rank& rank) {
        static thread_local std::unique_ptr<Buffer<float>> buffer;
        buffer = std::make_unique<Buffer<float>>(8);
        const uint64_t count = rank.rank == 2 ? 7 : 8;
        return HcclAllReduce(buffer->data(), buffer->data(), count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm,
                             rank.stream);
      },
      {"EI0005", "count is", "rank 2", "AllReduce_"}, HCCL_E_PARA);
}

// Each rank may be in the middle of an attempt when the others have given up: nobody waits for one who has not gone on.
TEST(Disagreement, OfOneWhoComesLateLeavesNobodyWaiting) {
  for (const int delay : {0, 10, 20, 30, 40, 50, 60, 80}) {
    std::atomic<bool> first_came = false;
    on_ranks(3, [&](const Rank& rank) {
      const Buffer<int32_t> data(2103);
      EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
      EXPECT_EQ(rank.synchronize(), ACL_SUCCESS);
      if (rank.rank == 0) {
        usleep(500);
        first_came = true;
      }
      if (rank.rank == 2) {
        while (!first_came) std::this_thread::yield();
        usleep(delay);
      }
      const HcclResult called = HcclReduceScatter(data.data(), data.data(), rank.rank == 2 ? 701 : 700,
                                                  HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, rank.comm, rank.stream);
      if (called == HCCL_SUCCESS)
        EXPECT_EQ(rank.synchronize(), kFailed);
      else
        EXPECT_EQ(called, HCCL_E_PARA);
    });
  }
}

// An operation with arrays of counts, called by rank 1 with another element than the others.
using Uneven = std::function<HcclResult(const Rank& rank, const Buffer<float>& data, std::vector<uint64_t>& counts,
                                        std::vector<uint64_t>& places)>;
void expect_named(const Uneven& call, const std::string& element, const std::string& before) {
  std::vector<std::string> texts(3);
  on_ranks(3, [&](const Rank& rank) {
    forget_errors();
    const Buffer<float> data(64);
    std::vector<uint64_t> counts{2, 3, 4}, places{0, 2, 5};
    // A rank may have all that it needs, and hears of it later.
    HcclResult called = call(rank, data, counts, places);
    aclError ran = ACL_SUCCESS;
    for (int turn = 0; called == HCCL_SUCCESS && ran == ACL_SUCCESS && turn < 3; ++turn) {
      ran = rank.synchronize();
      if (ran == ACL_SUCCESS) called = HcclBarrier(rank.comm, rank.stream);
    }
    texts[rank.rank] = message();
  });
  for (const std::string& text : texts)
    EXPECT_THAT(text,
                testing::AnyOf(testing::ContainsRegex(element + " is " + before + " on rank [02] and 7 on rank 1"),
                               testing::ContainsRegex(element + " is 7 on rank 1 and " + before + " on rank [02]")));
}

TEST(Disagreement, OfCountsOfAllGatherVNamesTheElement) {
  expect_named(
      [](const Rank& rank, const Buffer<float>& data, auto& counts, auto& places) {
        if (rank.rank == 1) counts[2] = 7;
        return HcclAllGatherV(data.data(), counts[rank.rank], data.data() + 32, counts.data(), places.data(),
                              HCCL_DATA_TYPE_FP32, rank.comm, rank.stream);
      },
      R"(recvCounts\[2\])", "4");
}

TEST(Disagreement, OfDisplacementsOfReduceScatterVNamesTheElement) {
  expect_named(
      [](const Rank& rank, const Buffer<float>& data, auto& counts, auto& places) {
        if (rank.rank == 1) places[1] = 7;
        return HcclReduceScatterV(data.data(), counts.data(), places.data(), data.data() + 32, counts[rank.rank],
                                  HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm, rank.stream);
      },
      R"(sendDispls\[1\])", "2");
}

// The element is of none of rank 1's own parts.
TEST(Disagreement, OfAMatrixNamesTheElement) {
  expect_named(
      [](const Rank& rank, const Buffer<float>& data, auto& counts, auto&) {
        counts.assign(9, 1);
        if (rank.rank == 1) counts[2] = 7;
        return HcclAlltoAllVC(data.data(), counts.data(), HCCL_DATA_TYPE_FP32, data.data() + 32, HCCL_DATA_TYPE_FP32,
                              rank.comm, rank.stream);
      },
      R"(sendCountMatrix\[2\], from rank 0 to rank 2,)", "1");
}

TEST(Disagreement, OfAlltoAllVNamesBothElements) {
  expect_all_fail(
      2,
      [](const Rank& rank) {
        static thread_local std::unique_ptr<Buffer<float>> buffer;
        buffer = std::make_unique<Buffer<float>>(32);
        const uint64_t sent[] = {2, 2}, received[] = {rank.rank == 1 ? 3u : 2u, 2}, places[] = {0, 4};
        return HcclAlltoAllV(buffer->data(), sent, places, HCCL_DATA_TYPE_FP32, buffer->data() + 16, received, places,
                             HCCL_DATA_TYPE_FP32, rank.comm, rank.stream);
      },
      {"EI0005", "recvCounts[0] is 3 on rank 1 and sendCounts[1] is 2 on rank 0"}, HCCL_E_PARA);
}

TEST(Disagreement, OfRootsIsFoundThoughNobodyGivesAnything) {
  expect_all_fail(
      2,
      [](const Rank& rank) {
        static thread_local std::unique_ptr<Buffer<float>> buffer;
        buffer = std::make_unique<Buffer<float>>(8);
        return HcclBroadcast(buffer->data(), 8, HCCL_DATA_TYPE_FP32, 1 - rank.rank, rank.comm, rank.stream);
      },
      {"EI0005", "root is", "rank 0", "rank 1"}, HCCL_E_PARA);
}

// Rank 1 takes itself for the root: it gives nothing that the others expect, and expects nothing that they give.
TEST(Disagreement, OfRootsIsFoundWhereEachHasARootOfItsOwn) {
  using Operation = std::function<HcclResult(void* data, uint32_t root, const Rank& rank)>;
  const Operation operations[] = {
      [](void* data, uint32_t root, const Rank& rank) {
        return HcclBroadcast(data, 4, HCCL_DATA_TYPE_FP32, root, rank.comm, rank.stream);
      },
      [](void* data, uint32_t root, const Rank& rank) {
        return HcclScatter(data, data, 4, HCCL_DATA_TYPE_FP32, root, rank.comm, rank.stream);
      },
      [](void* data, uint32_t root, const Rank& rank) {
        return HcclReduce(data, data, 4, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, root, rank.comm, rank.stream);
      }};
  for (const uint32_t size : {2u, 3u})
    for (const auto& operation : operations)
      expect_all_fail(
          size,
          [&](const Rank& rank) {
            static thread_local std::unique_ptr<Buffer<float>> buffer;
            buffer = std::make_unique<Buffer<float>>(16);
            return operation(buffer->data(), rank.rank == 1 ? 1 : 0, rank);
          },
          {"EI0005", "root is"}, HCCL_E_PARA);
}

TEST(Disagreement, OfOperationsShowsBoth) {
  expect_all_fail(
      2,
      [](const Rank& rank) {
        static thread_local std::unique_ptr<Buffer<float>> buffer;
        buffer = std::make_unique<Buffer<float>>(8);
        if (rank.rank == 0)
          return HcclAllReduce(buffer->data(), buffer->data(), 8, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm,
                               rank.stream);
        return HcclBroadcast(buffer->data(), 8, HCCL_DATA_TYPE_FP32, 0, rank.comm, rank.stream);
      },
      {"EI0005", "AllReduce(count 8, fp32, sum)", "Broadcast(count 8, fp32, root 0)"}, HCCL_E_PARA);
}

TEST(Disagreement, OfAMessageNamesCounts) {
  expect_all_fail(
      2,
      [](const Rank& rank) {
        static thread_local std::unique_ptr<Buffer<float>> buffer;
        buffer = std::make_unique<Buffer<float>>(8);
        if (rank.rank == 0) return HcclSend(buffer->data(), 8, HCCL_DATA_TYPE_FP32, 1, rank.comm, rank.stream);
        return HcclRecv(buffer->data(), 6, HCCL_DATA_TYPE_FP32, 0, rank.comm, rank.stream);
      },
      {"EI0005", "count is 6 on rank 1 and 8 on rank 0"}, HCCL_E_PARA);
}

}  // namespace

// Until the others have given up.
[[gnu::noinline]] HcclResult stay_away(HcclComm comm) {
  HcclResult error = HCCL_SUCCESS;
  while (error == HCCL_SUCCESS) EXPECT_EQ(HcclGetCommAsyncError(comm, &error), HCCL_SUCCESS);
  return error;
}

namespace {

// Rank 1 comes to the first one when the others have destroyed it and made the next; each must meet its own.
TEST(Parts, OfOneIdAreNotThoseThatWereMadeBefore) {
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  on_ranks(3, [&](const Rank& rank) {
    const Buffer<float> buffer(8);
    uint32_t members[] = {0, 1, 2};
    for (int turn = 0; turn < 60; ++turn) {
      HcclComm whole = rank.comm, part = nullptr;
      ASSERT_EQ(HcclCreateSubCommConfig(&whole, 3, members, 5, rank.rank, &config, &part), HCCL_SUCCESS) << message();
      if (turn % 2) {
        ASSERT_EQ(HcclBroadcast(buffer.data(), 8, HCCL_DATA_TYPE_FP32, 1, part, rank.stream), HCCL_SUCCESS);
        ASSERT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
      } else if (rank.rank == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      ASSERT_EQ(HcclCommDestroy(part), HCCL_SUCCESS);
    }
  });
}

// Ranks 0 and 1 make it of two ranks, rank 2 of three.
TEST(Absence, FromAPartSaysThatOneOfOthersWasMade) {
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  config.hcclExecTimeOut = 1;
  std::barrier told(3);
  on_ranks(3, [&](const Rank& rank) {
    const Buffer<float> buffer(8);
    HcclComm whole = rank.comm, part = nullptr;
    uint32_t members[] = {0, 1, 2};
    const uint32_t size = rank.rank == 2 ? 3 : 2;
    EXPECT_EQ(HcclCreateSubCommConfig(&whole, size, members, 5, rank.rank, &config, &part), HCCL_SUCCESS) << message();
    EXPECT_EQ(HcclBroadcast(buffer.data(), 8, HCCL_DATA_TYPE_FP32, 1, part, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), rank.rank == 2 ? kFailed : ACL_SUCCESS);
    if (rank.rank == 2)
      EXPECT_THAT(message(),
                  HasSubstr("for rank 1: rank 1 has not made this communicator of the ranks 0,1,2, but one of "
                            "the ranks 0,1"));
    told.arrive_and_wait();
    EXPECT_EQ(HcclCommDestroy(part), HCCL_SUCCESS);
  });
}

// Ranks 0 and 2 make it, of other ranks; rank 1 makes none.
TEST(Absence, FromAPartSaysThatItWasNotMade) {
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  config.hcclExecTimeOut = 1;
  on_ranks(3, [&](const Rank& rank) {
    if (rank.rank == 1) return;
    const Buffer<float> buffer(8);
    HcclComm whole = rank.comm, part = nullptr;
    uint32_t members[] = {0, 1, 2};
    const uint32_t size = rank.rank == 2 ? 3 : 2;
    ASSERT_EQ(HcclCreateSubCommConfig(&whole, size, members, 5, rank.rank, &config, &part), HCCL_SUCCESS) << message();
    EXPECT_EQ(HcclBroadcast(buffer.data(), 8, HCCL_DATA_TYPE_FP32, 1, part, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), kFailed);
    EXPECT_THAT(message(), testing::EndsWith("rank 1 has not made this communicator"));
    EXPECT_EQ(HcclCommDestroy(part), HCCL_SUCCESS);
  });
}

TEST(Absence, NamesTheRankAndWhatItDidLastAndWhereItIs) {
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  config.hcclExecTimeOut = 1;
  on_ranks(
      2,
      [](const Rank& rank) {
        const Buffer<float> buffer(8);
        EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
        EXPECT_EQ(rank.synchronize(), ACL_SUCCESS);
        if (rank.rank == 1) {
          EXPECT_EQ(stay_away(rank.comm), HCCL_E_REMOTE);
          return;
        }
        EXPECT_EQ(HcclBroadcast(buffer.data(), 8, HCCL_DATA_TYPE_FP32, 1, rank.comm, rank.stream), HCCL_SUCCESS);
        EXPECT_EQ(rank.synchronize(), kFailed);
        const std::string told = message();
        EXPECT_THAT(told,
                    HasSubstr("rank 1 (device 1) has not called operation 2 of this communicator; it last ran its "
                              "operation 1; its thread is in "));
        // Without addr2line there are only offsets; ThreadSanitizer's own frames cannot be walked through.
        EXPECT_THAT(told, testing::AnyOf(HasSubstr("stay_away"), HasSubstr("unit_hccl+0x"), HasSubstr("(libtsan.so")));
      },
      &config);
}

TEST(Absence, OfARankThatHasDestroyedItsCommunicatorIsNoticed) {
  on_ranks(2, [](const Rank& rank) {
    if (rank.rank == 1) return;
    EXPECT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), kFailed);
    EXPECT_THAT(message(), HasSubstr("for rank 1, which has destroyed its communicator"));
  });
}

// Two communicators of the same ranks, used in another order on each.
void cross(bool synchronize_between) {
  const HcclRootInfo first = new_token(), second = new_token();
  on_devices(2, [&](uint32_t rank) {
    HcclComm comms[2] = {};
    ASSERT_EQ(HcclCommInitRootInfo(2, &first, rank, &comms[0]), HCCL_SUCCESS);
    ASSERT_EQ(HcclCommInitRootInfo(2, &second, rank, &comms[1]), HCCL_SUCCESS);
    const aclrtStream stream = new_stream();
    forget_errors();
    EXPECT_EQ(HcclBarrier(comms[rank], stream), HCCL_SUCCESS);
    if (!synchronize_between) EXPECT_EQ(HcclBarrier(comms[1 - rank], stream), HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kFailed);
    EXPECT_THAT(message(), testing::AnyOf(HasSubstr("in a circle"), HasSubstr("destroyed"), HasSubstr("aborted")));
    for (const HcclComm comm : comms) EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
    aclrtDestroyStream(stream);
  });
}

TEST(Circle, OfQueuedOperationsIsFoundAtOnce) { cross(false); }
TEST(Circle, OfRanksThatWaitForTheirStreamsIsFound) { cross(true); }

TEST(Afterwards, TheProcessCanMakeANewCommunicator) {
  on_ranks(2, [](const Rank& rank) {
    const Buffer<float> buffer(4, 1.5f);
    EXPECT_EQ(
        HcclAllReduce(buffer.data(), buffer.data(), 4, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm, rank.stream),
        HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), ACL_SUCCESS);
    EXPECT_EQ(buffer.values(), std::vector<float>(4, 3.0f));
  });
}

}  // namespace
