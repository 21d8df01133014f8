// SPDX-License-Identifier: Apache-2.0
// Events through the C interface. Oracle: the documented codes for each kind of event.
#include <future>

#include "support/acl.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // old programs call aclrtQueryEvent

namespace {

using namespace belay::test;

class EventTest : public OnDevice {
 protected:
  aclrtEvent plain() {
    aclrtEvent event = nullptr;
    EXPECT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
    return event;
  }
  aclrtEvent flagged(uint32_t flag = ACL_EVENT_SYNC) {
    aclrtEvent event = nullptr;
    EXPECT_EQ(aclrtCreateEventWithFlag(&event, flag), ACL_SUCCESS);
    return event;
  }
  aclrtEvent extended(uint32_t flag = ACL_EVENT_SYNC) {
    aclrtEvent event = nullptr;
    EXPECT_EQ(aclrtCreateEventExWithFlag(&event, flag), ACL_SUCCESS);
    return event;
  }
};

aclrtEventRecordedStatus status_of(aclrtEvent event) {
  auto status = static_cast<aclrtEventRecordedStatus>(9);
  EXPECT_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
  return status;
}

aclrtEventWaitStatus waits_of(aclrtEvent event) {
  auto status = static_cast<aclrtEventWaitStatus>(9);
  EXPECT_EQ(aclrtQueryEventWaitStatus(event, &status), ACL_SUCCESS);
  return status;
}

class EventWithoutContext : public WithoutDevice {};

TEST_F(EventWithoutContext, IsNotMade) {
  aclrtEvent event = nullptr;
  EXPECT_FAILS(aclrtCreateEvent(&event), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
  EXPECT_EQ(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(event, nullptr);
}

TEST_F(EventTest, FlagsAreChecked) {
  aclrtEvent event = nullptr;
  for (const uint32_t bad : {0u, 0x4u, 0x80u, ACL_EVENT_IPC, ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_SYNC,
                             ACL_EVENT_EXTERNAL | ACL_EVENT_TIME_LINE})
    EXPECT_FAILS(aclrtCreateEventWithFlag(&event, bad), ACL_ERROR_RT_PARAM_INVALID, "flag is " + std::to_string(bad));
  for (const uint32_t bad : {0u, 0x4u, 0x80u}) EXPECT_EQ(aclrtCreateEventExWithFlag(&event, bad), 107000);
  EXPECT_EQ(event, nullptr);
  for (const uint32_t good :
       {ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE, ACL_EVENT_DEVICE_USE_ONLY,
        ACL_EVENT_EXTERNAL, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE | ACL_EVENT_CAPTURE_STREAM_PROGRESS}) {
    EXPECT_EQ(aclrtCreateEventWithFlag(&event, good), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  }
}

TEST_F(EventTest, NullIs100000EverywhereAndADeadOne107017) {
  const aclrtEvent dead = plain();
  EXPECT_EQ(aclrtDestroyEvent(dead), ACL_SUCCESS);
  float ms;
  uint64_t time;
  uint32_t id;
  aclrtEventStatus status;
  aclrtEventRecordedStatus recorded;
  aclrtEventWaitStatus waits;
  const auto check = [&](aclrtEvent event, aclError code, const char* part) {
    EXPECT_FAILS(aclrtDestroyEvent(event), code, part);
    EXPECT_FAILS(aclrtRecordEvent(event, nullptr), code, part);
    EXPECT_FAILS(aclrtRecordEventWithFlag(event, nullptr, 0), code, part);
    EXPECT_FAILS(aclrtResetEvent(event, nullptr), code, part);
    EXPECT_FAILS(aclrtStreamWaitEvent(nullptr, event), code, part);
    EXPECT_FAILS(aclrtStreamWaitEventWithTimeout(nullptr, event, 1), code, part);
    EXPECT_FAILS(aclrtSynchronizeEvent(event), code, part);
    EXPECT_FAILS(aclrtSynchronizeEventWithTimeout(event, 1), code, part);
    EXPECT_FAILS(aclrtQueryEvent(event, &status), code, part);
    EXPECT_FAILS(aclrtQueryEventStatus(event, &recorded), code, part);
    EXPECT_FAILS(aclrtQueryEventWaitStatus(event, &waits), code, part);
    EXPECT_FAILS(aclrtEventElapsedTime(&ms, event, event), code, part);
    EXPECT_FAILS(aclrtEventGetTimestamp(event, &time), code, part);
    EXPECT_FAILS(aclrtGetEventId(event, &id), code, part);
  };
  check(nullptr, ACL_ERROR_INVALID_PARAM, "vent must not be null");
  check(dead, ACL_ERROR_RT_INVALID_HANDLE, "not a live event");
  check(new_stream(), ACL_ERROR_RT_INVALID_HANDLE, "not a live event");
}

TEST_F(EventTest, AWaitHoldsAnotherStreamUntilTheRecordIsReached) {
  const aclrtStream producer = new_stream(), consumer = new_stream();
  for (const aclrtEvent event : {plain(), flagged(), extended()}) {
    StreamGate gate(producer);
    EXPECT_EQ(aclrtRecordEvent(event, producer), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamWaitEvent(consumer, event), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(consumer, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    EXPECT_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    gate.open();
    EXPECT_EQ(aclrtSynchronizeStream(consumer), ACL_SUCCESS);
    EXPECT_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  }
}

TEST_F(EventTest, APlainOneMustBeRecordedBeforeAWait) {
  EXPECT_FAILS(aclrtStreamWaitEvent(nullptr, plain()), ACL_ERROR_RT_PARAM_INVALID, "aclrtRecordEvent");
}

TEST_F(EventTest, AnExtendedOneThatWasNeverRecordedHoldsNothing) {
  const aclrtStream stream = new_stream();
  const aclrtEvent event = extended();
  EXPECT_EQ(aclrtStreamWaitEvent(stream, event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

TEST_F(EventTest, AnExtendedWaitKeepsTheRecordThatWasLatestWhenItWasCalled) {
  const aclrtStream fast = new_stream(), slow = new_stream(), consumer = new_stream();
  const aclrtEvent event = extended();
  EXPECT_EQ(aclrtRecordEvent(event, fast), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(consumer, event), ACL_SUCCESS);
  StreamGate gate(slow);
  EXPECT_EQ(aclrtRecordEvent(event, slow), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(consumer), ACL_SUCCESS);
  EXPECT_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
}

TEST_F(EventTest, AFlaggedWaitBeforeTheRecordWaitsForIt) {
  const aclrtStream producer = new_stream(), consumer = new_stream();
  const aclrtEvent event = flagged();
  EXPECT_EQ(aclrtStreamWaitEvent(consumer, event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(consumer, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_EQ(waits_of(event), ACL_EVENT_WAIT_STATUS_NOT_READY);
  EXPECT_EQ(aclrtRecordEvent(event, producer), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(consumer), ACL_SUCCESS);
  EXPECT_EQ(waits_of(event), ACL_EVENT_WAIT_STATUS_COMPLETE);
}

TEST_F(EventTest, AResetMakesTheNextWaitWaitForTheNextRecord) {
  const aclrtStream producer = new_stream(), consumer = new_stream();
  const aclrtEvent event = flagged();
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(aclrtStreamWaitEvent(consumer, event), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetEvent(event, consumer), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(consumer, 10), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) << round;
    EXPECT_EQ(aclrtRecordEvent(event, producer), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(consumer), ACL_SUCCESS);
    EXPECT_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  }
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(aclrtRecordEvent(event, producer), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamWaitEvent(consumer, event), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetEvent(event, consumer), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(consumer), ACL_SUCCESS);
  }
}

TEST_F(EventTest, QueuedWaitsAndResetsTakeOneRecordEach) {
  const aclrtStream producer = new_stream(), consumer = new_stream();
  const aclrtEvent event = flagged();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(aclrtStreamWaitEvent(consumer, event), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetEvent(event, consumer), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtRecordEvent(event, producer), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(consumer, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_EQ(aclrtRecordEvent(event, producer), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(consumer), ACL_SUCCESS);
}

TEST_F(EventTest, AResetThatIsOnlyQueuedDoesNotHideTheRecordFromTheHost) {
  const aclrtStream producer = new_stream(), consumer = new_stream();
  const aclrtEvent event = flagged();
  StreamGate gate(producer);
  EXPECT_EQ(aclrtRecordEvent(event, producer), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(consumer, event), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetEvent(event, consumer), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, 20), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(consumer), ACL_SUCCESS);
}

TEST_F(EventTest, WithoutSyncThereIsNoWaitAndNoReset) {
  const aclrtEvent event = flagged(ACL_EVENT_TIME_LINE);
  EXPECT_FAILS(aclrtStreamWaitEvent(nullptr, event), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "ACL_EVENT_SYNC");
  EXPECT_FAILS(aclrtResetEvent(event, nullptr), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "ACL_EVENT_SYNC");
  EXPECT_EQ(aclrtRecordEvent(event, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_FAILS(aclrtResetEvent(extended(), nullptr), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtCreateEventWithFlag");
  EXPECT_FAILS(aclrtResetEvent(plain(), nullptr), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtCreateEventWithFlag");
}

TEST_F(EventTest, SynchronizeReturnsAtOnceWithoutARecordAndGivesUpInTime) {
  const aclrtStream stream = new_stream();
  const aclrtEvent event = plain();
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, 1), ACL_SUCCESS);
  StreamGate gate(stream);
  EXPECT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  EXPECT_FAILS(aclrtSynchronizeEventWithTimeout(event, 20), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "20 ms");
  EXPECT_FAILS(aclrtSynchronizeEventWithTimeout(event, 0), ACL_ERROR_RT_PARAM_INVALID, "timeout is 0");
  EXPECT_FAILS(aclrtSynchronizeEventWithTimeout(event, -7), ACL_ERROR_RT_PARAM_INVALID, "timeout is -7");
  gate.open();
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, -1), ACL_SUCCESS);
}

TEST_F(EventTest, QueriesOfANeverRecordedOneDifferByKind) {
  aclrtEventStatus old = ACL_EVENT_STATUS_RESERVED;
  aclrtEventWaitStatus waits;
  EXPECT_EQ(aclrtQueryEvent(plain(), &old), ACL_SUCCESS);
  EXPECT_EQ(old, ACL_EVENT_STATUS_COMPLETE);
  EXPECT_EQ(status_of(plain()), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(status_of(flagged()), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(status_of(extended()), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  EXPECT_FAILS(aclrtQueryEvent(extended(), &old), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtQueryEventStatus");
  EXPECT_FAILS(aclrtQueryEventWaitStatus(extended(), &waits), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "waits");
  EXPECT_FAILS(aclrtQueryEvent(plain(), nullptr), ACL_ERROR_INVALID_PARAM, "status");
  EXPECT_FAILS(aclrtQueryEventStatus(plain(), nullptr), ACL_ERROR_INVALID_PARAM, "status");
  EXPECT_FAILS(aclrtQueryEventWaitStatus(plain(), nullptr), ACL_ERROR_INVALID_PARAM, "status");
}

TEST_F(EventTest, ElapsedTimeIsInMillisecondsAndMayBeNegative) {
  const aclrtStream stream = new_stream();
  const aclrtEvent start = plain(), end = plain();
  float ms = -5;
  uint64_t first = 0, second = 0;
  EXPECT_FAILS(aclrtEventElapsedTime(&ms, start, end), ACL_ERROR_RT_INTERNAL_ERROR, "not been recorded");
  EXPECT_FAILS(aclrtEventGetTimestamp(start, &first), ACL_ERROR_RT_INTERNAL_ERROR, "not been recorded");
  {
    StreamGate gate(stream);
    EXPECT_EQ(aclrtRecordEvent(start, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtRecordEvent(end, stream), ACL_SUCCESS);
    EXPECT_FAILS(aclrtEventElapsedTime(&ms, start, end), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "synchronize");
    EXPECT_FAILS(aclrtEventGetTimestamp(end, &second), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "synchronize");
  }
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(ms, -5);
  const auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
  EXPECT_EQ(aclrtRecordEvent(start, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchHostFunc(stream, sleep, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordEvent(end, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(end), ACL_SUCCESS);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, start, end), ACL_SUCCESS);
  EXPECT_GE(ms, 5.0f);
  float back = 0;
  EXPECT_EQ(aclrtEventElapsedTime(&back, end, start), ACL_SUCCESS);
  EXPECT_EQ(back, -ms);
  EXPECT_EQ(aclrtEventGetTimestamp(start, &first), ACL_SUCCESS);
  EXPECT_EQ(aclrtEventGetTimestamp(end, &second), ACL_SUCCESS);
  EXPECT_NEAR(static_cast<double>(second - first) / 1000, ms, 0.002);  // microseconds, each cut
  EXPECT_FAILS(aclrtEventElapsedTime(nullptr, start, end), ACL_ERROR_INVALID_PARAM, "ms");
  EXPECT_FAILS(aclrtEventGetTimestamp(start, nullptr), ACL_ERROR_INVALID_PARAM, "timestamp");
}

TEST_F(EventTest, DestroyDoesNotWaitAndQueuedWaitsStayValid) {
  const aclrtStream producer = new_stream(), consumer = new_stream();
  const aclrtEvent event = flagged();
  {
    StreamGate gate(producer);
    EXPECT_EQ(aclrtRecordEvent(event, producer), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamWaitEvent(consumer, event), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(consumer, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  }
  EXPECT_EQ(aclrtSynchronizeStream(consumer), ACL_SUCCESS);
}

TEST_F(EventTest, AWaitThatRunsOutOfTimeIsTheStreamsErrorOnce) {
  const aclrtStream stream = new_stream();
  const aclrtEvent event = flagged();
  EXPECT_EQ(aclrtStreamWaitEventWithTimeout(stream, event, 1), ACL_SUCCESS);
  EXPECT_FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_WAIT_TIMEOUT, "1 s");
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetOpWaitTimeout(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(stream, event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetOpWaitTimeout(0), ACL_SUCCESS);
  EXPECT_FAILS(aclrtSynchronizeDevice(), ACL_ERROR_RT_WAIT_TIMEOUT, "1 s");
  EXPECT_FAILS(aclrtStreamWaitEventWithTimeout(stream, event, -1), ACL_ERROR_RT_PARAM_INVALID, "timeout");
}

TEST_F(EventTest, SynchronizingAnEventTellsTheErrorOfItsStream) {
  const aclrtStream stream = new_stream();
  const aclrtEvent never = flagged(), after = plain();
  EXPECT_EQ(aclrtStreamWaitEventWithTimeout(stream, never, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordEvent(after, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(after), ACL_ERROR_RT_WAIT_TIMEOUT);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

TEST_F(EventTest, TheExternalFlagIsForCapturing) {
  const aclrtEvent event = extended();
  EXPECT_EQ(aclrtRecordEventWithFlag(event, nullptr, 0), ACL_SUCCESS);
  EXPECT_FAILS(aclrtRecordEventWithFlag(event, nullptr, 1), ACL_ERROR_RT_STREAM_NOT_CAPTURED, "captured");
  EXPECT_FAILS(aclrtRecordEventWithFlag(event, nullptr, 2), ACL_ERROR_INVALID_PARAM, "flag");
  EXPECT_EQ(aclrtStreamWaitEventWithFlag(nullptr, event, 0, 0), ACL_SUCCESS);
  EXPECT_FAILS(aclrtStreamWaitEventWithFlag(nullptr, event, 0, 1), ACL_ERROR_RT_STREAM_NOT_CAPTURED, "captured");
  EXPECT_FAILS(aclrtStreamWaitEventWithFlag(nullptr, event, 0, 2), ACL_ERROR_INVALID_PARAM, "flag");
}

TEST_F(EventTest, IdsDifferAndManyAreAvailable) {
  uint32_t a = 0, b = 0, available = 0;
  EXPECT_EQ(aclrtGetEventId(plain(), &a), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetEventId(plain(), &b), ACL_SUCCESS);
  EXPECT_NE(a, b);
  EXPECT_EQ(aclrtGetEventAvailNum(&available), ACL_SUCCESS);
  EXPECT_GE(available, 1000u);
  EXPECT_FAILS(aclrtGetEventId(plain(), nullptr), ACL_ERROR_INVALID_PARAM, "eventId");
  EXPECT_FAILS(aclrtGetEventAvailNum(nullptr), ACL_ERROR_INVALID_PARAM, "eventCount");
}

TEST_F(EventTest, WaitsOfAnAbortedStreamAreReleased) {
  const aclrtStream producer = new_stream(), consumer = new_stream();
  for (const aclrtEvent event : {plain(), flagged(), extended(), extended(ACL_EVENT_IPC)}) {
    StreamGate gate(producer);
    EXPECT_EQ(aclrtRecordEvent(event, producer), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamWaitEvent(consumer, event), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamAbort(producer), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(consumer), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  }
}

}  // namespace
