// SPDX-License-Identifier: Apache-2.0
// The ways to make communicators, and what each refuses: the codes and their order are those of the documentation.
#include <fstream>

#include "support/ranks.h"
#include "support/temporary_directory.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

TEST(RootInfo, NeedsADeviceThenGoodNumbersThenPointers) {
  HcclRootInfo token = new_token();
  HcclComm comm = nullptr;
  std::thread([&] { EXPECT_EQ(HcclGetRootInfo(&token), HCCL_E_RUNTIME); }).join();
  on_devices(1, [&](uint32_t) {
    EXPECT_FAILS(HcclGetRootInfo(nullptr), HCCL_E_PTR, "rootInfo");
    EXPECT_FAILS(HcclCommInitRootInfo(0, nullptr, 0, nullptr), HCCL_E_PARA, "nRanks is 0");
    EXPECT_FAILS(HcclCommInitRootInfo(2, nullptr, 2, nullptr), HCCL_E_PARA, "rank is 2");
    EXPECT_FAILS(HcclCommInitRootInfo(2, &token, 1, nullptr), HCCL_E_PTR, "comm");
    EXPECT_FAILS(HcclCommInitRootInfo(2, nullptr, 1, &comm), HCCL_E_PTR, "rootInfo");
    EXPECT_FAILS(HcclCommInitRootInfoConfig(1, &token, 0, nullptr, &comm), HCCL_E_PARA, "config");
    HcclCommConfig config{};
    EXPECT_FAILS(HcclCommInitRootInfoConfig(1, &token, 0, &config, &comm), HCCL_E_PARA, "HcclCommConfigInit");
    HcclRootInfo empty{};
    EXPECT_FAILS(HcclCommInitRootInfo(1, &empty, 0, &comm), HCCL_E_PARA, "4108 bytes");
  });
}

TEST(RootInfo, HasTheVendorsLayout) {
  const HcclRootInfo token = new_token();
  uint32_t port = 0;
  std::memcpy(&port, token.internal + 64, 4);
  const std::string ip = token.internal, identifier = token.internal + 72;
  EXPECT_GT(port, 0u);
  EXPECT_EQ(identifier.rfind(ip + "_" + std::to_string(port) + "_0_", 0), 0u) << identifier;
}

TEST(RootInfo, TwoThatClaimOneRankAreBothToldSo) {
  const HcclRootInfo token = new_token();
  on_devices(2, [&](uint32_t) {
    HcclComm comm = nullptr;
    forget_errors();
    EXPECT_EQ(HcclCommInitRootInfo(3, &token, 1, &comm), HCCL_E_PARA);
    EXPECT_THAT(message(), HasSubstr("two claim rank 1"));
  });
}

TEST(RootInfo, DifferentNumbersOfRanksAreNamed) {
  const HcclRootInfo token = new_token();
  on_devices(2, [&](uint32_t rank) {
    HcclComm comm = nullptr;
    forget_errors();
    EXPECT_EQ(HcclCommInitRootInfo(3 + rank, &token, rank, &comm), HCCL_E_PARA);
    EXPECT_THAT(message(), HasSubstr("nRanks"));
  });
}

TEST(Names, AreTheTokensOrTheConfigurations) {
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  std::strcpy(config.hcclCommName, "mine");
  on_ranks(
      2,
      [](const Rank& rank) {
        char name[128] = {};
        EXPECT_EQ(HcclGetCommName(rank.comm, name), HCCL_SUCCESS);
        EXPECT_STREQ(name, "mine");
        HcclComm found = nullptr;
        EXPECT_EQ(HcclCommGetHandleWithName("mine", &found), HCCL_SUCCESS);
        EXPECT_EQ(found, rank.comm);
        EXPECT_FAILS(HcclCommGetHandleWithName("other", &found), HCCL_E_PARA, "other");
        uint32_t number = 99;
        EXPECT_EQ(HcclGetRankId(rank.comm, &number), HCCL_SUCCESS);
        EXPECT_EQ(number, rank.rank);
        EXPECT_EQ(HcclGetRankSize(rank.comm, &number), HCCL_SUCCESS);
        EXPECT_EQ(number, 2u);
      },
      &config);
}

TEST(InitAll, MakesARankForEachDeviceAndKeepsTheCallersDevice) {
  on_devices(1, [](uint32_t) {
    int32_t devices[] = {3, 1, 2};
    HcclComm comms[3] = {};
    EXPECT_FAILS(HcclCommInitAll(0, devices, comms), HCCL_E_PARA, "ndev");
    EXPECT_FAILS(HcclCommInitAll(3, devices, nullptr), HCCL_E_PTR, "comms");
    int32_t twice[] = {1, 1};
    EXPECT_FAILS(HcclCommInitAll(2, twice, comms), HCCL_E_PARA, "more than once");
    ASSERT_EQ(HcclCommInitAll(3, devices, comms), HCCL_SUCCESS) << message();
    int32_t current = -1;
    EXPECT_EQ(aclrtGetDevice(&current), ACL_SUCCESS);
    EXPECT_EQ(current, 0);
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < 3; ++i)
      threads.emplace_back([&, i] {
        EXPECT_EQ(aclrtSetDevice(devices[i]), ACL_SUCCESS);
        const aclrtStream stream = new_stream();
        const Buffer<int32_t> buffer(5, static_cast<int32_t>(i + 1));
        EXPECT_EQ(
            HcclAllReduce(buffer.data(), buffer.data(), 5, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_PROD, comms[i], stream),
            HCCL_SUCCESS);
        EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << message();
        EXPECT_EQ(buffer.values(), std::vector<int32_t>(5, 6));
        EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
        EXPECT_EQ(aclrtResetDevice(devices[i]), ACL_SUCCESS);
      });
    for (auto& thread : threads) thread.join();
    for (const HcclComm comm : comms) EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS) << message();
    EXPECT_FAILS(HcclCommDestroy(comms[0]), HCCL_E_PARA, "not a live communicator");
    EXPECT_EQ(HcclCommDestroy(nullptr), HCCL_SUCCESS);
  });
}

TEST(SubCommunicator, HoldsSomeRanksInTheirOrder) {
  on_ranks(4, [](const Rank& rank) {
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    HcclComm comm = rank.comm, sub = nullptr;
    EXPECT_FAILS(HcclCreateSubCommConfig(&comm, 2, nullptr, 7, 0, &config, &sub), HCCL_E_PARA, "rankIds");
    EXPECT_FAILS(HcclCreateSubCommConfig(&comm, 2, nullptr, 7, 0, &config, nullptr), HCCL_E_PTR, "subComm");
    if (rank.rank == 0) {
      EXPECT_EQ(HcclCreateSubCommConfig(nullptr, 0, nullptr, 0xFFFFFFFF, 0, nullptr, &sub), HCCL_SUCCESS);
      EXPECT_EQ(sub, nullptr);
      return;
    }
    uint32_t ranks[] = {3, 1, 2};
    const uint32_t own = rank.rank == 3 ? 0 : rank.rank;
    EXPECT_FAILS(HcclCreateSubCommConfig(&comm, 3, ranks, 7, (own + 1) % 3, &config, &sub), HCCL_E_PARA,
                 "subCommRankId");
    ASSERT_EQ(HcclCreateSubCommConfig(&comm, 3, ranks, 7, own, &config, &sub), HCCL_SUCCESS) << message();
    char name[128] = {}, parent[128] = {};
    EXPECT_EQ(HcclGetCommName(sub, name), HCCL_SUCCESS);
    EXPECT_EQ(HcclGetCommName(comm, parent), HCCL_SUCCESS);
    EXPECT_EQ(std::string(name), std::string(parent) + "_sub_7");
    const Buffer<int32_t> mine(1, static_cast<int32_t>(rank.rank)), all(3);
    EXPECT_EQ(HcclAllGather(mine.data(), all.data(), 1, HCCL_DATA_TYPE_INT32, sub, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
    EXPECT_EQ(all.values(), (std::vector<int32_t>{3, 1, 2}));
    EXPECT_EQ(HcclCommDestroy(sub), HCCL_SUCCESS);
  });
}

std::string table(const std::string& second_rank = "1", const std::string& version = "1.0") {
  return R"({"status":"completed","version":")" + version + R"(","server_count":"1","server_list":[{"server_id":"node0",
    "device":[{"device_id":"0","device_ip":"192.168.1.8","rank_id":"0"},
              {"device_id":"1","device_ip":"192.168.1.9","rank_id":")" +
         second_rank + R"("}]}]})";
}

class RankTableFile : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    const std::string path = directory_.path() + "/table" + std::to_string(files_++) + ".json";
    std::ofstream(path) << text;
    return path;
  }
  TemporaryDirectory directory_;
  int files_ = 0;
};

TEST_F(RankTableFile, MakesTheWorldTwiceWithoutWaiting) {
  const std::string path = write(table());
  for (int turn = 0; turn < 2; ++turn)
    on_devices(2, [&](uint32_t rank) {
      HcclComm comm = nullptr, second = nullptr;
      ASSERT_EQ(HcclCommInitClusterInfo(path.c_str(), rank, &comm), HCCL_SUCCESS) << message();
      EXPECT_FAILS(HcclCommInitClusterInfo(path.c_str(), rank, &second), HCCL_E_UNAVAIL, "already");
      char name[128] = {};
      EXPECT_EQ(HcclGetCommName(comm, name), HCCL_SUCCESS);
      EXPECT_STREQ(name, "hccl_world_group");
      const aclrtStream stream = new_stream();
      const Buffer<float> buffer(1000, 0.5f);
      EXPECT_EQ(HcclAllReduce(buffer.data(), buffer.data(), 1000, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream),
                HCCL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << message();
      EXPECT_EQ(buffer.values(), std::vector<float>(1000, 1.0f));
      EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
      EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
    });
}

TEST_F(RankTableFile, FaultsHaveTheirCodesAndIds) {
  on_devices(1, [&](uint32_t) {
    HcclComm comm = nullptr;
    const auto init = [&](const std::string& path, uint32_t rank = 0) {
      return HcclCommInitClusterInfo(path.c_str(), rank, &comm);
    };
    EXPECT_EQ(HcclCommInitClusterInfo(nullptr, 0, &comm), HCCL_E_PTR);
    EXPECT_FAILS(init("/nowhere.json"), HCCL_E_INTERNAL, "EI0004");
    EXPECT_FAILS(init(write("{")), HCCL_E_INTERNAL, "EI0004");
    EXPECT_FAILS(init(write(table("1", "9.9"))), HCCL_E_NOT_SUPPORT, "EI0014");
    EXPECT_FAILS(init(write(table("2"))), HCCL_E_PARA, "not 0 to 1");
    EXPECT_FAILS(init(write(table()), 2), HCCL_E_PARA, "2 ranks");
    EXPECT_FAILS(init(write(table()), 1), HCCL_E_UNAVAIL, "rank 1 is device 1, but the current device is 0");
    EXPECT_FAILS(init(write(R"({"status":"completed","version":"1.0"})")), HCCL_E_NOT_FOUND, "server_list");
    EXPECT_FAILS(init(write(R"({"status":"completed","version":"1.0","server_list":[{"server_id":5}]})")), HCCL_E_PARA,
                 "EI0017");
  });
}

TEST(ErrorStrings, AreTheDocumentedOnes) {
  EXPECT_STREQ(HcclGetErrorString(HCCL_SUCCESS), "no error");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_REMOTE), "error cqe");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_OOM), "out of memory");
  EXPECT_STREQ(HcclGetErrorString(static_cast<HcclResult>(25)), "unknown err");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_IN_STATUS), "unknown err");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_RESERVED), "unknown error");
  EXPECT_STREQ(HcclGetErrorString(static_cast<HcclResult>(-1)), "unknown error");
  EXPECT_EQ(HcclGetCommConfigCapability(), 12u);
}

}  // namespace
