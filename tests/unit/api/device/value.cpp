// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "acl/acl.h"
#include "support/device.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

class Value : public WithDevice {
 protected:
  // Whether a stream gets past a wait that it should get past, or stays where it should stay: only the latter is timed,
  // and a slow machine cannot make it wrong.
  static bool passes(uint64_t word, uint64_t value, uint32_t flag) {
    TestStream stream;
    DeviceMemory memory(8);
    start(stream, memory, word, value, flag);
    return aclrtSynchronizeStream(stream) == ACL_SUCCESS;
  }
  static bool stays(uint64_t word, uint64_t value, uint32_t flag) {
    TestStream stream;
    DeviceMemory memory(8);
    start(stream, memory, word, value, flag);
    const bool stayed = aclrtSynchronizeStreamWithTimeout(stream, 20) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    EXPECT_EQ(aclrtStreamAbort(stream), ACL_SUCCESS);
    return stayed;
  }

 private:
  static void start(aclrtStream stream, DeviceMemory& memory, uint64_t word, uint64_t value, uint32_t flag) {
    memory.set(word);
    EXPECT_EQ(aclrtValueWait(memory.pointer, value, flag, stream), ACL_SUCCESS);
  }
};

TEST_F(Value, IsWrittenInStreamOrder) {
  DeviceMemory memory(16);
  auto* words = memory.as<uint64_t>();
  memory.fill(0, 16);
  TestStream stream;
  Gate gate(stream);
  EXPECT_EQ(aclrtValueWrite(&words[1], 0x123456789abcdef0, 0, stream), ACL_SUCCESS);
  EXPECT_EQ(memory.get<uint64_t>(1), 0u);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(memory.get<uint64_t>(1), 0x123456789abcdef0u);
  EXPECT_EQ(memory.get<uint64_t>(0), 0u);
}

TEST_F(Value, ConditionsAreTheDocumentedOnes) {
  EXPECT_TRUE(passes(5, 5, ACL_STREAM_WAIT_VALUE_GEQ));
  EXPECT_TRUE(passes(6, 5, ACL_STREAM_WAIT_VALUE_GEQ));
  EXPECT_TRUE(stays(4, 5, ACL_STREAM_WAIT_VALUE_GEQ));
  EXPECT_TRUE(passes(2, UINT64_MAX, ACL_STREAM_WAIT_VALUE_GEQ));  // the difference counts, so counters may wrap
  EXPECT_TRUE(passes(5, 5, ACL_STREAM_WAIT_VALUE_EQ));
  EXPECT_TRUE(stays(6, 5, ACL_STREAM_WAIT_VALUE_EQ));
  EXPECT_TRUE(passes(6, 2, ACL_STREAM_WAIT_VALUE_AND));
  EXPECT_TRUE(stays(4, 2, ACL_STREAM_WAIT_VALUE_AND));
  EXPECT_TRUE(passes(0, 1, ACL_STREAM_WAIT_VALUE_NOR));
  EXPECT_TRUE(stays(UINT64_MAX, 0, ACL_STREAM_WAIT_VALUE_NOR));
}

TEST_F(Value, JoinsTwoStreamsAndTheHost) {
  DeviceMemory memory(16);
  auto* words = memory.as<uint64_t>();
  memory.fill(0, 16);
  TestStream waiter, writer;
  EXPECT_EQ(aclrtValueWait(&words[0], 1, ACL_STREAM_WAIT_VALUE_EQ, waiter), ACL_SUCCESS);
  EXPECT_EQ(aclrtValueWrite(&words[1], 2, 0, waiter), ACL_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(memory.get<uint64_t>(1), 0u);
  EXPECT_EQ(aclrtValueWrite(&words[0], 1, 0, writer), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(waiter), ACL_SUCCESS);
  EXPECT_EQ(memory.get<uint64_t>(1), 2u);
  PinnedMemory shared(8);  // which the host may write while a stream looks at it
  auto* word = shared.as<uint64_t>();
  *word = 0;
  EXPECT_EQ(aclrtValueWait(word, 9, ACL_STREAM_WAIT_VALUE_GEQ, waiter), ACL_SUCCESS);
  std::atomic_ref(*word).store(9);
  EXPECT_EQ(aclrtSynchronizeStream(waiter), ACL_SUCCESS);
}

TEST_F(Value, RefusesMisalignedAndHostAddressesAndUnknownFlags) {
  DeviceMemory memory(16);
  uint64_t host = 0;
  EXPECT_EQ(aclrtValueWrite(nullptr, 0, 0, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtValueWait(nullptr, 0, 0, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtValueWrite(memory.as<char>() + 4, 0, 0, nullptr), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("not a multiple of 8"));
  EXPECT_EQ(aclrtValueWait(&host, 0, 0, nullptr), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("is ordinary host memory"));
  EXPECT_EQ(aclrtValueWrite(memory.as<char>() + 16, 0, 0, nullptr), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtValueWrite(memory.pointer, 0, 1, nullptr), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtValueWait(memory.pointer, 0, 4, nullptr), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtValueWait(memory.pointer, 0, 0, &host), ACL_ERROR_RT_INVALID_HANDLE);
  without_context([&] { EXPECT_EQ(aclrtValueWrite(memory.pointer, 0, 0, nullptr), ACL_ERROR_RT_CONTEXT_NULL); });
}

}  // namespace
