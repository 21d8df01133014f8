// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "acl/acl.h"
#include "support/device.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

aclrtMemcpyBatchAttr attribute(aclrtMemLocationType dst, aclrtMemLocationType src) {
  aclrtMemcpyBatchAttr attr{};
  attr.dstLoc.type = dst;
  attr.srcLoc.type = src;
  return attr;
}

// Two copies to the device and two back, with an attribute for each half.
class Batch : public WithDevice {
 protected:
  Batch() {
    for (size_t i = 0; i < 4; ++i) sizes[i] = maxes[i] = 4;
  }
  void fill(const DeviceMemory& device, int* in, int* out) {
    for (size_t i = 0; i < 2; ++i) {
      dsts[i] = srcs[2 + i] = device.as<int>() + i;
      srcs[i] = in + i;
      dsts[2 + i] = out + i;
    }
  }
  aclError copy() { return aclrtMemcpyBatch(dsts, maxes, srcs, sizes, 4, attrs, indexes, 2, &fail); }

  void *dsts[4] = {}, *srcs[4] = {};
  size_t sizes[4], maxes[4], indexes[2] = {0, 2}, fail = 77;
  aclrtMemcpyBatchAttr attrs[2] = {attribute(ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_LOCATION_TYPE_HOST),
                                   attribute(ACL_MEM_LOCATION_TYPE_HOST, ACL_MEM_LOCATION_TYPE_DEVICE)};
};

TEST_F(Batch, CopiesAllInOrder) {
  DeviceMemory device(8);
  int in[] = {1, 2}, out[] = {0, 0};
  fill(device, in, out);
  EXPECT_EQ(copy(), ACL_SUCCESS);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 2);
  in[1] = 5;
  EXPECT_EQ(aclrtMemcpyBatchV2(dsts, maxes, srcs, sizes, 4, attrs, indexes, 2), ACL_SUCCESS);
  EXPECT_EQ(out[1], 5);
}

TEST_F(Batch, OfPinnedMemoryIsOneTaskOfTheStream) {
  DeviceMemory device(8);
  PinnedMemory in(8), out(8);
  fill(device, in.as<int>(), out.as<int>());
  TestStream stream;
  Gate gate(stream);
  out.as<int>()[1] = 0;
  EXPECT_EQ(aclrtMemcpyBatchAsync(dsts, maxes, srcs, sizes, 4, attrs, indexes, 2, &fail, stream), ACL_SUCCESS);
  in.as<int>()[1] = 6;
  EXPECT_EQ(out.as<int>()[1], 0);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(out.as<int>()[1], 6);
  int pageable[] = {8, 9};
  fill(device, pageable, out.as<int>());
  EXPECT_EQ(aclrtMemcpyBatchAsyncV2(dsts, maxes, srcs, sizes, 4, attrs, indexes, 2, stream), ACL_SUCCESS);
  EXPECT_EQ(out.as<int>()[1], 9);  // pageable memory took part: done already
}

TEST_F(Batch, NamesTheCopyThatIsWrongAndDoesNone) {
  DeviceMemory device(8);
  int in[] = {1, 2}, out[] = {0, 0};
  fill(device, in, out);
  maxes[3] = 3;
  EXPECT_EQ(copy(), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(fail, 3u);
  EXPECT_THAT(recent_error(), HasSubstr("copy 3: count 4 is more than destMax 3"));
  EXPECT_EQ(out[0], 0);
  maxes[3] = 4;
  srcs[1] = nullptr;
  EXPECT_EQ(copy(), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(fail, 1u);
  srcs[1] = device.pointer;  // not host memory, as its attribute says
  EXPECT_EQ(copy(), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(fail, 1u);
  EXPECT_THAT(recent_error(), HasSubstr("but its attribute says location type 0"));
  fill(device, in, out);
  attrs[0].dstLoc.id = 1;  // another device
  EXPECT_EQ(copy(), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(fail, 0u);
  attrs[0].dstLoc.id = 0;
  sizes[0] = maxes[0] = 9;
  EXPECT_EQ(copy(), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("has room for 8 bytes, not for 9"));
  sizes[0] = 0;
  EXPECT_EQ(copy(), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(Batch, RefusesBadArraysAndIndexes) {
  DeviceMemory device(8);
  int in[] = {1, 2}, out[] = {0, 0};
  fill(device, in, out);
  EXPECT_EQ(aclrtMemcpyBatch(nullptr, maxes, srcs, sizes, 4, attrs, indexes, 2, &fail), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(fail, SIZE_MAX);
  EXPECT_EQ(aclrtMemcpyBatch(dsts, nullptr, srcs, sizes, 4, attrs, indexes, 2, &fail), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyBatch(dsts, maxes, nullptr, sizes, 4, attrs, indexes, 2, &fail), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyBatch(dsts, maxes, srcs, nullptr, 4, attrs, indexes, 2, &fail), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyBatch(dsts, maxes, srcs, sizes, 4, nullptr, indexes, 2, &fail), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyBatch(dsts, maxes, srcs, sizes, 4, attrs, nullptr, 2, &fail), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyBatch(dsts, maxes, srcs, sizes, 4, attrs, indexes, 2, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyBatchV2(dsts, maxes, srcs, sizes, 0, attrs, indexes, 2), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpyBatchV2(dsts, maxes, srcs, sizes, 4, attrs, indexes, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpyBatchV2(dsts, maxes, srcs, sizes, 4, attrs, indexes, 5), ACL_ERROR_RT_PARAM_INVALID);
  indexes[0] = 1;
  EXPECT_EQ(copy(), ACL_ERROR_RT_PARAM_INVALID);
  indexes[0] = 0, indexes[1] = 4;
  EXPECT_EQ(copy(), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("attrsIndexes[1] is 4"));
  indexes[1] = 2;
  EXPECT_EQ(aclrtMemcpyBatchAsync(dsts, maxes, srcs, sizes, 4, attrs, indexes, 2, &fail, in),
            ACL_ERROR_RT_INVALID_HANDLE);
  without_context([&] { EXPECT_EQ(copy(), ACL_ERROR_RT_CONTEXT_NULL); });
}

class IndirectCopy : public WithDevice {};

TEST_F(IndirectCopy, FollowsADescriptionInDeviceMemory) {
  DeviceMemory from(4), to(4);
  size_t size = 0;
  ASSERT_EQ(aclrtGetMemcpyDescSize(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, &size), ACL_SUCCESS);
  DeviceMemory description(size);
  from.set(42);
  ASSERT_EQ(
      aclrtSetMemcpyDesc(description.pointer, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, from.pointer, to.pointer, 4, nullptr),
      ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpyAsyncWithDesc(description.pointer, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(to.get<int>(), 42);
  description.fill(0, size);
  ASSERT_EQ(aclrtMemcpyAsyncWithDesc(description.pointer, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(IndirectCopy, ReadsItsAddressesWhenItRuns) {
  DeviceMemory pointers(16), from(8), to(8);
  auto** addresses = pointers.as<void*>();
  pointers.fill(0, 16);
  TestStream stream;
  Gate gate(stream);
  ASSERT_EQ(aclrtMemcpyAsyncWithOffset(&addresses[0], 8, 4, const_cast<const void**>(&addresses[1]), 4, 0,
                                       ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
            ACL_SUCCESS);
  pointers.set(to.pointer, 0);
  pointers.set(from.pointer, 1);
  from.set(7);
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(to.get<int>(1), 7);
}

TEST_F(IndirectCopy, RefusesBadArguments) {
  DeviceMemory memory(64);
  size_t size = 0;
  EXPECT_EQ(aclrtGetMemcpyDescSize(ACL_MEMCPY_HOST_TO_DEVICE, &size), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetMemcpyDescSize(ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr), ACL_ERROR_INVALID_PARAM);
  constexpr auto kind = ACL_MEMCPY_DEVICE_TO_DEVICE;
  EXPECT_EQ(aclrtSetMemcpyDesc(nullptr, kind, memory.pointer, memory.pointer, 4, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSetMemcpyDesc(memory.pointer, kind, nullptr, memory.pointer, 4, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSetMemcpyDesc(memory.pointer, kind, memory.pointer, nullptr, 4, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSetMemcpyDesc(memory.pointer, kind, memory.pointer, memory.pointer, 0, nullptr),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSetMemcpyDesc(memory.pointer, kind, memory.pointer, memory.pointer, 65, nullptr),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSetMemcpyDesc(memory.pointer, kind, memory.pointer, memory.pointer, 4, &size),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyAsyncWithDesc(nullptr, kind, nullptr), ACL_ERROR_INVALID_PARAM);
  const void* source = nullptr;
  EXPECT_EQ(aclrtMemcpyAsyncWithOffset(nullptr, 0, 0, nullptr, 0, 0, kind, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsyncWithOffset(nullptr, 4, 0, &source, 4, 0, kind, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyAsyncWithOffset(memory.as<void*>(), 3, 0, &source, 4, 0, kind, nullptr),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpyAsyncWithOffset(memory.as<void*>(), 4, 0, &source, 4, 0, ACL_MEMCPY_HOST_TO_HOST, nullptr),
            ACL_ERROR_INVALID_PARAM);
}

class MemoryCache : public WithDevice {};

TEST_F(MemoryCache, OperationsCheckTheirMemory) {
  DeviceMemory memory(64);
  int host = 0;
  EXPECT_EQ(aclrtMemFlush(memory.pointer, 64), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemInvalidate(memory.pointer, 64), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemFlush(nullptr, 64), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemFlush(memory.pointer, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemFlush(memory.pointer, 65), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemInvalidate(&host, 4), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtCmoAsync(memory.pointer, 64, ACL_RT_CMO_TYPE_PREFETCH, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtCmoAsync(memory.pointer, 64, static_cast<aclrtCmoType>(4), nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCmoAsync(nullptr, 64, ACL_RT_CMO_TYPE_PREFETCH, nullptr), ACL_ERROR_INVALID_PARAM);
  size_t size = 0;
  ASSERT_EQ(aclrtCmoGetDescSize(&size), ACL_SUCCESS);
  DeviceMemory description(size);
  ASSERT_EQ(aclrtCmoSetDesc(description.pointer, memory.pointer, 64), ACL_SUCCESS);
  EXPECT_EQ(aclrtCmoAsyncWithDesc(description.pointer, ACL_RT_CMO_TYPE_FLUSH, nullptr, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  description.fill(0, size);
  EXPECT_EQ(aclrtCmoAsyncWithDesc(description.pointer, ACL_RT_CMO_TYPE_FLUSH, nullptr, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(MemoryCache, ASimulatedDeviceHasNoFaultsAndReachesItsPeers) {
  DeviceMemory memory(64);
  aclrtMemUceInfo faults[4];
  size_t count = 9;
  EXPECT_EQ(aclrtGetMemUceInfo(0, faults, 4, &count), ACL_SUCCESS);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(aclrtGetMemUceInfo(0, nullptr, 4, &count), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetMemUceInfo(0, faults, 0, &count), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetMemUceInfo(99, faults, 4, &count), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtMemP2PMap(memory.pointer, 64, 1, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemP2PMap(memory.pointer, 64, 99, 0), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtMemP2PMap(memory.pointer, 64, 1, 1), ACL_ERROR_RT_PARAM_INVALID);
  int host = 0;
  void* addresses[] = {memory.pointer, &host};
  uint32_t all = 9;
  EXPECT_EQ(aclrtCheckMemType(addresses, 1, ACL_RT_MEM_TYPE_DEV, &all, 0), ACL_SUCCESS);
  EXPECT_EQ(all, 1u);
  EXPECT_EQ(aclrtCheckMemType(addresses, 2, ACL_RT_MEM_TYPE_DEV, &all, 0), ACL_SUCCESS);
  EXPECT_EQ(all, 0u);
  EXPECT_EQ(aclrtCheckMemType(addresses, 1, ACL_RT_MEM_TYPE_DVPP, &all, 0), ACL_SUCCESS);
  EXPECT_EQ(all, 0u);
  EXPECT_EQ(aclrtCheckMemType(nullptr, 1, ACL_RT_MEM_TYPE_DEV, &all, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCheckMemType(addresses, 1, 1, &all, 0), ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace
