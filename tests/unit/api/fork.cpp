// SPDX-License-Identifier: Apache-2.0
// Processes that are forked from one that has used a device have none of its threads: they refuse what would need one
// instead of waiting for ever. A mistake shows as a test that never ends. Oracle: the documented codes.
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "acl/acl_dump.h"
#include "acl/acl_op.h"
#include "support/acl.h"
#include "support/environment.h"

namespace {

using namespace belay::test;

constexpr int64_t many = 1 << 20;  // elements: enough for two threads

aclError cast_many(aclrtStream stream) { return CastOperator(many).run(stream); }

// Ends as programs do, with all that runs at exit.
void expect_passes_in_child(const std::function<void()>& body) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    body();
#ifdef __SANITIZE_ADDRESS__  // which takes what the parent's threads hold for leaks
    _exit(testing::Test::HasFailure() ? 1 : 0);
#endif
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

void expect_all_refused(aclrtStream stream, aclrtEvent event) {
  EXPECT_FAILS(cast_many(nullptr), ACL_ERROR_RT_CONTEXT_NULL, "was forked from one that used a device");
  EXPECT_FAILS(cast_many(stream), ACL_ERROR_RT_INVALID_HANDLE, "was forked");
  EXPECT_FAILS(aclrtSetDevice(0), ACL_ERROR_RT_DEV_SETUP_ERROR, "was forked");
  EXPECT_FAILS(aclrtSetDevice(99), ACL_ERROR_RT_INVALID_DEVICEID, "99");
  EXPECT_FAILS(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL, "was forked");
  EXPECT_FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "was forked");
  EXPECT_FAILS(aclrtSynchronizeEvent(event), ACL_ERROR_RT_INVALID_HANDLE, "was forked");
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtProcessReport(-1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
  EXPECT_EQ(aclrtResetDevice(0), ACL_ERROR_RT_DEV_SETUP_ERROR);
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_ERROR_RT_DEV_SETUP_ERROR);
  aclrtContext context = nullptr;
  EXPECT_EQ(aclrtCreateContext(&context, 0), ACL_ERROR_RT_DEV_SETUP_ERROR);
  void* memory = nullptr;
  EXPECT_EQ(aclrtMalloc(&memory, 32, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
  uint32_t model = 0;
  EXPECT_FAILS(aclmdlLoadFromFile("missing.om", &model), ACL_ERROR_RT_CONTEXT_NULL, "was forked");
  EXPECT_EQ(aclmdlUnload(1), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID);
  EXPECT_FAILS(aclmdlInitDump(), ACL_ERROR_UNINITIALIZE, "was forked");
}

TEST(ForkChild, DISABLED_OfAProcessWithADevice) {
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const aclrtStream stream = new_stream();
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  aclrtEvent event = nullptr;
  EXPECT_EQ(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
  EXPECT_EQ(cast_many(stream), ACL_SUCCESS);
  StreamGate busy(stream);
  EXPECT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  expect_passes_in_child([] {});
  expect_passes_in_child([&] {
    expect_all_refused(stream, event);
    EXPECT_EQ(aclDataTypeSize(ACL_FLOAT), 4u);
    uint32_t devices = 0;
    EXPECT_EQ(aclrtGetDeviceCount(&devices), ACL_SUCCESS);
    EXPECT_FAILS(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE, "was forked");
    uint64_t left = 7;
    EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
    EXPECT_EQ(left, 0u);
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
    expect_passes_in_child([&] { expect_all_refused(stream, event); });  // a child's child is one as well
  });
  busy.open();
  EXPECT_EQ(cast_many(stream), ACL_SUCCESS);  // the parent goes on
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST(Fork, OfAProcessWithADeviceGivesOneThatRefusesDevices) {
  for (const char* threads : {"1", "2", "12"})
    expect_passes_with({{"BELAY_NUM_THREADS", threads}}, "ForkChild.DISABLED_OfAProcessWithADevice");
}

// aclInit opens no device.
TEST(ForkChild, DISABLED_BeforeAnyDevice) {
  const auto use = [] {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(cast_many(new_stream()), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  };
  expect_passes_in_child([&] {
    ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
    use();
  });
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  for (int i = 0; i < 2; ++i) expect_passes_in_child(use);
  use();
}

TEST(Fork, BeforeAnyDeviceLeavesTheChildFree) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer lets the child of a process with threads start none";
#endif
  expect_passes_with({{"BELAY_NUM_THREADS", "2"}}, "ForkChild.DISABLED_BeforeAnyDevice");
}

}  // namespace
