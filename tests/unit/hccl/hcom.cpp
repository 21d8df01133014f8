// SPDX-License-Identifier: Apache-2.0
// The functions that frameworks find by name: groups of a rank table, tables as text, windows. What they answer follows
// from the table by hand.
#include "pkg_inc.h"

#include <fstream>

#include "support/ranks.h"
#include "support/temporary_directory.h"

namespace {

using namespace belay::test;

// Two servers of two devices each; both are this host.
constexpr const char* kTwoServers = R"({"status": "completed", "version": "1.0", "server_count": "2", "server_list": [
  {"server_id": "a", "host_ip": "127.0.0.1", "device": [
    {"device_id": "0", "device_ip": "192.0.2.1", "rank_id": "0"}, {"device_id": "1", "device_ip": "192.0.2.2", "rank_id": "1"}]},
  {"server_id": "b", "host_ip": "127.0.0.1", "device": [
    {"device_id": "2", "device_ip": "192.0.2.3", "rank_id": "2"}, {"device_id": "3", "device_ip": "192.0.2.4", "rank_id": "3"}]}]})";
constexpr const char* kWorld = "hccl_world_group";

uint32_t answer(HcclResult (*ask)(const char*, uint32_t*), const char* group) {
  uint32_t out = 99;
  EXPECT_EQ(ask(group, &out), HCCL_SUCCESS) << message();
  return out;
}

uint32_t world_rank(const char* group, uint32_t rank) {
  uint32_t out = 99;
  EXPECT_EQ(HcomGetWorldRankFromGroupRank(group, rank, &out), HCCL_SUCCESS) << message();
  return out;
}

std::vector<int32_t> sums(HcclComm comm, uint32_t rank) {
  const Buffer<int32_t> data(std::vector<int32_t>{static_cast<int32_t>(rank), 10});
  const aclrtStream stream = new_stream();
  EXPECT_EQ(HcclAllReduce(data.data(), data.data(), 2, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, stream),
            HCCL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << message();
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  return data.values();
}

TEST(Groups, AnswerForTheWorldAndForPartsOfIt) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/table.json";
  std::ofstream(path) << kTwoServers;
  on_devices(4, [&](uint32_t rank) {
    bool initiated = true;
    EXPECT_EQ(HcomGetInitStatus(&initiated), HCCL_SUCCESS);
    EXPECT_FALSE(initiated);
    uint32_t out = 0;
    EXPECT_FAILS(HcomGetRankSize(kWorld, &out), HCCL_E_PTR, "HcomInitByRankTable");
    ASSERT_EQ(HcomInitByRankTable(path.c_str(), rank), HCCL_SUCCESS) << message();
    EXPECT_EQ(HcomGetInitStatus(&initiated), HCCL_SUCCESS);
    EXPECT_TRUE(initiated);
    EXPECT_EQ(answer(HcomGetRankSize, kWorld), 4u);
    EXPECT_EQ(answer(HcomGetRankId, kWorld), rank);
    EXPECT_EQ(answer(HcomGetLocalRankSize, kWorld), 2u);
    EXPECT_EQ(answer(HcomGetLocalRankId, kWorld), rank % 2);
    EXPECT_EQ(world_rank(kWorld, 3), 3u);
    EXPECT_FAILS(HcomGetRankId("other", &out), HCCL_E_NOT_FOUND, "no group named \"other\"");
    EXPECT_FALSE(HcomFindGroup("other"));
    if (rank != 2) {  // ranks 3, 0, 1 of the world
      uint32_t members[] = {3, 0, 1};
      const uint32_t mine = rank == 3 ? 0 : rank + 1;
      ASSERT_EQ(HcomCreateGroup("other", 3, members), HCCL_SUCCESS) << message();
      EXPECT_TRUE(HcomFindGroup("other"));
      EXPECT_EQ(answer(HcomGetRankSize, "other"), 3u);
      EXPECT_EQ(answer(HcomGetRankId, "other"), mine);
      EXPECT_EQ(answer(HcomGetLocalRankSize, "other"), rank == 3 ? 1u : 2u);
      EXPECT_EQ(answer(HcomGetLocalRankId, "other"), rank == 1 ? 1u : 0u);
      EXPECT_EQ(world_rank("other", 0), 3u);
      EXPECT_EQ(HcomGetGroupRankFromWorldRank(1, "other", &out), HCCL_SUCCESS);
      EXPECT_EQ(out, 2u);
      EXPECT_FAILS(HcomGetGroupRankFromWorldRank(2, "other", &out), HCCL_E_PARA, "not in group other");
      HcclComm comm = nullptr;
      ASSERT_EQ(HcomGetCommHandleByGroup("other", &comm), HCCL_SUCCESS);
      EXPECT_EQ(sums(comm, rank), (std::vector<int32_t>{4, 30}));
      EXPECT_EQ(HcomDestroyGroup("other"), HCCL_SUCCESS);
      EXPECT_FALSE(HcomFindGroup("other"));
    } else {
      uint32_t members[] = {0, 1};
      EXPECT_FAILS(HcomCreateGroup("another", 2, members), HCCL_E_PARA, "do not name this rank, 2");
    }
    EXPECT_FAILS(HcomDestroyGroup(kWorld), HCCL_E_PARA, "HcomDestroy");
    EXPECT_EQ(HcomDestroy(), HCCL_SUCCESS);
    EXPECT_FALSE(HcomFindGroup(kWorld));
  });
}

TEST(TableAsText, NeedsANameAndLivesBesideOthers) {
  on_devices(4, [&](uint32_t rank) {
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    HcclComm first = nullptr, second = nullptr;
    EXPECT_FAILS(HcclCommInitClusterInfoMemConfig(nullptr, rank, &config, &first), HCCL_E_PTR, "rankTableString");
    EXPECT_FAILS(HcclCommInitClusterInfoMemConfig(kTwoServers, rank, nullptr, &first), HCCL_E_PTR, "config");
    EXPECT_FAILS(HcclCommInitClusterInfoMemConfig(kTwoServers, rank, &config, &first), HCCL_E_PARA, "hcclCommName");
    std::strcpy(config.hcclCommName, "first");
    EXPECT_FAILS(HcclCommInitClusterInfoMemConfig("{", rank, &config, &first), HCCL_E_INTERNAL, "EI0004");
    ASSERT_EQ(HcclCommInitClusterInfoMemConfig(kTwoServers, rank, &config, &first), HCCL_SUCCESS) << message();
    std::strcpy(config.hcclCommName, "second");
    ASSERT_EQ(HcclCommInitClusterInfoMemConfig(kTwoServers, rank, &config, &second), HCCL_SUCCESS) << message();
    EXPECT_EQ(sums(second, rank), (std::vector<int32_t>{6, 40}));
    EXPECT_EQ(sums(first, rank), (std::vector<int32_t>{6, 40}));
    EXPECT_EQ(HcclCommDestroy(second), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommDestroy(first), HCCL_SUCCESS);
  });
}

TEST(Windows, OfOneCommunicatorAreExchangedWithItsRanks) {
  on_ranks(2, [&](const Rank& rank) {
    const Buffer<uint8_t> data(size_t{4096});
    void* window = nullptr;
    uint32_t peers[] = {1 - rank.rank}, wrong[] = {2};
    ASSERT_EQ(HcclCommRegister(rank.comm, data.data(), 4096, &window, 0), HCCL_SUCCESS) << message();
    EXPECT_EQ(HcclCommExchangeMem(rank.comm, window, peers, 1), HCCL_SUCCESS);
    EXPECT_FAILS(HcclCommExchangeMem(rank.comm, window, wrong, 1), HCCL_E_PARA, "peerRanks");
    EXPECT_EQ(HcclCommDeregister(rank.comm, window), HCCL_SUCCESS);
    EXPECT_FAILS(HcclCommDeregister(rank.comm, window), HCCL_E_PARA, "no window");
    EXPECT_FAILS(HcclCommExchangeMem(rank.comm, window, peers, 1), HCCL_E_PARA, "no window");
  });
}

TEST(Internal, FunctionsOfPriorityCRefuseByName) {
  EXPECT_FAILS(HcomAllReduce("tag", nullptr, nullptr, 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, kWorld, nullptr),
               HCCL_E_NOT_SUPPORT, "HcomAllReduce");
  EXPECT_FAILS(HcclBatchPut(nullptr, 0, nullptr, 0, nullptr), HCCL_E_NOT_SUPPORT, "HcclBatchPut");
}

}  // namespace
