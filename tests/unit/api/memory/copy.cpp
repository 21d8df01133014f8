// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "acl/acl.h"
#include "support/child.h"
#include "support/device.h"

// Old names are called on purpose.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

using namespace belay::test;
using testing::HasSubstr;

constexpr size_t kBytes = 1000;
const auto kAnyKind = {ACL_MEMCPY_HOST_TO_HOST,     ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST,
                       ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEFAULT,        ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE};

aclrtMemcpyKind bad_kind(int kind) { return static_cast<aclrtMemcpyKind>(kind); }

std::vector<char> numbers(size_t count) {
  std::vector<char> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

class Copy : public WithDevice {};

TEST_F(Copy, MovesBytesToTheDeviceBetweenDevicesAndBack) {
  const auto source = numbers(kBytes);
  std::vector<char> result(kBytes);
  DeviceMemory first(kBytes);
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  DeviceMemory second(kBytes);
  EXPECT_EQ(aclrtMemcpy(first.pointer, kBytes, source.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(second.pointer, kBytes, first.pointer, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(result.data(), kBytes, second.pointer, kBytes, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(result, source);
  EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
}

TEST_F(Copy, AnyKindIsGoodBetweenValidAddresses) {
  DeviceMemory device(kBytes);
  std::vector<char> host(kBytes);
  for (const auto kind : kAnyKind) {
    EXPECT_EQ(aclrtMemcpy(device.pointer, kBytes, host.data(), kBytes, kind), ACL_SUCCESS) << kind;
    EXPECT_EQ(aclrtMemcpy(host.data(), kBytes, device.pointer, kBytes, kind), ACL_SUCCESS) << kind;
  }
}

TEST_F(Copy, OverlappingRangesAreMovedWhole) {
  DeviceMemory block(kBytes);
  block.put(numbers(kBytes).data(), kBytes);
  EXPECT_EQ(aclrtMemcpy(block.as<char>() + 1, kBytes - 1, block.pointer, kBytes - 1, ACL_MEMCPY_DEVICE_TO_DEVICE),
            ACL_SUCCESS);
  EXPECT_EQ(on_device(block.as<char>() + 1, kBytes - 1), numbers(kBytes - 1));
}

// runtime.md 5.2.1: each check before the next; the later arguments are bad in every earlier call.
TEST(CopyChecks, ComeInTheDocumentedOrder) {
  int a = 1, b = 2;
  without_context([&] {
    EXPECT_EQ(aclrtMemcpy(nullptr, 0, nullptr, 0, bad_kind(99)), ACL_SUCCESS);  // count 0 before anything else
    EXPECT_EQ(aclrtMemcpy(nullptr, 0, &b, 4, bad_kind(99)), ACL_ERROR_INVALID_PARAM);
    EXPECT_THAT(recent_error(), HasSubstr("dst must not be null"));
    EXPECT_EQ(aclrtMemcpy(&a, 0, nullptr, 4, bad_kind(99)), ACL_ERROR_INVALID_PARAM);
    EXPECT_THAT(recent_error(), HasSubstr("src must not be null"));
    for (const int kind : {-1, 6, 7, 99})
      EXPECT_EQ(aclrtMemcpy(&a, 0, &b, 4, bad_kind(kind)), ACL_ERROR_INVALID_PARAM) << kind;
    EXPECT_THAT(recent_error(), HasSubstr("kind is 99"));
    EXPECT_EQ(aclrtMemcpy(&a, 0, &a, 4, ACL_MEMCPY_HOST_TO_HOST), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtMemcpy(&a, 3, &a, 4, ACL_MEMCPY_HOST_TO_HOST), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_THAT(recent_error(), HasSubstr("count 4 is more than destMax 3"));
    EXPECT_EQ(aclrtMemcpy(&a, 4, &a, 4, ACL_MEMCPY_HOST_TO_HOST), ACL_SUCCESS);  // onto itself
    EXPECT_EQ(aclrtMemcpy(&a, 4, &b, 4, ACL_MEMCPY_HOST_TO_HOST), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(a, 1);
  });
}

TEST_F(Copy, PastTheEndOfABlockIsRefusedWithBothSizesAndTheOwner) {
  DeviceMemory device(100);
  std::vector<char> host(4096);
  EXPECT_EQ(aclrtMemcpy(device.pointer, 4096, host.data(), 4096, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_ERROR_RT_PARAM_INVALID);
  const std::string text = recent_error();
  EXPECT_THAT(text, HasSubstr("has room for 100 bytes, not for 4096"));
  EXPECT_THAT(text, HasSubstr("100 bytes of device 0, from aclrtMalloc"));
  EXPECT_EQ(aclrtMemcpy(host.data(), 4096, device.as<char>() + 99, 2, ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("src = "));
  EXPECT_EQ(aclrtMemcpy(host.data(), 4096, device.as<char>() + 99, 1, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
}

TEST_F(Copy, FromMemoryThatWasFreedIsRefused) {
  void* device = nullptr;
  ASSERT_EQ(aclrtMalloc(&device, 100, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtFree(device), ACL_SUCCESS);
  std::vector<char> host(100);
  EXPECT_EQ(aclrtMemcpy(host.data(), 100, device, 100, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("where no block is allocated"));
}

TEST_F(Copy, DISABLED_PastTheEndWhenStrict) {
  DeviceMemory device(100);
  std::vector<char> host(128);
  EXPECT_EQ(aclrtMemcpy(host.data(), 128, device.pointer, 101, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
}

TEST(CopyStrict, DoesNotLookAtTheEndOfBlocks) {
  expect_passes_with({{"BELAY_STRICT", "1"}}, "Copy.DISABLED_PastTheEndWhenStrict");
}

class AsyncCopy : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
    WithDevice::TearDown();
  }
  aclrtStream stream_ = nullptr;
};

TEST_F(AsyncCopy, OfPinnedMemoryHappensInTheOrderOfTheStream) {
  DeviceMemory device(4);
  PinnedMemory host(4), back(4);
  Gate gate(stream_);
  *host.as<int>() = 1;
  *back.as<int>() = 0;
  EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 4, host.pointer, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(back.pointer, 4, device.pointer, 4, ACL_MEMCPY_DEVICE_TO_HOST, stream_), ACL_SUCCESS);
  EXPECT_EQ(*back.as<int>(), 0);
  *host.as<int>() = 7;  // the copy has not started: it must see this
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(*back.as<int>(), 7);
}

TEST_F(AsyncCopy, OfPageableMemoryIsDoneWhenTheCallReturns) {
  DeviceMemory device(4);
  int host = 5, back = 0;
  EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 4, &host, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream_), ACL_SUCCESS);
  host = 6;
  EXPECT_EQ(aclrtMemcpyAsync(&back, 4, device.pointer, 4, ACL_MEMCPY_DEVICE_TO_HOST, stream_), ACL_SUCCESS);
  EXPECT_EQ(back, 5);
}

TEST_F(AsyncCopy, ThroughABufferLeavesTheSourceFreeAtOnce) {
  DeviceMemory device(4);
  Gate gate(stream_);
  int host = 5;
  EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 4, &host, 4, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream_), ACL_SUCCESS);
  host = 6;
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(device.get<int>(), 5);
}

TEST_F(AsyncCopy, RegisteredMemoryCountsAsPinned) {
  std::vector<char> host(4);
  DeviceMemory device(4);
  ASSERT_EQ(aclrtHostRegisterV2(host.data(), 4, ACL_HOST_REG_PINNED), ACL_SUCCESS);
  Gate gate(stream_);
  EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 4, host.data(), 4, ACL_MEMCPY_HOST_TO_DEVICE, stream_), ACL_SUCCESS);
  host[0] = 9;
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(device.get<char>(), 9);
  EXPECT_EQ(aclrtHostUnregister(host.data()), ACL_SUCCESS);
}

// runtime.md 5.4.2: which kinds are accepted for each pair of places.
TEST_F(AsyncCopy, KindIsAHintBetweenKnownPlacesAndARuleForPageableMemory) {
  DeviceMemory device(64), device2(64);
  PinnedMemory pinned(64), pinned2(64);
  std::vector<char> pageable(64), pageable2(64);
  struct Case {
    void *dst, *src;
    std::vector<aclError> expected;  // by kind: H2H, H2D, D2H, D2D, DEFAULT
  };
  constexpr aclError ok = ACL_SUCCESS, bad = ACL_ERROR_RT_PARAM_INVALID, none = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
  const Case cases[] = {
      {device.pointer, pinned.pointer, {ok, ok, ok, ok, ok}},
      {pinned.pointer, device.pointer, {ok, ok, ok, ok, ok}},
      {device.pointer, device2.pointer, {ok, ok, ok, ok, ok}},
      {pinned.pointer, pinned2.pointer, {none, none, none, none, none}},
      {device.pointer, pageable.data(), {bad, ok, bad, ok, ok}},
      {pageable.data(), device.pointer, {bad, bad, ok, ok, ok}},
      {pageable.data(), pinned.pointer, {none, none, bad, bad, none}},
      {pinned.pointer, pageable.data(), {none, bad, none, bad, none}},
      {pageable.data(), pageable2.data(), {none, none, none, none, none}},
      {pinned.pointer, pinned.pointer, {none, none, none, none, none}},  // refused before "onto itself" is seen
      {device.pointer, device.pointer, {ok, ok, ok, ok, ok}},
  };
  for (const Case& c : cases)
    for (int kind = 0; kind < 5; ++kind)
      EXPECT_EQ(aclrtMemcpyAsync(c.dst, 64, c.src, 64, static_cast<aclrtMemcpyKind>(kind), stream_),
                c.expected[static_cast<size_t>(kind)])
          << (&c - cases) << " kind " << kind;
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(AsyncCopy, RefusalsOfAKindNameThePlaces) {
  DeviceMemory device(64);
  std::vector<char> host(64);
  EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 64, host.data(), 64, ACL_MEMCPY_DEVICE_TO_HOST, stream_),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(),
              HasSubstr("kind is ACL_MEMCPY_DEVICE_TO_HOST, but src is pageable host memory and dst is device memory"));
  EXPECT_EQ(aclrtMemcpyAsync(host.data(), 64, &host[1], 1, ACL_MEMCPY_DEFAULT, stream_),
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_THAT(recent_error(), HasSubstr("use aclrtMemcpy"));
}

// runtime.md 5.4.1
TEST_F(AsyncCopy, ChecksComeInTheDocumentedOrder) {
  DeviceMemory device(64), device2(64);
  aclrtStream dead = nullptr;
  ASSERT_EQ(aclrtCreateStream(&dead), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyStream(dead), ACL_SUCCESS);
  int host = 0;
  EXPECT_EQ(aclrtMemcpyAsync(nullptr, 0, nullptr, 0, bad_kind(99), dead), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(nullptr, 0, &host, 4, bad_kind(99), dead), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyAsync(&host, 0, nullptr, 4, bad_kind(99), dead), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 0, &host, 4, bad_kind(6), dead), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 64, &host, 4, ACL_MEMCPY_HOST_TO_DEVICE, dead),
            ACL_ERROR_RT_INVALID_HANDLE);
  without_context([&] {
    EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 3, &host, 4, ACL_MEMCPY_DEVICE_TO_HOST, nullptr),
              ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 4, &host, 4, ACL_MEMCPY_DEVICE_TO_HOST, nullptr),
              ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMemcpyAsync(&host, 4, &host, 4, ACL_MEMCPY_HOST_TO_HOST, stream_), ACL_ERROR_RT_CONTEXT_NULL);
  });
  aclrtContext first = nullptr, second = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&first), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateContext(&second, 0), ACL_SUCCESS);
  // The stream is of the first context now: everything else is said before that.
  EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 4, &host, 4, ACL_MEMCPY_DEVICE_TO_HOST, stream_),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpyAsync(&host, 4, &host, 4, ACL_MEMCPY_DEFAULT, stream_), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 4, device.pointer, 4, ACL_MEMCPY_DEFAULT, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 65, device2.pointer, 65, ACL_MEMCPY_DEFAULT, stream_),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 4, device2.pointer, 4, ACL_MEMCPY_DEFAULT, stream_),
            ACL_ERROR_RT_STREAM_CONTEXT);
  EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 4, &host, 4, ACL_MEMCPY_DEFAULT, stream_),
            ACL_SUCCESS);  // pageable: no 107003
  EXPECT_EQ(aclrtDestroyContext(second), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetCurrentContext(first), ACL_SUCCESS);
}

TEST_F(AsyncCopy, PastTheEndOfABlockIsRefusedByTheCallItself) {
  DeviceMemory device(100), other(200);
  EXPECT_EQ(aclrtMemcpyAsync(device.pointer, 200, other.pointer, 200, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("has room for 100 bytes, not for 200"));
}

TEST_F(AsyncCopy, OldNameForConditionalCopiesDoesTheSame) {
  DeviceMemory device(4);
  int host = 5;
  EXPECT_EQ(aclrtMemcpyAsyncWithCondition(device.pointer, 4, &host, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream_),
            ACL_SUCCESS);
  EXPECT_EQ(device.get<int>(), 5);
}

class Copy2d : public AsyncCopy {};

TEST_F(Copy2d, MovesRowsAndLeavesTheGaps) {
  const auto source = numbers(4 * 10);
  DeviceMemory device(3 * 16 + 5);
  device.fill('x', 3 * 16 + 5);
  ASSERT_EQ(aclrtMemcpy2d(device.pointer, 16, source.data(), 10, 5, 4, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  for (size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(std::memcmp(on_device(device.as<char>() + row * 16, 5).data(), source.data() + row * 10, 5), 0);
    EXPECT_TRUE(row == 3 || device.get<char>(row * 16 + 5) == 'x');
  }
  PinnedMemory back(4 * 5);
  ASSERT_EQ(aclrtMemcpy2dAsync(back.pointer, 5, device.pointer, 16, 5, 4, ACL_MEMCPY_DEVICE_TO_HOST, stream_),
            ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(back.as<char>()[3 * 5 + 4], source[3 * 10 + 4]);
}

TEST_F(Copy2d, RefusesWideRowsKindsWithoutADeviceAndRowsPastTheEnd) {
  DeviceMemory device(100);
  std::vector<char> host(100);
  EXPECT_EQ(aclrtMemcpy2d(nullptr, 10, host.data(), 10, 5, 4, ACL_MEMCPY_DEFAULT), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpy2d(device.pointer, 10, nullptr, 10, 5, 4, ACL_MEMCPY_DEFAULT), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpy2d(device.pointer, 4, host.data(), 10, 5, 4, ACL_MEMCPY_DEFAULT), ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(recent_error(), HasSubstr("width 5 is more than dpitch 4"));
  EXPECT_EQ(aclrtMemcpy2dAsync(device.pointer, 10, host.data(), 4, 5, 4, ACL_MEMCPY_DEFAULT, stream_),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(recent_error(), HasSubstr("width 5 is more than spitch 4"));
  for (const int kind : {0, 5, 6, 7, 99}) {
    EXPECT_EQ(aclrtMemcpy2d(device.pointer, 10, host.data(), 10, 5, 4, bad_kind(kind)), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtMemcpy2dAsync(device.pointer, 10, host.data(), 10, 5, 4, bad_kind(kind), stream_),
              ACL_ERROR_INVALID_PARAM);
  }
  EXPECT_EQ(aclrtMemcpy2d(device.pointer, 25, host.data(), 10, 10, 5, ACL_MEMCPY_DEFAULT), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("has room for 100 bytes, not for 110"));
  EXPECT_EQ(aclrtMemcpy2d(device.pointer, 30, host.data(), 10, 10, 4, ACL_MEMCPY_DEFAULT), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy2d(device.pointer, SIZE_MAX, host.data(), 10, 10, 4, ACL_MEMCPY_DEFAULT),
            ACL_ERROR_INVALID_PARAM);
  without_context([&] {
    EXPECT_EQ(aclrtMemcpy2d(device.pointer, 10, host.data(), 10, 5, 4, ACL_MEMCPY_DEFAULT), ACL_ERROR_RT_CONTEXT_NULL);
  });
}

}  // namespace
