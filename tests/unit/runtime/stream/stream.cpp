// SPDX-License-Identifier: Apache-2.0
// What streams do with tasks that the C interface cannot make: failing, throwing, slow, many.
#include "runtime/stream/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <future>
#include <optional>
#include <vector>

#include "runtime/device/context.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"
#include "runtime/device/exception.h"
#include "runtime/stream/event.h"

namespace {

using namespace belay;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr aclError kKernelFailed = ACL_ERROR_RT_AICORE_EXCEPTION;

class StreamObject : public testing::Test {
 protected:
  void SetUp() override {
    context = std::make_shared<Context>(**find_device(0), false);
    context->open();
    stream = make();
  }
  void TearDown() override {
    stream.reset();
    EXPECT_TRUE(context->close().ok());
  }
  std::shared_ptr<Stream> make() { return *context->create_stream({}); }
  // Keeps the stream busy until the promise is fulfilled or broken.
  static std::promise<void> hold(Stream& held) {
    std::promise<void> open;
    EXPECT_TRUE(
        held.launch([opened = std::make_shared<std::future<void>>(open.get_future())] { opened->wait(); }).ok());
    return open;
  }
  static Status fails(aclError code = kKernelFailed, const char* text = "the kernel failed") { return {code, text}; }

  std::shared_ptr<Context> context;
  std::shared_ptr<Stream> stream;
};

TEST_F(StreamObject, RunsTasksInOrderOnOneOtherThread) {
  std::vector<int> order;
  std::thread::id thread;
  for (int i = 0; i < 1000; ++i)
    ASSERT_TRUE(stream
                    ->launch([&, i] {
                      if (i == 0) thread = std::this_thread::get_id();
                      EXPECT_EQ(thread, std::this_thread::get_id());
                      order.push_back(i);
                    })
                    .ok());
  EXPECT_TRUE(stream->synchronize().ok());
  ASSERT_EQ(order.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(order[i], i);
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST_F(StreamObject, AnErrorIsToldOnceAndLaterTasksRun) {
  bool ran = false;
  ASSERT_TRUE(stream->launch([] { return fails(); }).ok());
  ASSERT_TRUE(stream->launch([&] { ran = true; }).ok());
  const Status status = stream->synchronize();
  EXPECT_EQ(status.code, kKernelFailed);
  EXPECT_THAT(status.message, HasSubstr("the kernel failed"));
  EXPECT_TRUE(ran);
  EXPECT_TRUE(stream->synchronize().ok());
}

TEST_F(StreamObject, OfTwoErrorsTheLaterIsTold) {
  ASSERT_TRUE(stream->launch([] { return fails(ACL_ERROR_RT_AICPU_EXCEPTION); }).ok());
  ASSERT_TRUE(stream->launch([] { return fails(ACL_ERROR_RT_MODEL_EXECUTE); }).ok());
  EXPECT_EQ(stream->synchronize().code, ACL_ERROR_RT_MODEL_EXECUTE);
  EXPECT_TRUE(stream->synchronize().ok());
}

// The wait means the next record, and that never comes.
TEST_F(StreamObject, ARefusedRecordLetsNobodyThrough) {
  const auto closed = make();
  closed->close();
  const auto event = std::make_shared<Event>(EventKind::Flagged, ACL_EVENT_SYNC, 0);
  ASSERT_TRUE(event->wait(*stream, 1s).ok());
  EXPECT_EQ(event->record(*closed).code, ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(stream->synchronize().code, ACL_ERROR_RT_WAIT_TIMEOUT);
  ASSERT_TRUE(event->wait(*stream, 0s).ok());
  ASSERT_TRUE(event->record(*make()).ok());
  EXPECT_TRUE(stream->synchronize().ok());
}

TEST_F(StreamObject, SynchronizingTheContextTellsOneErrorAndKeepsTheOthers) {
  const auto other = make();
  for (const auto& failing : {stream, other}) {
    ASSERT_TRUE(failing->launch([] { return fails(); }).ok());
    ASSERT_TRUE(failing->drain().ok());
  }
  EXPECT_EQ(context->synchronize(std::nullopt).code, kKernelFailed);
  EXPECT_EQ(context->synchronize(std::nullopt).code, kKernelFailed);
  EXPECT_TRUE(context->synchronize(std::nullopt).ok());
}

TEST_F(StreamObject, SynchronizingAnEventTellsTheErrorOfItsStreamOnce) {
  const auto event = std::make_shared<Event>(EventKind::Plain, 0x9, 0);
  ASSERT_TRUE(stream->launch([] { return fails(); }).ok());
  ASSERT_TRUE(event->record(*stream).ok());
  EXPECT_EQ(event->synchronize(std::nullopt).code, kKernelFailed);
  EXPECT_TRUE(event->synchronize(std::nullopt).ok());
  EXPECT_TRUE(stream->synchronize().ok());
}

TEST_F(StreamObject, WhatATaskThrowsIsItsError) {
  ASSERT_TRUE(stream->launch([] { throw std::runtime_error("no such tensor"); }).ok());
  const Status thrown = stream->synchronize();
  EXPECT_EQ(thrown.code, ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_THAT(thrown.message, HasSubstr("no such tensor"));
  ASSERT_TRUE(stream->launch([] { throw std::bad_alloc(); }).ok());
  EXPECT_THAT(stream->synchronize().message, HasSubstr("out of host memory"));
}

TEST_F(StreamObject, InStopModeTheFirstErrorStaysAndNothingMoreRuns) {
  const auto other = make();
  bool ran = false;
  context->stop_on_failure();
  auto gate = hold(*stream);
  ASSERT_TRUE(stream->launch([] { return fails(); }).ok());
  ASSERT_TRUE(stream->launch([&] { ran = true; }).ok());
  gate.set_value();
  for (int twice = 0; twice < 2; ++twice) {
    EXPECT_EQ(stream->synchronize().code, kKernelFailed);
    EXPECT_EQ(other->synchronize().code, kKernelFailed);
    EXPECT_EQ(other->launch([] {}).code, kKernelFailed);
    EXPECT_EQ(stream->idle().status().code, kKernelFailed);
  }
  EXPECT_FALSE(ran);
}

std::vector<std::string> told;
void tell_first(aclrtExceptionInfo* info) { told.push_back("callback " + std::to_string(info->task_id)); }

TEST_F(StreamObject, AFailureGoesToTheHookThenTheCallbacksThenTheWaiter) {
  told.clear();
  set_exception_hook([](const rtExceptionInfo& info, const Status& status) {
    told.push_back("hook " + std::to_string(info.task_id) + " " + status.message);
  });
  add_exception_callback(tell_first);
  ASSERT_TRUE(stream->launch([] {}).ok());
  ASSERT_TRUE(stream->launch([] { return fails(); }).ok());
  EXPECT_EQ(stream->synchronize().code, kKernelFailed);
  EXPECT_THAT(told, ElementsAre("hook 1 the kernel failed", "callback 1"));
  set_exception_hook(nullptr);
  remove_exception_callback(tell_first);
}

TEST_F(StreamObject, ATaskReleasesWhatItHoldsBeforeItCountsAsDone) {
  for (int turn = 0; turn < 500; ++turn) {
    auto held = std::make_shared<int>(turn);
    ASSERT_TRUE(stream->launch([held] {}).ok());
    ASSERT_TRUE(stream->synchronize().ok());
    EXPECT_EQ(held.use_count(), 1);
  }
}

TEST_F(StreamObject, DroppedTasksReleaseWhatTheyHoldToo) {
  auto held = std::make_shared<int>(0);
  auto gate = hold(*stream);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(stream->launch([held] { *held = 1; }).ok());
  stream->abort(ACL_ERROR_RT_STREAM_ABORT);
  gate.set_value();
  EXPECT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(*held, 0);
}

TEST_F(StreamObject, AnAbortForgetsTheErrorOfWhatItDropped) {
  ASSERT_TRUE(stream->launch([] { return fails(); }).ok());
  ASSERT_TRUE(stream->drain().ok());
  stream->abort(ACL_ERROR_RT_STREAM_ABORT);
  EXPECT_TRUE(stream->synchronize().ok());
}

TEST_F(StreamObject, EveryWaiterOfAnAbortedStreamHearsOfItHoweverShortItsWait) {
  for (int turn = 0; turn < 300; ++turn) {
    auto gate = hold(*stream);
    std::promise<void> starts;
    auto waiter = std::async(std::launch::async, [&] {
      starts.set_value();
      return stream->synchronize().code;
    });
    starts.get_future().wait();
    for (int spin = 0; spin < turn * 10; ++spin) asm volatile("");
    // Whoever began to wait before the abort is told; who came later finds the stream idle.
    stream->abort(ACL_ERROR_RT_STREAM_ABORT);
    gate.set_value();
    const aclError code = waiter.get();
    EXPECT_TRUE(code == ACL_ERROR_RT_STREAM_ABORT || code == ACL_SUCCESS) << code;
    ASSERT_TRUE(stream->synchronize().ok());
  }
}

TEST_F(StreamObject, AFullQueueMakesTheLaunchWaitAndLosesNothing) {
  std::atomic<int> runs{0};
  constexpr int kTasks = 300'000;  // more than queue and batch hold
  auto gate = hold(*stream);
  auto launcher = std::async(std::launch::async, [&] {
    for (int i = 0; i < kTasks; ++i) ASSERT_TRUE(stream->launch([&runs] { ++runs; }).ok());
  });
  EXPECT_EQ(launcher.wait_for(200ms), std::future_status::timeout);
  gate.set_value();
  launcher.get();
  EXPECT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(runs, kTasks);
}

TEST_F(StreamObject, ALaunchThatWaitsForRoomEndsWithTheStream) {
  auto gate = hold(*stream);
  std::atomic<int> launched{0};
  auto launcher = std::async(std::launch::async, [&] {
    while (true) {
      Status status = stream->launch([] {});
      if (!status.ok()) return status.code;
      ++launched;
    }
  });
  int before = -1;
  while (launched != before || before < 65536) {  // until it stands still
    before = launched;
    std::this_thread::sleep_for(20ms);
  }
  auto closer = std::async(std::launch::async, [&] { return context->destroy_stream(stream, false).code; });
  EXPECT_EQ(launcher.get(), ACL_ERROR_RT_INVALID_HANDLE);
  gate.set_value();
  EXPECT_EQ(closer.get(), ACL_SUCCESS);
  EXPECT_EQ(stream->launch([] {}).code, ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_F(StreamObject, TasksMayLaunchMoreOnTheirOwnStreamEvenWhenItIsFull) {
  std::atomic<int> runs{0};
  ASSERT_TRUE(stream
                  ->launch([&] {
                    for (int i = 0; i < 100'000; ++i) EXPECT_TRUE(stream->launch([&runs] { ++runs; }).ok());
                  })
                  .ok());
  while (runs < 100'000) ASSERT_TRUE(stream->synchronize().ok());
}

TEST_F(StreamObject, ManyWaitersEachGetTheirOwnTask) {
  std::vector<std::future<bool>> waiters;
  std::atomic<int> runs{0};
  std::vector<std::promise<void>> gates;
  for (int i = 0; i < 8; ++i) {
    gates.push_back(hold(*stream));
    ASSERT_TRUE(stream->launch([&runs] { ++runs; }).ok());
    std::promise<void> starts;
    waiters.push_back(std::async(std::launch::async, [&, i] {
      starts.set_value();
      return stream->synchronize().ok() && runs > i;
    }));
    starts.get_future().wait();
  }
  for (auto& gate : gates) gate.set_value();
  for (auto& waiter : waiters) EXPECT_TRUE(waiter.get());
}

TEST_F(StreamObject, SixtyFourStreamsThatWaitUseNoProcessorTime) {
  Signal awaited;
  std::vector<std::shared_ptr<Stream>> streams(64);
  for (size_t i = 0; i < streams.size(); ++i) {
    streams[i] = make();
    ASSERT_TRUE(streams[i]->launch([] {}).ok());
    EXPECT_TRUE(streams[i]->synchronize().ok());
    // Every second one has nothing to do, the others wait for an event.
    if (i % 2 == 0) continue;
    ASSERT_TRUE(streams[i]->launch([&, stream = streams[i].get()] { stream->await(awaited); }).ok());
  }
  std::this_thread::sleep_for(50ms);  // till all of them sleep
  const auto before = std::clock();   // the time of the whole process on processors, however busy the machine is
  std::this_thread::sleep_for(400ms);
  const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 0.02);
  awaited.set();
  for (auto& each : streams) EXPECT_TRUE(context->destroy_stream(each, false).ok());
}

TEST_F(StreamObject, WaitingOnItsOwnThreadIsRefused) {
  Status inside;
  ASSERT_TRUE(stream->launch([&] { inside = stream->synchronize(); }).ok());
  EXPECT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(inside.code, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(inside.message, HasSubstr("own thread"));
}

TEST_F(StreamObject, ATaskMayDestroyItsOwnStream) {
  auto mortal = make();
  std::promise<aclError> code;
  ASSERT_TRUE(mortal->launch([&] { code.set_value(context->destroy_stream(mortal, false).code); }).ok());
  EXPECT_EQ(code.get_future().get(), ACL_SUCCESS);
}

TEST_F(StreamObject, TheContextCannotBeClosedTwiceAtOnce) {
  const auto other = std::make_shared<Context>(**find_device(1), false);
  other->open();
  auto held = *other->create_stream({});
  auto gate = hold(*held);
  auto closer = std::async(std::launch::async, [&] { return other->close().code; });
  while (true) {  // until the closer is at it
    auto made = other->create_stream({});
    if (!made.ok()) {
      EXPECT_EQ(made.status().code, ACL_ERROR_RT_CONTEXT_NULL);
      break;
    }
    ASSERT_TRUE(other->destroy_stream(*made, true).ok());
  }
  EXPECT_EQ(other->close().code, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
  gate.set_value();
  EXPECT_EQ(closer.get(), ACL_SUCCESS);
  EXPECT_FALSE(other->alive());
}

}  // namespace
