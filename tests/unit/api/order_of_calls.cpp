// SPDX-License-Identifier: Apache-2.0
// Orders of calls that public programs use, and clean-up that comes too often or too late. None may crash or hang.
#include "support/acl.h"

namespace {

using namespace belay::test;

TEST_ALONE(Order, WithContextAndStream) {
  aclrtContext context = nullptr;
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  const aclrtStream stream = new_stream();
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST_ALONE(Order, WithTheDefaultContextTwice) {
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  }
}

TEST_ALONE(Order, WithAContextAlone) {
  aclrtContext context = nullptr;
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  (void)new_stream();  // dies with the context
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST_ALONE(Order, WithoutInit) {
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(1000), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_ALONE(Order, CleaningUpTwiceAndAfterTheEndReturnsCodes) {
  aclrtContext context = nullptr;
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  const aclrtStream stream = new_stream();
  aclrtEvent event = nullptr;
  EXPECT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);  // the stream dies with it
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtDestroyContext(context), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
  EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(aclrtDestroyStream(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyContext(nullptr), ACL_ERROR_INVALID_PARAM);
}

// Cleans up when main is over and the main thread's own objects are gone, as global objects of programs do.
struct LateCleaner {
  ~LateCleaner() {
    if (!stream) return;
    const bool good = aclrtDestroyStream(stream) == ACL_SUCCESS && aclrtDestroyContext(context) == ACL_SUCCESS &&
                      aclrtSynchronizeDevice() == ACL_ERROR_RT_CONTEXT_NULL && aclrtSetDevice(0) == ACL_SUCCESS &&
                      aclrtResetDevice(0) == ACL_SUCCESS && aclFinalize() == ACL_SUCCESS;
    if (!good) abort();
  }
  aclrtContext context = nullptr;
  aclrtStream stream = nullptr;
} late_cleaner;

TEST_ALONE(Order, DestructorsOfGlobalsStillFindTheirContext) {
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateContext(&late_cleaner.context, 0), ACL_SUCCESS);
  late_cleaner.stream = new_stream();
  EXPECT_EQ(aclrtResetOverflowStatus(late_cleaner.stream), ACL_SUCCESS);
}

// Calls the library when its thread's objects are being destroyed.
struct LateThreadObject {
  ~LateThreadObject() {
    if (!armed) return;
    int32_t device = 0;
    (void)aclrtGetDevice(&device);
    if (aclrtSetDevice(1) != ACL_SUCCESS || aclrtResetDevice(1) != ACL_SUCCESS) abort();
  }
  bool armed = false;
};
thread_local LateThreadObject late_thread_object;

TEST_ALONE(Order, DestructorsOfThreadsMayCallToo) {
  std::thread([] {
    late_thread_object.armed = true;  // made first: destroyed after what the library keeps for the thread
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  }).join();
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

}  // namespace
