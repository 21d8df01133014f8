// SPDX-License-Identifier: Apache-2.0
// Streams through the C interface. Oracle: the documented codes, order and counts.
#include <dlfcn.h>

#include <future>
#include <set>
#include <vector>

#include "support/acl.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

class StreamTest : public OnDevice {};

aclrtStreamStatus status_of(aclrtStream stream) {
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  EXPECT_EQ(aclrtStreamQuery(stream, &status), ACL_SUCCESS);
  return status;
}

class StreamWithoutContext : public WithoutDevice {};

TEST_F(StreamWithoutContext, IsRefusedWhereverACurrentContextIsNeeded) {
  aclrtStream stream = nullptr;
  aclrtStreamStatus status;
  int32_t id;
  EXPECT_FAILS(aclrtCreateStream(nullptr), ACL_ERROR_INVALID_PARAM, "stream");
  EXPECT_FAILS(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
  EXPECT_EQ(aclrtCreateStreamWithConfig(&stream, 0, 0), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(nullptr, 5), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtStreamQuery(nullptr, &status), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtStreamGetId(nullptr, &id), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(stream, nullptr);
}

TEST_F(StreamTest, PriorityIsClampedAndFlagsAreKept) {
  aclrtStream stream = nullptr;
  uint32_t value = 99;
  int32_t least = -1, greatest = -1;
  EXPECT_EQ(aclrtCreateStreamWithConfig(&stream, 42, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | 0x4000),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamGetPriority(stream, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 7u);
  EXPECT_EQ(aclrtStreamGetFlags(stream, &value), ACL_SUCCESS);
  EXPECT_EQ(value, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC);
  EXPECT_EQ(aclrtDeviceGetStreamPriorityRange(&least, &greatest), ACL_SUCCESS);
  EXPECT_EQ(least, 7);
  EXPECT_EQ(greatest, 0);
  EXPECT_FAILS(aclrtStreamGetPriority(stream, nullptr), ACL_ERROR_INVALID_PARAM, "priority");
  EXPECT_FAILS(aclrtStreamGetFlags(stream, nullptr), ACL_ERROR_INVALID_PARAM, "flags");
}

TEST_F(StreamTest, FlagsThatCannotBeAreRefused) {
  aclrtStream stream = nullptr;
  EXPECT_FAILS(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_DEVICE_USE_ONLY | ACL_STREAM_FAST_SYNC),
               ACL_ERROR_RT_PARAM_INVALID, "ACL_STREAM_DEVICE_USE_ONLY");
  EXPECT_FAILS(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_HUGE), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
               "ACL_STREAM_HUGE");
  EXPECT_EQ(stream, nullptr);
  EXPECT_EQ(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_DEVICE_USE_ONLY), ACL_SUCCESS);
}

// Public programs pass the flag and the priority as uint32_t as well as size_t.
TEST_F(StreamTest, NumbersOfAConfigurationHaveFourOrEightBytes) {
  aclrtStreamConfigHandle* config = aclrtCreateStreamConfigHandle();
  const uint32_t short_flag = ACL_STREAM_FAST_SYNC;
  const uint64_t long_priority = 5, too_large = uint64_t{1} << 32;
  config->flag = SIZE_MAX;
  EXPECT_EQ(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &short_flag, 4), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &long_priority, 8), ACL_SUCCESS);
  EXPECT_EQ(config->flag, size_t{ACL_STREAM_FAST_SYNC});
  EXPECT_EQ(config->priority, 5u);
  EXPECT_FAILS(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &too_large, 8), ACL_ERROR_INVALID_PARAM,
               "4294967296");
  for (const size_t bad : {0, 2, 16})
    for (const auto attribute : {ACL_RT_STREAM_FLAG, ACL_RT_STREAM_PRIORITY})
      EXPECT_FAILS(aclrtSetStreamConfigOpt(config, attribute, &too_large, bad), ACL_ERROR_INVALID_PARAM, "4 or 8");
  EXPECT_FAILS(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_WORK_SIZE, &too_large, 4), ACL_ERROR_INVALID_PARAM, "8");
  EXPECT_EQ(config->flag, size_t{ACL_STREAM_FAST_SYNC});
  EXPECT_EQ(config->priority, 5u);
  EXPECT_EQ(aclrtDestroyStreamConfigHandle(config), ACL_SUCCESS);
}

TEST_F(StreamTest, AConfigurationHandleCarriesTheSameAttributes) {
  aclrtStreamConfigHandle* config = aclrtCreateStreamConfigHandle();
  ASSERT_NE(config, nullptr);
  const size_t flag = ACL_STREAM_FAST_SYNC;
  const uint32_t priority = 3;
  EXPECT_EQ(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flag, sizeof flag), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority, sizeof priority), ACL_SUCCESS);
  EXPECT_FAILS(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flag, 3), ACL_ERROR_INVALID_PARAM, "valueSize");
  EXPECT_FAILS(aclrtSetStreamConfigOpt(config, static_cast<aclrtStreamConfigAttr>(9), &flag, 8),
               ACL_ERROR_INVALID_PARAM, "option 9");
  EXPECT_FAILS(aclrtSetStreamConfigOpt(nullptr, ACL_RT_STREAM_FLAG, &flag, 8), ACL_ERROR_INVALID_PARAM, "handle");
  aclrtStream stream = nullptr;
  uint32_t value = 99;
  EXPECT_EQ(aclrtCreateStreamV2(&stream, config), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamGetPriority(stream, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 3u);
  EXPECT_EQ(aclrtStreamGetFlags(stream, &value), ACL_SUCCESS);
  EXPECT_EQ(value, ACL_STREAM_FAST_SYNC);
  EXPECT_EQ(aclrtCreateStreamV2(&stream, nullptr), ACL_SUCCESS);
  EXPECT_FAILS(aclrtCreateStreamV2(nullptr, nullptr), ACL_ERROR_INVALID_PARAM, "aclrtCreateStreamV2");
  EXPECT_EQ(aclrtDestroyStreamConfigHandle(config), ACL_SUCCESS);
  EXPECT_FAILS(aclrtDestroyStreamConfigHandle(nullptr), ACL_ERROR_INVALID_PARAM, "handle");
  EXPECT_NE(dlsym(RTLD_DEFAULT, "aclrtCreateStreamV2"), nullptr);  // how programs look for it
}

TEST_F(StreamTest, IdsAreSmallUniqueAndUsedAgain) {
  std::set<int32_t> ids;
  std::vector<aclrtStream> streams;
  int32_t id = -1;
  EXPECT_EQ(aclrtStreamGetId(nullptr, &id), ACL_SUCCESS);
  ids.insert(id);
  for (int i = 0; i < 20; ++i) {
    streams.push_back(new_stream());
    EXPECT_EQ(aclrtStreamGetId(streams.back(), &id), ACL_SUCCESS);
    EXPECT_GE(id, 0);
    EXPECT_LT(id, 21);
    EXPECT_TRUE(ids.insert(id).second) << id;
  }
  EXPECT_EQ(aclrtDestroyStream(streams[4]), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamGetId(new_stream(), &id), ACL_SUCCESS);
  EXPECT_LT(id, 21);
  EXPECT_FAILS(aclrtStreamGetId(nullptr, nullptr), ACL_ERROR_INVALID_PARAM, "streamId");
}

TEST_F(StreamTest, QueryTellsReadinessAndReturnsSuccessBothTimes) {
  const aclrtStream stream = new_stream();
  EXPECT_EQ(status_of(stream), ACL_STREAM_STATUS_COMPLETE);
  StreamGate gate(stream);
  EXPECT_EQ(status_of(stream), ACL_STREAM_STATUS_NOT_READY);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(status_of(stream), ACL_STREAM_STATUS_COMPLETE);
  EXPECT_FAILS(aclrtStreamQuery(stream, nullptr), ACL_ERROR_INVALID_PARAM, "status");
}

TEST_F(StreamTest, SynchronizeWithATimeGivesUpAndTheWorkGoesOn) {
  const aclrtStream stream = new_stream();
  {
    StreamGate gate(stream);
    EXPECT_FAILS(aclrtSynchronizeStreamWithTimeout(stream, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "within 20 ms");
    EXPECT_FAILS(aclrtSynchronizeStreamWithTimeout(stream, 0), ACL_ERROR_RT_PARAM_INVALID, "timeout is 0");
    EXPECT_FAILS(aclrtSynchronizeStreamWithTimeout(stream, -2), ACL_ERROR_RT_PARAM_INVALID, "timeout is -2");
  }
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, -1), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 1), ACL_SUCCESS);
}

TEST_F(StreamTest, PersistentOnesAreNeverWaitedFor) {
  for (const uint32_t flag : {ACL_STREAM_PERSISTENT, ACL_STREAM_CPU_SCHEDULE, ACL_STREAM_DEVICE_USE_ONLY}) {
    aclrtStream stream = nullptr;
    EXPECT_EQ(aclrtCreateStreamWithConfig(&stream, 0, flag), ACL_SUCCESS);
    StreamGate gate(stream);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_EQ(status_of(stream), ACL_STREAM_STATUS_COMPLETE);
  }
}

TEST_F(StreamTest, OfAnotherContextIsRefusedExceptWhereTheRulesSaySo) {
  const aclrtStream stream = new_stream();
  aclrtEvent event = nullptr;
  EXPECT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  aclrtContext own = nullptr, other = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&own), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateContext(&other, 0), ACL_SUCCESS);
  aclrtStreamStatus status;
  int32_t id;
  const auto nothing = [](void*) {};
  EXPECT_FAILS(aclrtRecordEvent(event, stream), ACL_ERROR_RT_STREAM_CONTEXT, "another context");
  EXPECT_EQ(aclrtStreamWaitEvent(stream, event), ACL_ERROR_RT_STREAM_CONTEXT);
  EXPECT_EQ(aclrtLaunchCallback(nothing, nullptr, ACL_CALLBACK_BLOCK, stream), ACL_ERROR_RT_STREAM_CONTEXT);
  EXPECT_EQ(aclrtLaunchHostFunc(stream, nothing, nullptr), ACL_ERROR_RT_STREAM_CONTEXT);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
  EXPECT_EQ(aclrtStreamAbort(stream), ACL_ERROR_RT_STREAM_CONTEXT);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamQuery(stream, &status), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamGetId(stream, &id), ACL_SUCCESS);
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
  std::thread([&] {  // and without any context
    EXPECT_EQ(aclrtRecordEvent(event, stream), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamQuery(stream, &status), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamGetId(stream, &id), ACL_SUCCESS);
  })
      .join();
  EXPECT_EQ(aclrtSetCurrentContext(own), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
}

TEST_F(StreamTest, DeadForeignAndWrongHandlesAre107017) {
  const aclrtStream stream = new_stream();
  aclrtEvent event = nullptr;
  EXPECT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  int no_stream = 0;
  for (void* bad : {stream, static_cast<void*>(event), static_cast<void*>(&no_stream), reinterpret_cast<void*>(8)}) {
    aclrtStreamStatus status;
    uint32_t value;
    int32_t id;
    EXPECT_FAILS(aclrtSynchronizeStream(bad), ACL_ERROR_RT_INVALID_HANDLE, "not a live stream");
    EXPECT_EQ(aclrtDestroyStream(bad), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtDestroyStreamForce(bad), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamQuery(bad, &status), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamGetId(bad, &id), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamGetFlags(bad, &value), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamAbort(bad), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamStop(bad), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtRecordEvent(event, bad), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtSetStreamFailureMode(bad, 0), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtSubscribeReport(1, bad), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtUnSubscribeReport(1, bad), ACL_ERROR_RT_INVALID_HANDLE);
  }
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
}

TEST_F(StreamTest, TheDefaultStreamCannotBeDestroyed) {
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCtxGetCurrentDefaultStream(&stream), ACL_SUCCESS);
  EXPECT_FAILS(aclrtDestroyStream(stream), ACL_ERROR_RT_PARAM_INVALID, "default stream");
  EXPECT_FAILS(aclrtDestroyStreamForce(stream), ACL_ERROR_RT_PARAM_INVALID, "default stream");
  EXPECT_FAILS(aclrtDestroyStream(nullptr), ACL_ERROR_INVALID_PARAM, "stream");
  EXPECT_FAILS(aclrtDestroyStreamForce(nullptr), ACL_ERROR_INVALID_PARAM, "stream");
}

TEST_F(StreamTest, DestroyWaitsAndForceDoesNot) {
  const aclrtStream waited = new_stream(), dropped = new_stream();
  std::atomic<int> runs{0};
  const auto count = [](void* counter) { ++*static_cast<std::atomic<int>*>(counter); };
  {
    StreamGate gate(waited);
    EXPECT_EQ(aclrtLaunchHostFunc(waited, count, &runs), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtDestroyStream(waited), ACL_SUCCESS);
  EXPECT_EQ(runs, 1);
  {
    StreamGate gate(dropped);
    EXPECT_EQ(aclrtLaunchHostFunc(dropped, count, &runs), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStreamForce(dropped), ACL_SUCCESS);
  }
  EXPECT_EQ(runs, 1);
}

TEST_F(StreamTest, OfTwoThreadsThatDestroyItOneSucceeds) {
  aclrtContext context = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  for (int turn = 0; turn < 50; ++turn) {
    const aclrtStream stream = new_stream();
    auto destroy = [&] {
      EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      return aclrtDestroyStream(stream);
    };
    auto other = std::async(std::launch::async, destroy);
    const aclError mine = destroy(), theirs = other.get();
    EXPECT_EQ((mine == ACL_SUCCESS) + (theirs == ACL_SUCCESS), 1);
    EXPECT_EQ(mine + theirs, ACL_ERROR_RT_INVALID_HANDLE);
  }
}

TEST_F(StreamTest, AbortDropsWhatIsQueuedTellsWhoWaitsAndLeavesItUsable) {
  const aclrtStream stream = new_stream();
  aclrtContext context = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  std::atomic<int> runs{0};
  const auto count = [](void* counter) { ++*static_cast<std::atomic<int>*>(counter); };
  StreamGate gate(stream);
  EXPECT_EQ(aclrtLaunchHostFunc(stream, count, &runs), ACL_SUCCESS);
  std::promise<void> waits;
  auto waiter = std::async(std::launch::async, [&] {
    waits.set_value();
    return aclrtSynchronizeStream(stream);
  });
  waits.get_future().wait();
  // The wait may begin a little after the abort: then it finds an empty stream, and we try again.
  aclError heard;
  EXPECT_EQ(waiter.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  EXPECT_EQ(aclrtStreamAbort(stream), ACL_SUCCESS);
  heard = waiter.get();
  EXPECT_EQ(heard, ACL_ERROR_RT_STREAM_ABORT);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(aclrtLaunchHostFunc(stream, count, &runs), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(runs, 1);
  EXPECT_FAILS(aclrtStreamAbort(nullptr), ACL_ERROR_INVALID_PARAM, "stream");
}

TEST_F(StreamTest, StopStartsNothingMoreUntilAbort) {
  const aclrtStream stream = new_stream();
  std::atomic<int> runs{0};
  const auto count = [](void* counter) { ++*static_cast<std::atomic<int>*>(counter); };
  EXPECT_EQ(aclrtStreamStop(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchHostFunc(stream, count, &runs), ACL_SUCCESS);
  EXPECT_FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_ABORT, "stopped");
  EXPECT_EQ(status_of(stream), ACL_STREAM_STATUS_NOT_READY);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(aclrtStreamAbort(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchHostFunc(stream, count, &runs), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(runs, 1);
  EXPECT_FAILS(aclrtStreamStop(nullptr), ACL_ERROR_INVALID_PARAM, "stream");
}

TEST_F(StreamTest, DeviceTaskAbortEndsTheWaitsOnAllItsStreamsAndTellsTheCallbacks) {
  static std::vector<int> stages;
  const auto on_abort = [](int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t timeout, void*) -> int32_t {
    EXPECT_EQ(device, 0);
    EXPECT_EQ(timeout, 1000u);
    stages.push_back(stage);
    return 0;
  };
  EXPECT_EQ(aclrtSetDeviceTaskAbortCallback("test", on_abort, nullptr), ACL_SUCCESS);
  const aclrtStream a = new_stream(), b = new_stream();
  {
    StreamGate gate_a(a), gate_b(b);
    auto wait = [](aclrtStream stream) { return aclrtSynchronizeStream(stream); };
    auto first = std::async(std::launch::async, wait, a), second = std::async(std::launch::async, wait, b);
    EXPECT_EQ(first.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    EXPECT_EQ(second.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    EXPECT_EQ(aclrtDeviceTaskAbort(0, 1000), ACL_SUCCESS);
    EXPECT_EQ(first.get(), ACL_ERROR_RT_DEVICE_TASK_ABORT);
    EXPECT_EQ(second.get(), ACL_ERROR_RT_DEVICE_TASK_ABORT);
  }
  EXPECT_THAT(stages, testing::ElementsAre(ACL_RT_DEVICE_TASK_ABORT_PRE, ACL_RT_DEVICE_TASK_ABORT_POST));
  EXPECT_EQ(aclrtSetDeviceTaskAbortCallback("test", nullptr, nullptr), ACL_SUCCESS);
  EXPECT_FAILS(aclrtDeviceTaskAbort(8, 0), ACL_ERROR_RT_INVALID_DEVICEID, "0 to 7");
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
}

TEST_F(StreamTest, TheDefaultStreamDoesNotWaitForOthers) {
  const aclrtStream stream = new_stream();
  StreamGate gate(stream);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(status_of(stream), ACL_STREAM_STATUS_NOT_READY);
}

TEST_F(StreamTest, TheLastTaskIdIsThatOfThisThread) {
  const aclrtStream stream = new_stream();
  uint32_t id = 99;
  std::thread([&] { EXPECT_FAILS(aclrtGetThreadLastTaskId(&id), ACL_ERROR_RT_PARAM_INVALID, "not launched"); }).join();
  EXPECT_EQ(aclrtResetOverflowStatus(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetThreadLastTaskId(&id), ACL_SUCCESS);
  EXPECT_EQ(id, 0u);
  EXPECT_EQ(aclrtResetOverflowStatus(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetThreadLastTaskId(&id), ACL_SUCCESS);
  EXPECT_EQ(id, 1u);
  EXPECT_FAILS(aclrtGetThreadLastTaskId(nullptr), ACL_ERROR_INVALID_PARAM, "taskId");
}

TEST_F(StreamTest, AvailableNumberShrinksWithEachStream) {
  uint32_t before = 0, after = 0;
  EXPECT_EQ(aclrtGetStreamAvailableNum(&before), ACL_SUCCESS);
  (void)new_stream();
  EXPECT_EQ(aclrtGetStreamAvailableNum(&after), ACL_SUCCESS);
  EXPECT_EQ(after, before - 1);
  EXPECT_FAILS(aclrtGetStreamAvailableNum(nullptr), ACL_ERROR_INVALID_PARAM, "streamCount");
}

TEST_F(StreamTest, AttributesAreKept) {
  const aclrtStream stream = new_stream();
  aclrtStreamAttrValue value{};
  value.userCustomTag = 77;
  EXPECT_EQ(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value), ACL_SUCCESS);
  value = {};
  EXPECT_EQ(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value), ACL_SUCCESS);
  EXPECT_EQ(value.userCustomTag, 77u);
  value.streamPriority = 50;
  EXPECT_EQ(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value), ACL_SUCCESS);
  EXPECT_EQ(value.streamPriority, 7u);
  EXPECT_FAILS(aclrtSetStreamAttribute(stream, static_cast<aclrtStreamAttr>(99), &value), ACL_ERROR_RT_PARAM_INVALID,
               "attribute 99");
  EXPECT_FAILS(aclrtGetStreamAttribute(stream, static_cast<aclrtStreamAttr>(99), &value), ACL_ERROR_RT_PARAM_INVALID,
               "attribute 99");
  EXPECT_FAILS(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, nullptr), ACL_ERROR_INVALID_PARAM, "value");
}

TEST_F(StreamTest, StopOnFailureCannotBeTakenBack) {
  aclrtContext context = nullptr, own = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&own), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamFailureMode(nullptr, ACL_CONTINUE_ON_FAILURE), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamFailureMode(nullptr, ACL_STOP_ON_FAILURE), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamFailureMode(nullptr, ACL_STOP_ON_FAILURE), ACL_SUCCESS);
  EXPECT_FAILS(aclrtSetStreamFailureMode(nullptr, ACL_CONTINUE_ON_FAILURE), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
               "cannot be undone");
  EXPECT_FAILS(aclrtSetStreamFailureMode(nullptr, 2), ACL_ERROR_RT_PARAM_INVALID, "failure mode is 2");
  aclrtStreamAttrValue value{};
  EXPECT_EQ(aclrtGetStreamAttribute(nullptr, ACL_STREAM_ATTR_FAILURE_MODE, &value), ACL_SUCCESS);
  EXPECT_EQ(value.failureMode, static_cast<uint64_t>(ACL_STOP_ON_FAILURE));
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetCurrentContext(own), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamFailureMode(nullptr, ACL_CONTINUE_ON_FAILURE), ACL_SUCCESS);  // another context
}

TEST_F(StreamTest, SwitchingStreamsNeedsAModelThatIsBuiltByHand) {
  const aclrtStream stream = new_stream();
  int value = 0;
  EXPECT_FAILS(aclrtActiveStream(stream, nullptr), ACL_ERROR_RT_PARAM_INVALID, "aclmdlRIBindStream");
  EXPECT_FAILS(aclrtSwitchStream(&value, ACL_RT_EQUAL, &value, ACL_RT_SWITCH_INT32, stream, nullptr, nullptr),
               ACL_ERROR_RT_PARAM_INVALID, "aclmdlRIBindStream");
  EXPECT_FAILS(aclrtActiveStream(nullptr, nullptr), ACL_ERROR_INVALID_PARAM, "activeStream");
}

TEST_F(StreamTest, LaunchesFromSeveralThreadsAreAllRunOnceAndInEachThreadsOrder) {
  const aclrtStream stream = new_stream();
  aclrtContext context = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  constexpr int kThreads = 4, kEach = 500;
  static std::vector<std::pair<int, int>> ran;  // host functions of a context run one at a time
  ran.clear();
  const auto note = [](void* packed) {
    const auto value = reinterpret_cast<intptr_t>(packed);
    ran.emplace_back(static_cast<int>(value >> 32), static_cast<int>(value & 0xffffffff));
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      for (int i = 0; i < kEach; ++i)
        EXPECT_EQ(aclrtLaunchHostFunc(stream, note, reinterpret_cast<void*>((intptr_t{thread} << 32) | i)),
                  ACL_SUCCESS);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  ASSERT_EQ(ran.size(), static_cast<size_t>(kThreads * kEach));
  int next[kThreads] = {};
  for (const auto& [thread, i] : ran) EXPECT_EQ(i, next[thread]++);
}

}  // namespace
