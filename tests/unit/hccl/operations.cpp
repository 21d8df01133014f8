// SPDX-License-Identifier: Apache-2.0
// Every operation over its types and reduce ops, ranks as threads, against plain loops that know nothing of ranks'
// memory.
#include <algorithm>
#include <cmath>
#include <limits>

#include "support/hccl_oracle.h"
#include "support/ranks.h"

namespace {

using namespace belay::test;
using oracle::Bytes;

class Operations : public testing::TestWithParam<uint32_t> {
 protected:
  uint32_t size() const { return GetParam(); }
  // What rank r sends, for all ranks, seen from outside.
  std::vector<Bytes> inputs(size_t count, HcclDataType type, uint32_t salt) const {
    std::vector<Bytes> all;
    for (uint32_t rank = 0; rank < size(); ++rank) all.push_back(oracle::values(count, type, rank * 977 + salt));
    return all;
  }
};

constexpr HcclReduceOp kOps[] = {HCCL_REDUCE_SUM, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX, HCCL_REDUCE_MIN};
constexpr size_t kCounts[] = {1, 7, 3011};

TEST_P(Operations, Reductions) {
  on_ranks(size(), [&](const Rank& rank) {
    uint32_t salt = 0;
    for (const HcclDataType type : oracle::kReduced)
      for (const HcclReduceOp op : kOps)
        for (const size_t count : kCounts) {
          if (op == HCCL_REDUCE_PROD && (type == HCCL_DATA_TYPE_INT16 || type == HCCL_DATA_TYPE_BFP16)) continue;
          const size_t element = oracle::size_of(type);
          const auto all = inputs(count * size(), type, ++salt);
          const Bytes whole = oracle::reduced(all, type, op);
          const uint32_t root = salt % size();
          const std::string where =
              "type " + std::to_string(type) + " op " + std::to_string(op) + " count " + std::to_string(count);

          const Buffer<uint8_t> send(all[rank.rank]), out(whole.size()), scattered(count * element),
              to_root(whole.size(), 0x5a);
          const Buffer<uint8_t> in_place(all[rank.rank]), scattered_in_place(all[rank.rank]);
          uint8_t* own = scattered_in_place.data() + rank.rank * count * element;
          EXPECT_EQ(HcclAllReduce(send.data(), out.data(), count * size(), type, op, rank.comm, rank.stream),
                    HCCL_SUCCESS);
          EXPECT_EQ(HcclAllReduce(in_place.data(), in_place.data(), count * size(), type, op, rank.comm, rank.stream),
                    HCCL_SUCCESS);
          EXPECT_EQ(HcclReduce(send.data(), to_root.data(), count * size(), type, op, root, rank.comm, rank.stream),
                    HCCL_SUCCESS);
          EXPECT_EQ(HcclReduceScatter(send.data(), scattered.data(), count, type, op, rank.comm, rank.stream),
                    HCCL_SUCCESS);
          EXPECT_EQ(HcclReduceScatter(scattered_in_place.data(), own, count, type, op, rank.comm, rank.stream),
                    HCCL_SUCCESS);
          ASSERT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
          ASSERT_EQ(out.values(), whole) << where;
          ASSERT_EQ(in_place.values(), whole) << where;
          ASSERT_EQ(to_root.values(), rank.rank == root ? whole : Bytes(whole.size(), 0x5a)) << where;
          const Bytes part(whole.begin() + rank.rank * count * element,
                           whole.begin() + (rank.rank + 1) * count * element);
          ASSERT_EQ(scattered.values(), part) << where;
          Bytes expected = all[rank.rank];
          std::ranges::copy(part, expected.begin() + rank.rank * count * element);
          ASSERT_EQ(scattered_in_place.values(), expected) << where;
          ASSERT_EQ(send.values(), all[rank.rank]) << where;
        }
  });
}

TEST_P(Operations, ReduceScatterV) {
  on_ranks(size(), [&](const Rank& rank) {
    uint32_t salt = 0;
    for (const HcclDataType type : oracle::kReduced)
      for (const HcclReduceOp op : {HCCL_REDUCE_SUM, HCCL_REDUCE_MAX}) {
        const size_t element = oracle::size_of(type);
        std::vector<uint64_t> counts(size()), displs(size());
        uint64_t at = 3;
        for (uint32_t i = 0; i < size(); ++i) {
          counts[i] = i == 1 ? 0 : 5 + i * 300;
          displs[i] = at;
          at += counts[i] + 2;
        }
        const auto all = inputs(at, type, ++salt);
        const Bytes whole = oracle::reduced(all, type, op);
        const Buffer<uint8_t> send(all[rank.rank]), out(counts[rank.rank] * element + 1, 0x5a);
        EXPECT_EQ(HcclReduceScatterV(send.data(), counts.data(), displs.data(), out.data(), counts[rank.rank], type, op,
                                     rank.comm, rank.stream),
                  HCCL_SUCCESS);
        std::ranges::fill(counts, 77);  // read during the call
        ASSERT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
        const uint64_t count = rank.rank == 1 ? 0 : 5 + rank.rank * 300;
        const uint64_t first = size() == 1 ? 0 : displs[rank.rank];  // alone: no displacement
        const Bytes& source = size() == 1 ? all[0] : whole;
        Bytes expected(source.begin() + first * element, source.begin() + (first + count) * element);
        expected.push_back(0x5a);
        ASSERT_EQ(out.values(), expected);
      }
  });
}

TEST_P(Operations, Moves) {
  on_ranks(size(), [&](const Rank& rank) {
    uint32_t salt = 0;
    const size_t n = size();
    for (const HcclDataType type : oracle::kMoved)
      for (const size_t count : kCounts) {
        const size_t bytes = count * oracle::size_of(type);
        const auto all = inputs(count * n, type, ++salt);
        const uint32_t root = salt % size();
        const auto block = [&](uint32_t of, size_t which) {
          return Bytes(all[of].begin() + which * bytes, all[of].begin() + (which + 1) * bytes);
        };
        const Buffer<uint8_t> send(all[rank.rank]), gathered(n * bytes), gathered_in_place(n * bytes),
            exchanged(n * bytes), scattered(bytes);
        const Buffer<uint8_t> sent_by_root(rank.rank == root ? block(root, 0) : Bytes(bytes, 0));
        uint8_t* own = gathered_in_place.data() + rank.rank * bytes;
        ASSERT_EQ(aclrtMemcpy(own, bytes, block(rank.rank, 0).data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
        EXPECT_EQ(HcclBroadcast(sent_by_root.data(), count, type, root, rank.comm, rank.stream), HCCL_SUCCESS);
        EXPECT_EQ(HcclScatter(rank.rank == root ? send.data() : nullptr, scattered.data(), count, type, root, rank.comm,
                              rank.stream),
                  HCCL_SUCCESS);
        EXPECT_EQ(HcclAllGather(send.data(), gathered.data(), count, type, rank.comm, rank.stream), HCCL_SUCCESS);
        EXPECT_EQ(HcclAllGather(own, gathered_in_place.data(), count, type, rank.comm, rank.stream), HCCL_SUCCESS);
        EXPECT_EQ(HcclAlltoAll(send.data(), count, type, exchanged.data(), count, type, rank.comm, rank.stream),
                  HCCL_SUCCESS);
        ASSERT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
        Bytes all_first, all_mine;
        for (uint32_t i = 0; i < size(); ++i) {
          std::ranges::copy(block(i, 0), std::back_inserter(all_first));
          std::ranges::copy(block(i, rank.rank), std::back_inserter(all_mine));
        }
        ASSERT_EQ(sent_by_root.values(), block(root, 0));
        ASSERT_EQ(scattered.values(), block(root, rank.rank));
        ASSERT_EQ(gathered.values(), all_first);
        ASSERT_EQ(gathered_in_place.values(), all_first);
        ASSERT_EQ(exchanged.values(), all_mine);
      }
  });
}

// Rank i sends i + 3j + 1 elements to rank j (none where that is a multiple of 5), with gaps between the blocks.
uint64_t pair_count(uint32_t from, uint32_t to) {
  const uint64_t count = from + 3 * to + 1;
  return count % 5 == 0 ? 0 : count * 11;
}

TEST_P(Operations, CountsByRank) {
  on_ranks(size(), [&](const Rank& rank) {
    const uint32_t n = size();
    for (const HcclDataType type :
         {HCCL_DATA_TYPE_INT8, HCCL_DATA_TYPE_FP16, HCCL_DATA_TYPE_FP64, HCCL_DATA_TYPE_INT128}) {
      const size_t element = oracle::size_of(type);
      std::vector<uint64_t> give(n), from(n), take(n), to(n), matrix(n * n), gather(n), places(n);
      uint64_t sent = 1, received = 2, gathered = 4;
      for (uint32_t i = 0; i < n; ++i) {
        give[i] = pair_count(rank.rank, i), from[i] = sent, sent += give[i] + 1;
        take[i] = pair_count(i, rank.rank), to[i] = received, received += take[i] + 3;
        gather[i] = i == 2 ? 0 : 9 + i, places[i] = gathered, gathered += gather[i] + 1;
        for (uint32_t j = 0; j < n; ++j) matrix[i * n + j] = pair_count(i, j);
      }
      const auto value_of = [&](uint32_t of, uint64_t count) { return oracle::values(count, type, of * 31 + 5); };
      const Buffer<uint8_t> send(value_of(rank.rank, 10000)), out(received * element, 0x5a),
          packed(received * element, 0x5a), all(gathered * element, 0x5a);
      EXPECT_EQ(HcclAlltoAllV(send.data(), give.data(), from.data(), type, out.data(), take.data(), to.data(), type,
                              rank.comm, rank.stream),
                HCCL_SUCCESS)
          << message();
      EXPECT_EQ(HcclAlltoAllVC(send.data(), matrix.data(), type, packed.data(), type, rank.comm, rank.stream),
                HCCL_SUCCESS)
          << message();
      EXPECT_EQ(HcclAllGatherV(send.data(), gather[rank.rank], all.data(), gather.data(), places.data(), type,
                               rank.comm, rank.stream),
                HCCL_SUCCESS)
          << message();
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
      Bytes expected(received * element, 0x5a), expected_packed(received * element, 0x5a),
          expected_all(gathered * element, 0x5a);
      uint64_t at = 0;
      for (uint32_t i = 0; i < n; ++i) {
        const Bytes theirs = value_of(i, 10000);
        uint64_t offset = 1, packed_offset = 0;
        for (uint32_t j = 0; j < rank.rank; ++j) offset += pair_count(i, j) + 1, packed_offset += pair_count(i, j);
        std::copy_n(theirs.begin() + offset * element, take[i] * element, expected.begin() + to[i] * element);
        std::copy_n(theirs.begin() + packed_offset * element, take[i] * element,
                    expected_packed.begin() + at * element);
        at += take[i];
        std::copy_n(theirs.begin(), gather[i] * element, expected_all.begin() + (n == 1 ? 0 : places[i]) * element);
      }
      ASSERT_EQ(out.values(), expected);
      ASSERT_EQ(packed.values(), expected_packed);
      ASSERT_EQ(all.values(), expected_all);
    }
  });
}

TEST_P(Operations, MessagesAroundTheRingAndInBatches) {
  on_ranks(size(), [&](const Rank& rank) {
    const uint32_t n = size(), next = (rank.rank + 1) % n, before = (rank.rank + n - 1) % n;
    if (n == 1) return;
    for (const uint64_t count : {uint64_t{1}, uint64_t{1001}, uint64_t{70001}}) {
      const Buffer<float> send(count, static_cast<float>(rank.rank) + 0.5f), recv(count);
      // Even ranks send first.
      for (int turn = 0; turn < 2; ++turn) {
        if ((turn + rank.rank) % 2 == 0)
          EXPECT_EQ(HcclSend(send.data(), count, HCCL_DATA_TYPE_FP32, next, rank.comm, rank.stream), HCCL_SUCCESS);
        else
          EXPECT_EQ(HcclRecv(recv.data(), count, HCCL_DATA_TYPE_FP32, before, rank.comm, rank.stream), HCCL_SUCCESS);
      }
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
      EXPECT_EQ(recv.values(), std::vector<float>(count, static_cast<float>(before) + 0.5f));

      // Everyone to everyone, itself too, two items each, sends first.
      const Buffer<float> out(2 * n * count), in(2 * n * count);
      for (uint64_t i = 0; i < 2 * n; ++i) {
        const std::vector<float> block(count, static_cast<float>(rank.rank * 1000 + i));
        ASSERT_EQ(aclrtMemcpy(out.data() + i * count, count * 4, block.data(), count * 4, ACL_MEMCPY_HOST_TO_DEVICE),
                  ACL_SUCCESS);
      }
      std::vector<HcclSendRecvItem> items;
      for (uint32_t i = 0; i < 2 * n; ++i)
        items.push_back({HCCL_SEND, out.data() + i * count, count, HCCL_DATA_TYPE_FP32, i / 2});
      for (uint32_t i = 0; i < 2 * n; ++i)
        items.push_back({HCCL_RECV, in.data() + i * count, count, HCCL_DATA_TYPE_FP32, i / 2});
      items.push_back({HCCL_RECV, nullptr, count, HCCL_DATA_TYPE_FP32, 0});
      EXPECT_EQ(HcclBatchSendRecv(items.data(), static_cast<uint32_t>(items.size()), rank.comm, rank.stream),
                HCCL_SUCCESS)
          << message();
      items.clear();
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
      const auto got = in.values();
      for (uint64_t i = 0; i < 2 * n; ++i)
        EXPECT_EQ(got[i * count + count / 2], static_cast<float>(i / 2 * 1000 + 2 * rank.rank + i % 2));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(OfRanks, Operations, testing::Values(1, 2, 3, 5, 8));

}  // namespace
