// SPDX-License-Identifier: Apache-2.0
// What the operations refuse, in the documented order.
#include "support/ranks.h"

namespace {

using namespace belay::test;

constexpr uint64_t kTooMany = 0x800000000;

TEST(Arguments, AreCheckedInTheDocumentedOrder) {
  on_ranks(1, [](const Rank& rank) {
    const Buffer<float> buffer(64), other(64);
    float* data = buffer.data();
    const auto fp32 = HCCL_DATA_TYPE_FP32;
    // A count of 0 succeeds, whatever else there is.
    EXPECT_EQ(HcclAllReduce(nullptr, nullptr, 0, fp32, HCCL_REDUCE_SUM, nullptr, nullptr), HCCL_SUCCESS);
    EXPECT_EQ(HcclAllReduce(data, data, 8, fp32, HCCL_REDUCE_SUM, nullptr, rank.stream), HCCL_E_PTR);
    EXPECT_FAILS(HcclAllReduce(data, data, 8, fp32, HCCL_REDUCE_SUM, rank.comm, nullptr), HCCL_E_PTR, "stream");
    EXPECT_FAILS(HcclAllReduce(nullptr, data, kTooMany, fp32, HCCL_REDUCE_SUM, rank.comm, rank.stream), HCCL_E_PTR,
                 "sendBuf");
    EXPECT_FAILS(HcclAllReduce(data, data, kTooMany, HCCL_DATA_TYPE_UINT8, HCCL_REDUCE_SUM, rank.comm, rank.stream),
                 HCCL_E_PARA, "34359738367");
    EXPECT_FAILS(HcclAllReduce(data, data, 8, HCCL_DATA_TYPE_UINT8, HCCL_REDUCE_SUM, rank.comm, rank.stream),
                 HCCL_E_NOT_SUPPORT, "uint8");
    EXPECT_FAILS(HcclAllReduce(data, data, 8, fp32, static_cast<HcclReduceOp>(9), rank.comm, rank.stream),
                 HCCL_E_NOT_SUPPORT, "op is 9");
    EXPECT_FAILS(HcclAllReduce(data, data, 8, HCCL_DATA_TYPE_BFP16, HCCL_REDUCE_PROD, rank.comm, rank.stream),
                 HCCL_E_NOT_SUPPORT, "prod");
    EXPECT_FAILS(HcclBroadcast(data, 8, HCCL_DATA_TYPE_HIF8, 5, rank.comm, rank.stream), HCCL_E_NOT_SUPPORT, "hif8");
    EXPECT_FAILS(HcclBroadcast(data, 8, fp32, 5, rank.comm, rank.stream), HCCL_E_PARA, "root is 5");
    EXPECT_FAILS(HcclAllReduce(data, data, 8000, fp32, HCCL_REDUCE_SUM, rank.comm, rank.stream), HCCL_E_PARA,
                 "sendBuf");
    float host[8] = {};
    EXPECT_FAILS(HcclAllReduce(host, data, 8, fp32, HCCL_REDUCE_SUM, rank.comm, rank.stream), HCCL_E_PARA,
                 "host memory");
    EXPECT_EQ(HcclScatter(nullptr, data, 8, fp32, 0, rank.comm, rank.stream), HCCL_E_PTR);

    EXPECT_EQ(HcclAlltoAll(nullptr, 0, fp32, nullptr, 0, fp32, nullptr, nullptr), HCCL_SUCCESS);
    EXPECT_EQ(HcclAlltoAll(nullptr, 8, fp32, data, 4, fp32, nullptr, nullptr), HCCL_E_PTR);
    EXPECT_EQ(HcclAlltoAll(data, 8, fp32, data, 4, fp32, nullptr, nullptr), HCCL_E_PARA);
    EXPECT_EQ(HcclAlltoAll(data, 8, fp32, data, 8, HCCL_DATA_TYPE_INT8, nullptr, nullptr), HCCL_E_PARA);
    EXPECT_EQ(HcclAlltoAll(data, 8, fp32, data, 8, fp32, nullptr, rank.stream), HCCL_E_PTR);
    EXPECT_FAILS(HcclAlltoAll(data, 8, fp32, data, 8, fp32, rank.comm, rank.stream), HCCL_E_PARA, "in place");

    const uint64_t counts[] = {8}, nothing[] = {0}, large[] = {kTooMany};
    EXPECT_EQ(HcclAllGatherV(data, 8, other.data(), counts, nullptr, fp32, rank.comm, rank.stream), HCCL_E_PTR);
    EXPECT_EQ(HcclAllGatherV(nullptr, 0, nullptr, nothing, nothing, fp32, rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(HcclAllGatherV(data, 8, other.data(), large, nothing, fp32, rank.comm, rank.stream), HCCL_E_PARA);
    EXPECT_FAILS(HcclAllGatherV(data, 7, other.data(), counts, nothing, fp32, rank.comm, rank.stream), HCCL_E_PARA,
                 "sendCount is 7");

    EXPECT_EQ(HcclBatchSendRecv(nullptr, 0, rank.comm, rank.stream), HCCL_E_PTR);
    HcclSendRecvItem item{HCCL_SEND, data, 8, fp32, 0};
    EXPECT_EQ(HcclBatchSendRecv(&item, 0, rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_FAILS(HcclBatchSendRecv(&item, 1, rank.comm, rank.stream), HCCL_E_PARA, "no pairs");
    EXPECT_EQ(HcclBarrier(rank.comm, nullptr), HCCL_E_PTR);
    EXPECT_EQ(rank.synchronize(), ACL_SUCCESS);
  });
}

TEST(Suspended, CommunicatorsRefuseUntilTheyAreResumed) {
  on_ranks(2, [](const Rank& rank) {
    const Buffer<float> buffer(8);
    EXPECT_EQ(HcclCommSuspend(rank.comm), HCCL_SUCCESS);
    EXPECT_EQ(HcclBroadcast(buffer.data(), 8, HCCL_DATA_TYPE_FP32, 7, rank.comm, rank.stream), HCCL_E_PARA);
    EXPECT_EQ(HcclBroadcast(buffer.data(), 8, HCCL_DATA_TYPE_FP32, 0, rank.comm, rank.stream), HCCL_E_SUSPENDING);
    char name[128] = {};
    HcclCommStatus status{};
    EXPECT_EQ(HcclGetCommName(rank.comm, name), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommResume(rank.comm), HCCL_SUCCESS);
    EXPECT_EQ(HcclBroadcast(buffer.data(), 8, HCCL_DATA_TYPE_FP32, 0, rank.comm, rank.stream), HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), ACL_SUCCESS) << message();
    EXPECT_EQ(HcclCommGetStatus(name, &status), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommGetStatus("nobody", &status), HCCL_E_NOT_FOUND);
  });
}

TEST(Groups, LetOneThreadMakeAndUseTheRanksOfSeveralDevices) {
  EXPECT_EQ(HcclGroupEnd(), HCCL_E_NOT_SUPPORT);
  const HcclRootInfo token = new_token();
  HcclComm comms[2] = {};
  aclrtStream streams[2] = {};
  EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
  for (int32_t device = 0; device < 2; ++device) {
    EXPECT_EQ(aclrtSetDevice(device), ACL_SUCCESS);
    streams[device] = new_stream();
    EXPECT_EQ(HcclCommInitRootInfo(2, &token, static_cast<uint32_t>(device), &comms[device]), HCCL_SUCCESS);
  }
  EXPECT_EQ(comms[0], nullptr);
  EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
  ASSERT_NE(comms[0], nullptr);
  ASSERT_NE(comms[1], nullptr);
  const Buffer<float> first(6, 1.0f), second(6, 2.0f);
  bool inside = false;
  EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
  EXPECT_EQ(HcclGroupStatusGet(&inside), HCCL_SUCCESS);
  EXPECT_TRUE(inside);
  EXPECT_EQ(HcclAllReduce(first.data(), first.data(), 6, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[0], streams[0]),
            HCCL_SUCCESS);
  EXPECT_EQ(HcclAllReduce(second.data(), second.data(), 6, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[1], streams[1]),
            HCCL_SUCCESS);
  EXPECT_FAILS(HcclSend(first.data(), 6, HCCL_DATA_TYPE_FP32, 1, comms[0], streams[0]), HCCL_E_NOT_SUPPORT,
               "collective");
  EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
  EXPECT_EQ(first.values(), std::vector<float>(6, 3.0f));
  EXPECT_EQ(second.values(), std::vector<float>(6, 3.0f));
  for (const HcclComm comm : comms) EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  for (int32_t device = 0; device < 2; ++device) EXPECT_EQ(aclrtResetDeviceForce(device), ACL_SUCCESS);
}

TEST(DeclaredMemory, IsKeptAndChecked) {
  on_ranks(1, [](const Rank& rank) {
    const Buffer<uint8_t> buffer(1024);
    HcclCommSymWindow window = nullptr, found = nullptr;
    size_t offset = 0;
    EXPECT_FAILS(HcclCommSymWinRegister(rank.comm, buffer.data(), 1024, &window, 0), HCCL_E_PARA, "flag");
    EXPECT_EQ(HcclCommSymWinRegister(rank.comm, buffer.data(), 1024, &window, 1), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommSymWinGet(rank.comm, buffer.data() + 100, 24, &found, &offset), HCCL_SUCCESS);
    EXPECT_EQ(found, window);
    EXPECT_EQ(offset, 100u);
    EXPECT_EQ(HcclCommSymWinGet(rank.comm, buffer.data() + 1020, 24, &found, &offset), HCCL_E_NOT_FOUND);
    EXPECT_EQ(HcclCommSymWinDeregister(window), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommSymWinDeregister(window), HCCL_E_PARA);

    void* base = nullptr;
    ASSERT_EQ(aclrtReserveMemAddress(&base, 4 << 20, 0, nullptr, 0), ACL_SUCCESS);
    const auto handle = reinterpret_cast<aclrtDrvMemHandle>(1);
    EXPECT_EQ(HcclCommActivateCommMemory(rank.comm, base, 4096, 0, handle, 0), HCCL_E_PARA);
    EXPECT_FAILS(HcclCommSetMemoryRange(rank.comm, base, 4 << 20, 2, 0), HCCL_E_PARA, "alignment");
    EXPECT_EQ(HcclCommSetMemoryRange(rank.comm, base, 4 << 20, 0, 0), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommSetMemoryRange(rank.comm, base, 4 << 20, 0, 0), HCCL_E_PARA);
    EXPECT_EQ(HcclCommActivateCommMemory(rank.comm, base, 4096, 1, handle, 0), HCCL_E_PARA);
    EXPECT_EQ(HcclCommActivateCommMemory(rank.comm, base, 4096, 0, handle, 0), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommUnsetMemoryRange(rank.comm, base), HCCL_E_PARA);
    EXPECT_EQ(HcclCommDeactivateCommMemory(rank.comm, base), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommUnsetMemoryRange(rank.comm, base), HCCL_SUCCESS);
    EXPECT_EQ(aclrtReleaseMemAddress(base), ACL_SUCCESS);
  });
}

}  // namespace
