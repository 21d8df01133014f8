// SPDX-License-Identifier: Apache-2.0
// Stream callbacks. Oracle: the documented table of checks, order and blocking rules.
#include <future>
#include <vector>

#include "support/acl.h"
#include "support/device.h"

namespace {

using namespace belay::test;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class CallbackTest : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    stream = new_stream();
    EXPECT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  }
  aclrtStream stream = nullptr;
  aclrtContext context = nullptr;
};

void nothing(void*) {}
void count(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

// Something for a callback to do that the test decides.
using Body = std::function<void()>;
void call(void* body) { (*static_cast<Body*>(body))(); }

TEST_F(CallbackTest, LaunchChecksInTheDocumentedOrder) {
  const auto launch = [&](aclrtCallback fn, int block, aclrtStream on) {
    return aclrtLaunchCallback(fn, nullptr, static_cast<aclrtCallbackBlockType>(block), on);
  };
  const aclrtStream dead = new_stream(), hosted = new_stream(), other_context_stream = new_stream();
  EXPECT_EQ(aclrtDestroyStream(dead), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchHostFunc(hosted, nothing, nullptr), ACL_SUCCESS);
  EXPECT_FAILS(launch(nullptr, 2, dead), ACL_ERROR_INVALID_PARAM, "blockType");
  EXPECT_FAILS(launch(nullptr, -1, nullptr), ACL_ERROR_INVALID_PARAM, "blockType");
  EXPECT_FAILS(launch(nullptr, 1, dead), ACL_ERROR_RT_INVALID_HANDLE, "not a live stream");
  EXPECT_FAILS(launch(nullptr, 1, hosted), ACL_ERROR_RT_PARAM_INVALID, "fn");
  std::thread([&] {  // no current context
    EXPECT_EQ(launch(nothing, 1, dead), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(launch(nullptr, 1, nullptr), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_FAILS(launch(nothing, 1, hosted), ACL_ERROR_RT_STREAM_SUBSCRIBE, "aclrtLaunchHostFunc");
    EXPECT_FAILS(launch(nothing, 1, stream), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
    EXPECT_EQ(launch(nothing, 1, nullptr), ACL_ERROR_RT_CONTEXT_NULL);
    aclrtContext other = nullptr;
    EXPECT_EQ(aclrtCreateContext(&other, 0), ACL_SUCCESS);
    EXPECT_EQ(launch(nothing, 1, hosted), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    EXPECT_FAILS(launch(nothing, 1, other_context_stream), ACL_ERROR_RT_STREAM_CONTEXT, "another context");
    EXPECT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
  })
      .join();
  EXPECT_FAILS(launch(nothing, 1, stream), ACL_ERROR_RT_STREAM_NO_CB_REG, "aclrtSubscribeReport");
  EXPECT_FAILS(launch(nothing, 0, nullptr), ACL_ERROR_RT_STREAM_NO_CB_REG, "aclrtSubscribeReport");
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_STREAM_NO_CB_REG);
}

TEST_F(CallbackTest, SubscribeChecksInTheDocumentedOrder) {
  const aclrtStream dead = new_stream(), hosted = new_stream();
  EXPECT_EQ(aclrtDestroyStream(dead), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchHostFunc(hosted, nothing, nullptr), ACL_SUCCESS);
  EXPECT_FAILS(aclrtSubscribeReport(77, dead), ACL_ERROR_RT_INVALID_HANDLE, "not a live stream");
  EXPECT_FAILS(aclrtSubscribeReport(77, hosted), ACL_ERROR_RT_STREAM_SUBSCRIBE, "EE1016");
  EXPECT_EQ(aclrtSubscribeReport(77, stream), ACL_SUCCESS);  // the id is not validated
  EXPECT_FAILS(aclrtSubscribeReport(77, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE, "already served by thread 77");
  EXPECT_FAILS(aclrtSubscribeReport(78, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE, "already served by thread 77");
  EXPECT_EQ(aclrtSubscribeReport(77, nullptr), ACL_SUCCESS);  // many streams, the default one too
  std::thread([&] {
    EXPECT_FAILS(aclrtSubscribeReport(77, nullptr), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
    aclrtContext other = nullptr;
    EXPECT_EQ(aclrtCreateContext(&other, 1), ACL_SUCCESS);
    const aclrtStream elsewhere = new_stream();
    EXPECT_FAILS(aclrtSubscribeReport(77, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE, "already served");
    EXPECT_FAILS(aclrtSubscribeReport(77, elsewhere), ACL_ERROR_RT_THREAD_SUBSCRIBE, "device 0");
    EXPECT_EQ(aclrtSubscribeReport(78, elsewhere), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
  }).join();
  EXPECT_EQ(aclrtUnSubscribeReport(77, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(77, nullptr), ACL_SUCCESS);
}

TEST_F(CallbackTest, AThreadThatServesNothingMoreMayServeAnotherDevice) {
  EXPECT_EQ(aclrtSubscribeReport(77, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(77, stream), ACL_SUCCESS);
  aclrtContext other = nullptr;
  EXPECT_EQ(aclrtCreateContext(&other, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtSubscribeReport(77, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);  // and unsubscribes
  EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
  EXPECT_EQ(aclrtSubscribeReport(77, stream), ACL_SUCCESS);
}

TEST_ALONE(Subscribe, The1025thServingThreadIsRefusedAfterTheOtherChecks) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  std::vector<aclrtStream> streams;
  for (uint64_t thread = 1; thread <= 1024; ++thread) {
    streams.push_back(new_stream());
    ASSERT_EQ(aclrtSubscribeReport(thread, streams.back()), ACL_SUCCESS) << thread;
  }
  const aclrtStream one_more = new_stream();
  EXPECT_FAILS(aclrtSubscribeReport(1025, one_more), ACL_ERROR_RT_INTERNAL_ERROR, "1024");
  EXPECT_FAILS(aclrtSubscribeReport(1025, streams[0]), ACL_ERROR_RT_STREAM_SUBSCRIBE, "already served");
  EXPECT_EQ(aclrtSubscribeReport(5, one_more), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(5, one_more), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(9, streams[8]), ACL_SUCCESS);  // makes room
  EXPECT_EQ(aclrtSubscribeReport(1025, one_more), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(CallbackTest, UnsubscribeRefusesTheWrongStreamAndTheWrongThread) {
  const aclrtStream hosted = new_stream();
  EXPECT_EQ(aclrtLaunchHostFunc(hosted, nothing, nullptr), ACL_SUCCESS);
  EXPECT_FAILS(aclrtUnSubscribeReport(77, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE, "not subscribed");
  EXPECT_FAILS(aclrtUnSubscribeReport(77, hosted), ACL_ERROR_RT_STREAM_SUBSCRIBE, "aclrtLaunchHostFunc");
  EXPECT_EQ(aclrtSubscribeReport(77, stream), ACL_SUCCESS);
  EXPECT_FAILS(aclrtUnSubscribeReport(78, stream), ACL_ERROR_RT_THREAD_SUBSCRIBE, "served by thread 77");
  EXPECT_EQ(aclrtUnSubscribeReport(77, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(77, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE);
  EXPECT_EQ(aclrtSubscribeReport(77, stream), ACL_SUCCESS);  // the same pair again
}

TEST_F(CallbackTest, ProcessReportOnAThreadThatServesNothingReturnsAtOnceAndLeavesNoText) {
  for (const int bad : {0, -2, INT32_MIN})
    EXPECT_FAILS(aclrtProcessReport(bad), ACL_ERROR_INVALID_PARAM, "timeout is " + std::to_string(bad));
  std::thread([] {
    for (const int timeout : {-1, 1, INT32_MAX}) EXPECT_EQ(aclrtProcessReport(timeout), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    EXPECT_EQ(message(), "");
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_THREAD_SUBSCRIBE);
  }).join();
}

TEST_F(CallbackTest, ProcessReportGivesUpInTimeAndLeavesNoText) {
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  forget_errors();
  EXPECT_EQ(aclrtProcessReport(1), ACL_ERROR_RT_REPORT_TIMEOUT);
  EXPECT_EQ(message(), "");
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_REPORT_TIMEOUT);
  EXPECT_EQ(aclrtUnSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtProcessReport(-1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
}

TEST_F(CallbackTest, ProcessReportRunsAllThatIsReadyInThatThread) {
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  static std::vector<pthread_t> ran_in;
  ran_in.clear();
  const auto note = [](void*) { ran_in.push_back(pthread_self()); };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(aclrtLaunchCallback(note, nullptr, ACL_CALLBACK_NO_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);  // does not wait for the functions
  EXPECT_THAT(ran_in, testing::IsEmpty());
  EXPECT_EQ(aclrtProcessReport(1000), ACL_SUCCESS);
  EXPECT_THAT(ran_in, ElementsAre(pthread_self(), pthread_self(), pthread_self()));
  EXPECT_EQ(aclrtProcessReport(1), ACL_ERROR_RT_REPORT_TIMEOUT);
}

TEST_F(CallbackTest, BlockHoldsTheStreamAndNoBlockDoesNot) {
  ServingThread server;
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  std::promise<void> starts[2], ends[2];
  Body bodies[2];
  for (const auto block : {ACL_CALLBACK_BLOCK, ACL_CALLBACK_NO_BLOCK}) {
    auto &started = starts[block], &go_on = ends[block];
    Body& body = bodies[block];
    body = [&] {
      started.set_value();
      go_on.get_future().wait();
    };
    EXPECT_EQ(aclrtLaunchCallback(call, &body, block, stream), ACL_SUCCESS);
    started.get_future().wait();
    if (block == ACL_CALLBACK_BLOCK)
      EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    else
      EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    go_on.set_value();
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtUnSubscribeReport(server.id(), stream), ACL_SUCCESS);  // waits for the second one
}

TEST_F(CallbackTest, RunInLaunchOrderOnceAndWithTheirData) {
  ServingThread server;
  const aclrtStream other = new_stream();
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSubscribeReport(server.id(), other), ACL_SUCCESS);
  constexpr int kEach = 2000;
  static std::vector<int> seen[2];  // written by the one serving thread
  static std::atomic<int> inside{0};
  seen[0].clear();
  seen[1].clear();
  const auto note = [](void* data) {
    EXPECT_EQ(++inside, 1);  // one at a time, over all streams of the thread
    const auto value = static_cast<int>(reinterpret_cast<intptr_t>(data));
    seen[value % 2].push_back(value);
    --inside;
  };
  for (int i = 0; i < kEach; ++i) {
    const auto block = i % 3 == 0 ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK;
    EXPECT_EQ(aclrtLaunchCallback(note, reinterpret_cast<void*>(intptr_t{i}), block, i % 2 ? other : stream), 0);
  }
  std::promise<void> last[2];
  for (int i = 0; i < 2; ++i) {
    Body body = [&last, i] { last[i].set_value(); };
    EXPECT_EQ(aclrtLaunchCallback(call, &body, ACL_CALLBACK_BLOCK, i ? other : stream), ACL_SUCCESS);
    last[i].get_future().wait();
    EXPECT_EQ(aclrtSynchronizeStream(i ? other : stream), ACL_SUCCESS);
  }
  for (int parity = 0; parity < 2; ++parity) {
    ASSERT_EQ(seen[parity].size(), static_cast<size_t>(kEach / 2));
    for (int i = 0; i < kEach / 2; ++i) EXPECT_EQ(seen[parity][i], 2 * i + parity);
  }
  EXPECT_EQ(aclrtUnSubscribeReport(server.id(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(server.id(), other), ACL_SUCCESS);
}

TEST_F(CallbackTest, TheWakeUpIsImmediateAndNotAtTheTimeoutOfTheServer) {
  ServingThread server(3600 * 1000);
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  std::atomic<int> runs{0};
  EXPECT_EQ(aclrtLaunchCallback(count, &runs, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(aclrtUnSubscribeReport(server.id(), stream), ACL_SUCCESS);  // wakes it too
}

TEST_F(CallbackTest, UnsubscribingTheLastStreamWakesAThreadThatWaitsForEver) {
  std::promise<uint64_t> id;
  std::promise<void> subscribed;
  auto result = std::async(std::launch::async, [&] {
    id.set_value(pthread_self());
    subscribed.get_future().wait();
    return aclrtProcessReport(-1);
  });
  const uint64_t thread = id.get_future().get();
  EXPECT_EQ(aclrtSubscribeReport(thread, stream), ACL_SUCCESS);
  subscribed.set_value();
  EXPECT_EQ(result.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  EXPECT_EQ(aclrtUnSubscribeReport(thread, stream), ACL_SUCCESS);
  EXPECT_EQ(result.get(), ACL_ERROR_RT_THREAD_SUBSCRIBE);
}

TEST_F(CallbackTest, UnsubscribeRemovesOnlyTheNamedStream) {
  ServingThread server;
  const aclrtStream other = new_stream();
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSubscribeReport(server.id(), other), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(server.id(), stream), ACL_SUCCESS);
  std::atomic<int> runs{0};
  EXPECT_EQ(aclrtLaunchCallback(count, &runs, ACL_CALLBACK_BLOCK, stream), ACL_ERROR_RT_STREAM_NO_CB_REG);
  EXPECT_EQ(aclrtLaunchCallback(count, &runs, ACL_CALLBACK_BLOCK, other), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(aclrtUnSubscribeReport(server.id(), other), ACL_SUCCESS);
}

TEST_F(CallbackTest, UnsubscribeDropsWhatHasNotRunAndTheStreamGoesOn) {
  std::atomic<int> runs{0};
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  for (const auto block : {ACL_CALLBACK_NO_BLOCK, ACL_CALLBACK_BLOCK, ACL_CALLBACK_NO_BLOCK, ACL_CALLBACK_BLOCK})
    EXPECT_EQ(aclrtLaunchCallback(count, &runs, block, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtProcessReport(1), ACL_ERROR_RT_REPORT_TIMEOUT);  // nothing of the old subscription
}

TEST_F(CallbackTest, UnsubscribeWaitsForTheOneThatRuns) {
  ServingThread server;
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  std::promise<void> started, go_on;
  std::atomic<bool> ended{false};
  Body body = [&] {
    started.set_value();
    go_on.get_future().wait();
    ended = true;
  };
  EXPECT_EQ(aclrtLaunchCallback(call, &body, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  started.get_future().wait();
  auto unsubscribed = std::async(std::launch::async, [&] {
    const aclError code = aclrtUnSubscribeReport(server.id(), stream);
    EXPECT_TRUE(ended);
    return code;
  });
  EXPECT_EQ(unsubscribed.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  go_on.set_value();
  EXPECT_EQ(unsubscribed.get(), ACL_SUCCESS);
}

TEST_F(CallbackTest, AStreamDestroyedWhileItIsUnsubscribedWaitsForTheOneThatRuns) {
  for (const auto block : {ACL_CALLBACK_BLOCK, ACL_CALLBACK_NO_BLOCK}) {
    ServingThread server;
    aclrtStream mortal = new_stream();
    EXPECT_EQ(aclrtSubscribeReport(server.id(), mortal), ACL_SUCCESS);
    std::promise<void> started, go_on;
    std::atomic<bool> ended{false};
    Body body = [&] {
      started.set_value();
      go_on.get_future().wait();
      ended = true;
    };
    EXPECT_EQ(aclrtLaunchCallback(call, &body, block, mortal), ACL_SUCCESS);
    started.get_future().wait();
    auto unsubscribed = std::async(std::launch::async, aclrtUnSubscribeReport, server.id(), mortal);
    while (aclrtLaunchCallback(nothing, nullptr, block, mortal) != ACL_ERROR_RT_STREAM_NO_CB_REG)
      std::this_thread::yield();  // until the other thread is at it
    auto destroyed = std::async(std::launch::async, [&] {
      EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      const aclError code = aclrtDestroyStreamForce(mortal);
      EXPECT_TRUE(ended) << "block type " << block;
      return code;
    });
    EXPECT_EQ(destroyed.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
    go_on.set_value();
    EXPECT_EQ(destroyed.get(), ACL_SUCCESS);
    EXPECT_EQ(unsubscribed.get(), ACL_SUCCESS);
  }
}

TEST_F(CallbackTest, UnsubscribeFromInsideTheCallbackReturns) {
  ServingThread server;
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  aclError code = -1, sync = -1;
  Body body = [&] {
    code = aclrtUnSubscribeReport(server.id(), stream);
    sync = aclrtSynchronizeStream(stream);  // still inside the callback that the stream waits for
  };
  EXPECT_EQ(aclrtLaunchCallback(call, &body, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(code, ACL_SUCCESS);
  EXPECT_EQ(sync, ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(CallbackTest, ItMayAlsoDestroyItsStreamByForce) {
  ServingThread server;
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  std::promise<aclError> code;
  Body body = [&] {
    EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
    EXPECT_FAILS(aclrtDestroyStream(stream), ACL_ERROR_RT_PARAM_INVALID, "would never end");
    code.set_value(aclrtDestroyStreamForce(stream));
  };
  EXPECT_EQ(aclrtLaunchCallback(call, &body, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(code.get_future().get(), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_F(CallbackTest, WaitingForTheOwnStreamIsRefusedInsteadOfADeadlock) {
  ServingThread server;
  const aclrtStream other = new_stream();
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSubscribeReport(server.id(), other), ACL_SUCCESS);
  Body body = [&] {
    EXPECT_FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_PARAM_INVALID, "would never end");
    EXPECT_FAILS(aclrtSynchronizeStreamWithTimeout(stream, 5), ACL_ERROR_RT_PARAM_INVALID, "would never end");
    EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);  // idle
    EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
    EXPECT_FAILS(aclrtSynchronizeDevice(), ACL_ERROR_RT_PARAM_INVALID, "would never end");
    aclrtEvent event = nullptr;
    EXPECT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
    EXPECT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
    EXPECT_FAILS(aclrtSynchronizeEvent(event), ACL_ERROR_RT_PARAM_INVALID, "would never end");
    EXPECT_EQ(aclrtLaunchCallback(nothing, nullptr, ACL_CALLBACK_BLOCK, other), ACL_SUCCESS);
    EXPECT_FAILS(aclrtSynchronizeStream(other), ACL_ERROR_RT_PARAM_INVALID, "would never end");  // we serve it too
  };
  EXPECT_EQ(aclrtLaunchCallback(call, &body, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(server.id(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(server.id(), other), ACL_SUCCESS);
}

TEST_F(CallbackTest, MemoryIsNotFreedWhereTheStreamsCannotBeWaitedFor) {
  ServingThread server;
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  void *device = nullptr, *host = nullptr;
  ASSERT_EQ(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtMallocHost(&host, 64), ACL_SUCCESS);
  Body body = [&] {
    EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
    EXPECT_FAILS(aclrtFreeWithDevSync(device), ACL_ERROR_RT_PARAM_INVALID, "the memory is not freed");
    EXPECT_FAILS(aclrtFreeHostWithDevSync(host), ACL_ERROR_RT_PARAM_INVALID, "the memory is not freed");
  };
  EXPECT_EQ(aclrtLaunchCallback(call, &body, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemsetAsync(device, 64, 5, 64, stream), ACL_SUCCESS);  // still uses it when the callback has returned
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_THAT(on_device(device, 64), Each(5));
  EXPECT_EQ(aclrtUnSubscribeReport(server.id(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeWithDevSync(device), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHostWithDevSync(host), ACL_SUCCESS);
}

TEST_F(CallbackTest, AProgramWithOneThreadMaySynchronizeWhatComesBeforeItsCallback) {
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  std::atomic<int> runs{0};
  aclrtEvent event = nullptr;
  EXPECT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  StreamGate gate(stream);
  EXPECT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchCallback(count, &runs, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, 20), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);  // not refused
  gate.open();
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_PARAM_INVALID, "would never end");
  EXPECT_EQ(aclrtProcessReport(-1), ACL_SUCCESS);
  EXPECT_EQ(runs, 1);
  for (int turn = 0; turn < 200; ++turn) {  // right after the callback the stream may be waited for
    EXPECT_EQ(aclrtLaunchCallback(count, &runs, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtProcessReport(-1), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  }
}

TEST_F(CallbackTest, MayLaunchMoreFromInside) {
  ServingThread server;
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  std::vector<int> order;
  std::promise<void> done;
  Body last = [&] {
    order.push_back(2);
    done.set_value();
  };
  Body first = [&] {
    EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
    EXPECT_EQ(aclrtLaunchCallback(call, &last, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
    order.push_back(1);
  };
  EXPECT_EQ(aclrtLaunchCallback(call, &first, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  done.get_future().wait();
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST_F(CallbackTest, MayProcessReportsFromInside) {
  const aclrtStream other = new_stream();
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), other), ACL_SUCCESS);
  std::atomic<int> runs{0};
  Body body = [&] {
    EXPECT_EQ(aclrtLaunchCallback(count, &runs, ACL_CALLBACK_BLOCK, other), ACL_SUCCESS);
    EXPECT_EQ(aclrtProcessReport(-1), ACL_SUCCESS);
    EXPECT_EQ(runs, 1);
  };
  EXPECT_EQ(aclrtLaunchCallback(call, &body, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtProcessReport(-1), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

TEST_F(CallbackTest, TheServingThreadKeepsItsContext) {
  aclrtContext own = nullptr, seen = nullptr;
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchCallback(nothing, nullptr, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateContext(&own, 2), ACL_SUCCESS);
  EXPECT_EQ(aclrtProcessReport(-1), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetCurrentContext(&seen), ACL_SUCCESS);
  EXPECT_EQ(seen, own);
  EXPECT_EQ(aclrtDestroyContext(own), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
}

TEST_F(CallbackTest, DestroyWaitsForQueuedOnesAndForceDropsThem) {
  ServingThread server;
  std::atomic<int> runs{0};
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(aclrtLaunchCallback(count, &runs, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(runs, 10);
  const aclrtStream unserved = new_stream();
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), unserved), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchCallback(count, &runs, ACL_CALLBACK_BLOCK, unserved), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStreamForce(unserved), ACL_SUCCESS);
  EXPECT_EQ(aclrtProcessReport(-1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
  EXPECT_EQ(runs, 10);
}

TEST_F(CallbackTest, AbortTakesBackWhatHasNotStarted) {
  std::atomic<int> runs{0};
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchCallback(count, &runs, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchCallback(count, &runs, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamAbort(stream), ACL_SUCCESS);
  std::thread([&] { EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS); }).join();
  EXPECT_EQ(aclrtProcessReport(1), ACL_ERROR_RT_REPORT_TIMEOUT);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(aclrtLaunchCallback(count, &runs, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtProcessReport(-1), ACL_SUCCESS);
  EXPECT_EQ(runs, 1);
}

TEST_F(CallbackTest, AfterAnAbortNothingRunsBesideACallbackThatHadStarted) {
  ServingThread server;
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  std::promise<void> started, go_on;
  std::atomic<bool> ended{false}, early{false};
  Body body = [&] {
    started.set_value();
    go_on.get_future().wait();
    ended = true;
  };
  EXPECT_EQ(aclrtLaunchCallback(call, &body, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  started.get_future().wait();
  EXPECT_EQ(aclrtStreamAbort(stream), ACL_SUCCESS);
  Body next = [&] { early = !ended; };
  EXPECT_EQ(aclrtLaunchCallback(call, &next, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  go_on.set_value();
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_TRUE(ended);
  EXPECT_FALSE(early);
  EXPECT_EQ(aclrtUnSubscribeReport(server.id(), stream), ACL_SUCCESS);
}

TEST_F(CallbackTest, OneThatThrowsEndsTheCallWithAnErrorAndTheStreamGoesOn) {
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  EXPECT_EQ(
      aclrtLaunchCallback([](void*) { throw std::runtime_error("no coffee"); }, nullptr, ACL_CALLBACK_BLOCK, stream),
      ACL_SUCCESS);
  EXPECT_FAILS(aclrtProcessReport(-1), ACL_ERROR_INTERNAL_ERROR, "no coffee");
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
}

TEST(NoBlockChild, DISABLED_IsRefusedOnThisSoc) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), nullptr), ACL_SUCCESS);
  EXPECT_FAILS(aclrtLaunchCallback(nothing, nullptr, ACL_CALLBACK_NO_BLOCK, nullptr), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
               "ACL_CALLBACK_BLOCK");
  EXPECT_EQ(aclrtLaunchCallback(nothing, nullptr, ACL_CALLBACK_BLOCK, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtProcessReport(-1), ACL_SUCCESS);
}

TEST(NoBlockChild, DISABLED_WorksOnThisSoc) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchCallback(nothing, nullptr, ACL_CALLBACK_NO_BLOCK, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtProcessReport(-1), ACL_SUCCESS);
}

TEST(NoBlock, IsRefusedOnTheOldInferenceCardsOnly) {
  expect_passes_with({{"BELAY_SOC_NAME", "Ascend310"}}, "NoBlockChild.DISABLED_IsRefusedOnThisSoc");
  for (const char* soc : {"Ascend310P3", "Ascend310B1", "Ascend910B3"})
    expect_passes_with({{"BELAY_SOC_NAME", soc}}, "NoBlockChild.DISABLED_WorksOnThisSoc");
}

TEST_F(CallbackTest, HostFunctionsNeedNoThreadOfTheUserAndBlock) {
  static std::vector<int> order;
  static std::atomic<int> inside{0};
  order.clear();
  const aclrtStream other = new_stream();
  const auto note = [](void* data) {
    EXPECT_EQ(++inside, 1);  // one at a time in a context
    order.push_back(static_cast<int>(reinterpret_cast<intptr_t>(data)));
    --inside;
  };
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(aclrtLaunchHostFunc(i % 2 ? stream : other, note, reinterpret_cast<void*>(intptr_t{i})), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  ASSERT_EQ(order.size(), 100u);
  int next[2] = {0, 1};
  for (const int i : order) {
    EXPECT_EQ(i, next[i % 2]);
    next[i % 2] += 2;
  }
}

TEST_F(CallbackTest, HostFunctionsAreRefusedWhereTheRulesSaySo) {
  const aclrtStream dead = new_stream();
  EXPECT_EQ(aclrtDestroyStream(dead), ACL_SUCCESS);
  EXPECT_FAILS(aclrtLaunchHostFunc(stream, nullptr, nullptr), ACL_ERROR_RT_PARAM_INVALID, "fn");
  EXPECT_FAILS(aclrtLaunchHostFunc(dead, nothing, nullptr), ACL_ERROR_RT_INVALID_HANDLE, "not a live stream");
  std::thread([&] {
    EXPECT_FAILS(aclrtLaunchHostFunc(stream, nothing, nullptr), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
    EXPECT_EQ(aclrtLaunchHostFunc(nullptr, nothing, nullptr), ACL_ERROR_RT_CONTEXT_NULL);
  }).join();
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  EXPECT_FAILS(aclrtLaunchHostFunc(stream, nothing, nullptr), ACL_ERROR_RT_STREAM_SUBSCRIBE, "aclrtSubscribeReport");
  EXPECT_EQ(aclrtUnSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchHostFunc(stream, nothing, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSubscribeReport(pthread_self(), stream), ACL_ERROR_RT_STREAM_SUBSCRIBE);
  EXPECT_EQ(aclrtLaunchCallback(nothing, nullptr, ACL_CALLBACK_BLOCK, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE);
  EXPECT_EQ(aclrtUnSubscribeReport(pthread_self(), stream), ACL_ERROR_RT_STREAM_SUBSCRIBE);
  for (const aclError code :
       {aclrtSubscribeHostFunc(1, stream), aclrtProcessHostFunc(1), aclrtUnSubscribeHostFunc(1, stream)})
    EXPECT_EQ(code, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

TEST_F(CallbackTest, AHostFunctionThatWaitsForItsStreamIsRefused) {
  static aclrtStream own;
  static aclError code;
  own = stream;
  EXPECT_EQ(aclrtLaunchHostFunc(
                stream, [](void*) { code = aclrtSynchronizeStream(own); }, nullptr),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(code, ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace
