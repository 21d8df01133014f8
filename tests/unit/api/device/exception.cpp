// SPDX-License-Identifier: Apache-2.0
// Callbacks that hear of failed tasks. The failure is a wait that runs out of time.
#include <pthread.h>

#include <vector>

#include "support/acl.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // old programs call aclrtSetExceptionInfoCallback

namespace {

using namespace belay::test;
using testing::ElementsAre;

struct Heard {
  uint32_t task, stream, device, code;
  pthread_t thread;
};
std::vector<Heard> heard;  // written before the waiter is released, read after

void hear(aclrtExceptionInfo* info) {
  heard.push_back({aclrtGetTaskIdFromExceptionInfo(info), aclrtGetStreamIdFromExceptionInfo(info),
                   aclrtGetDeviceIdFromExceptionInfo(info), aclrtGetErrorCodeFromExceptionInfo(info), pthread_self()});
  (void)aclrtGetThreadIdFromExceptionInfo(info);
}
std::vector<int> order;
void hear_one(aclrtExceptionInfo*) { order.push_back(1); }
void hear_two(aclrtExceptionInfo*) { order.push_back(2); }

class ExceptionTest : public OnDevice {
 protected:
  // A task that fails with 107019.
  void fail_on(aclrtStream stream) {
    aclrtNotify notify = nullptr;
    EXPECT_EQ(aclrtCreateNotify(&notify, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtWaitAndResetNotify(notify, stream, 1), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
  }
};

TEST_F(ExceptionTest, IsToldOncePerFailedTaskOnAThreadOfTheRuntimeBeforeTheWaiterGoesOn) {
  heard.clear();
  const aclrtStream stream = new_stream();
  int32_t id = -1;
  EXPECT_EQ(aclrtStreamGetId(stream, &id), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetExceptionInfoCallback(hear), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetOverflowStatus(stream), ACL_SUCCESS);  // task 0 does not fail
  fail_on(stream);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_WAIT_TIMEOUT);
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].task, 1u);
  EXPECT_EQ(heard[0].stream, static_cast<uint32_t>(id));
  EXPECT_EQ(heard[0].device, 0u);
  EXPECT_EQ(heard[0].code, static_cast<uint32_t>(ACL_ERROR_RT_WAIT_TIMEOUT));
  EXPECT_NE(heard[0].thread, pthread_self());
  EXPECT_EQ(aclrtSetExceptionInfoCallback(nullptr), ACL_SUCCESS);
}

std::promise<void>* callback_runs;
std::shared_future<void> callback_may_end;

// The abort comes between the failure of the task and its being kept.
TEST_F(ExceptionTest, OfATaskThatIsAbortedMeanwhileLeavesNothing) {
  std::promise<void> runs, may_end;
  callback_runs = &runs;
  callback_may_end = may_end.get_future().share();
  const aclrtStream stream = new_stream();
  EXPECT_EQ(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo*) {
              callback_runs->set_value();
              callback_may_end.wait();
            }),
            ACL_SUCCESS);
  fail_on(stream);
  runs.get_future().wait();
  EXPECT_EQ(aclrtStreamAbort(stream), ACL_SUCCESS);
  may_end.set_value();
  EXPECT_EQ(aclrtResetOverflowStatus(stream), ACL_SUCCESS);  // something after it
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetExceptionInfoCallback(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

TEST_F(ExceptionTest, TheSlotKeepsTheLastAndTheListIsApart) {
  order.clear();
  const aclrtStream stream = new_stream();
  EXPECT_EQ(aclrtSetExceptionInfoCallback(hear_one), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetExceptionInfoCallback(hear_two), ACL_SUCCESS);
  EXPECT_EQ(aclrtExceptionInfoCallbackRegister(hear_one), ACL_SUCCESS);
  EXPECT_EQ(aclrtExceptionInfoCallbackRegister(hear_two), ACL_SUCCESS);
  fail_on(stream);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_WAIT_TIMEOUT);
  EXPECT_THAT(order, ElementsAre(2, 1, 2));  // the same function in both is called twice
  order.clear();
  EXPECT_EQ(aclrtSetExceptionInfoCallback(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtExceptionInfoCallbackUnregister(hear_one), ACL_SUCCESS);
  EXPECT_EQ(aclrtExceptionInfoCallbackUnregister(hear_one), ACL_SUCCESS);  // unknown by now
  fail_on(stream);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_WAIT_TIMEOUT);
  EXPECT_THAT(order, ElementsAre(2));
  EXPECT_EQ(aclrtExceptionInfoCallbackUnregister(hear_two), ACL_SUCCESS);
}

TEST(ExceptionInfo, NullIsAnsweredWithAllOnesAndRefusedWhereThereIsACode) {
  EXPECT_EQ(aclrtGetTaskIdFromExceptionInfo(nullptr), 0xFFFFFFFFu);
  EXPECT_EQ(aclrtGetStreamIdFromExceptionInfo(nullptr), 0xFFFFFFFFu);
  EXPECT_EQ(aclrtGetThreadIdFromExceptionInfo(nullptr), 0xFFFFFFFFu);
  EXPECT_EQ(aclrtGetDeviceIdFromExceptionInfo(nullptr), 0xFFFFFFFFu);
  EXPECT_EQ(aclrtGetErrorCodeFromExceptionInfo(nullptr), 0xFFFFFFFFu);
  void* arguments = nullptr;
  uint32_t length = 0;
  EXPECT_FAILS(aclrtGetArgsFromExceptionInfo(nullptr, &arguments, &length), ACL_ERROR_INVALID_PARAM, "info");
  EXPECT_FAILS(aclrtExceptionInfoCallbackRegister(nullptr), ACL_ERROR_RT_PARAM_INVALID, "callback");
  EXPECT_FAILS(aclrtExceptionInfoCallbackUnregister(nullptr), ACL_ERROR_RT_PARAM_INVALID, "callback");
}

// Waits inside the callback on the stream that failed; must be refused, not hang.
aclrtStream failing;
aclError inside;
TEST_F(ExceptionTest, WaitingForTheFailingStreamInsideIsRefused) {
  failing = new_stream();
  inside = ACL_SUCCESS;
  EXPECT_EQ(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo*) { inside = aclrtSynchronizeStream(failing); }),
            ACL_SUCCESS);
  fail_on(failing);
  EXPECT_EQ(aclrtSynchronizeStream(failing), ACL_ERROR_RT_WAIT_TIMEOUT);
  EXPECT_EQ(inside, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSetExceptionInfoCallback(nullptr), ACL_SUCCESS);
}

TEST_F(ExceptionTest, StopOnFailureMakesTheFirstErrorStayForTheWholeContext) {
  aclrtContext own = nullptr, context = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&own), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  const aclrtStream failed = new_stream(), other = new_stream();
  EXPECT_EQ(aclrtSetStreamFailureMode(failed, ACL_STOP_ON_FAILURE), ACL_SUCCESS);
  std::atomic<int> runs{0};
  const auto count = [](void* counter) { ++*static_cast<std::atomic<int>*>(counter); };
  fail_on(failed);
  EXPECT_EQ(aclrtLaunchHostFunc(failed, count, &runs), ACL_SUCCESS);
  aclrtStreamStatus status;
  aclrtEvent event = nullptr;
  EXPECT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordEvent(event, failed), ACL_SUCCESS);
  for (int twice = 0; twice < 2; ++twice) {
    EXPECT_FAILS(aclrtSynchronizeStream(failed), ACL_ERROR_RT_WAIT_TIMEOUT, "notify");
    EXPECT_EQ(aclrtSynchronizeStream(other), ACL_ERROR_RT_WAIT_TIMEOUT);
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_WAIT_TIMEOUT);
    EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_ERROR_RT_WAIT_TIMEOUT);
    EXPECT_EQ(aclrtStreamQuery(other, &status), ACL_ERROR_RT_WAIT_TIMEOUT);
    EXPECT_EQ(aclrtLaunchHostFunc(other, count, &runs), ACL_ERROR_RT_WAIT_TIMEOUT);
  }
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetCurrentContext(own), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);  // another context is not concerned
}

}  // namespace
