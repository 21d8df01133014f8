// SPDX-License-Identifier: Apache-2.0
// The library holds no lock of its own while it calls the program, or waits: what is called may call back, and may wait
// for other threads that do. A mistake shows as a test that never ends. Oracle: the documented codes.
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <future>

#include "acl/acl_dump.h"
#include "base/acl_log.h"
#include "support/acl.h"
#include "support/temporary_directory.h"

namespace {

using namespace belay::test;

aclError init_on_another_thread() {
  return std::async(std::launch::async, [] { return aclInit(nullptr); }).get();
}

TEST_ALONE(Locks, AnInitCallbackMayWaitForAnotherThreadThatInitialises) {
  static aclError inside = ACL_SUCCESS;
  const auto callback = [](const char*, size_t, void*) { return inside = init_on_another_thread(); };
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, callback, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(inside, ACL_ERROR_REPEAT_INITIALIZE);
}

TEST_ALONE(Locks, ALateInitCallbackMayWaitForAnotherThreadThatInitialises) {
  static aclError inside = ACL_SUCCESS;
  const auto callback = [](const char*, size_t, void*) { return inside = init_on_another_thread(); };
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, callback, nullptr), ACL_SUCCESS);
  EXPECT_EQ(inside, ACL_ERROR_REPEAT_INITIALIZE);
}

TEST_ALONE(Locks, AFinalizeCallbackMayWaitForAnotherThreadThatCallsUs) {
  static aclError inside = ACL_ERROR_FAILURE;
  const auto callback = [](void*) {
    return inside = std::async(std::launch::async, [] { return aclmdlInitDump(); }).get();
  };
  EXPECT_EQ(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, callback, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(inside, ACL_SUCCESS);
}

TEST_ALONE(Locks, FinalizeInsideAFinalizeCallbackIsTheSecondCall) {
  static aclError inside = ACL_SUCCESS;
  const auto callback = [](void*) { return inside = aclFinalize(); };
  EXPECT_EQ(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, callback, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(inside, ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
}

TEST_ALONE(Locks, AFinalizeCallbackMayWaitForAnotherThreadThatFinalizes) {
  static aclError finalize = ACL_SUCCESS, reference = ACL_SUCCESS;
  static uint64_t left = 1;
  const auto callback = [](void*) -> aclError {
    finalize = std::async(std::launch::async, [] { return aclFinalize(); }).get();
    reference = std::async(std::launch::async, [] { return aclFinalizeReference(&left); }).get();
    return ACL_SUCCESS;
  };
  EXPECT_EQ(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, callback, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(finalize, ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(reference, ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(left, 0u);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
}

TEST_ALONE(Locks, AStreamStateCallbackMaySetTheDeviceThatIsBeingSet) {
  static int calls = 0;
  const auto callback = [](aclrtStream, aclrtStreamState, void*) {
    const aclError again = calls++ == 0 ? aclrtSetDevice(0) : ACL_SUCCESS;
    EXPECT_EQ(again, ACL_SUCCESS);
  };
  EXPECT_EQ(aclrtRegStreamStateCallback("again", callback, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);  // it was set twice
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
}

std::promise<void>& ending() {
  static auto& promise = *new std::promise<void>;
  return promise;
}

// What a dump callback gets that calls us while aclFinalizeReference waits for it.
struct Heard {
  aclError init = ACL_SUCCESS, init_dump = ACL_ERROR_FAILURE, finalize = ACL_SUCCESS;
  int chunks = 0;
} heard;

TEST_ALONE(Locks, ADumpCallbackMayCallUsWhileFinalizeWaitsForIt) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "acl.json", R"({"dump": {"dump_path": ")" + directory.path() + R"(", "dump_op_switch": "on", "dump_list": []}})");
  for (const bool reference : {true, false}) {
    SCOPED_TRACE(reference);
    heard = {};
    ending() = {};
    ASSERT_EQ(aclInit(config.c_str()), ACL_SUCCESS);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    const auto on_chunk = [](const acldumpChunk*, int32_t) {
      if (heard.chunks++ > 0) return 0;
      ending().get_future().wait();
      heard.init = aclInit(nullptr);
      heard.init_dump = aclmdlInitDump();
      heard.finalize = aclFinalize();
      return 0;
    };
    ASSERT_EQ(acldumpRegCallback(on_chunk, 0), ACL_SUCCESS);
    const auto on_end = [](void*) -> aclError { return ending().set_value(), ACL_SUCCESS; };
    ASSERT_EQ(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_MODEL, on_end, nullptr), ACL_SUCCESS);
    EXPECT_EQ(CastOperator(1).run(nullptr), ACL_SUCCESS);
    EXPECT_EQ(reference ? aclFinalizeReference(nullptr) : aclFinalize(), ACL_SUCCESS);
    EXPECT_GT(heard.chunks, 0);
    EXPECT_EQ(heard.init, ACL_ERROR_REPEAT_INITIALIZE);
    EXPECT_EQ(heard.init_dump, ACL_ERROR_DUMP_ALREADY_RUN);
    EXPECT_EQ(heard.finalize, ACL_ERROR_REPEAT_FINALIZE);
    acldumpUnregCallback();
    EXPECT_EQ(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, on_end), ACL_SUCCESS);
  }
}

const char* path_in_log_callback = nullptr;

TEST(LocksChild, DISABLED_ALogCallbackMayCallTheFunctionsThatLog) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("acl.json", R"({"dump": {"dump_path": ")" + directory.path() +
                                                             R"(", "dump_list": [{"model_name": "missing"}]}})");
  const auto on_line = [](void*, uint32_t, const char* line, size_t length) {
    if (std::string_view(line, length).find("\"missing\"") != std::string_view::npos)
      path_in_log_callback = acldumpGetPath(DATA_DUMP);
    return 0;
  };
  acllogCallbackHandle handle = 0;
  ASSERT_EQ(acllogRegisterCallback(on_line, nullptr, OUTPUT_TYPE_BOTH, &handle), 0);
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclmdlInitDump(), ACL_SUCCESS);
  ASSERT_EQ(aclmdlSetDump(config.c_str()), ACL_SUCCESS);
  EXPECT_EQ(aclmdlFinalizeDump(), ACL_SUCCESS);  // says that no model of that name was loaded
  EXPECT_NE(path_in_log_callback, nullptr);
  EXPECT_EQ(acllogUnregisterCallback(handle), 0);
}

TEST(Locks, ALogCallbackMayCallTheFunctionsThatLog) {
  const TemporaryDirectory directory;
  expect_passes_with({{"ASCEND_GLOBAL_LOG_LEVEL", "1"}, {"ASCEND_PROCESS_LOG_PATH", directory.path()}},
                     "LocksChild.DISABLED_ALogCallbackMayCallTheFunctionsThatLog");
}

bool sleeps(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  const size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.compare(name_end, 3, ") S") == 0;
}

aclrtEvent flagged() {
  aclrtEvent event = nullptr;
  EXPECT_EQ(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
  return event;
}

// A stream, an event that was recorded there, and what happens in a callback that holds the stream. The thread that
// serves the stream does not wait for room, so its wait is queued ahead of the record.
struct Overtaking {
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  std::future<aclError> recorded;

  void overtake() {
    for (int i = 0; i < 65536; ++i) ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
    std::promise<pid_t> thread;
    recorded = std::async(std::launch::async, [&] {
      EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
      thread.set_value(gettid());
      return aclrtRecordEvent(event, stream);
    });
    const pid_t recorder = thread.get_future().get();
    while (!sleeps(recorder)) std::this_thread::yield();
    EXPECT_EQ(aclrtStreamWaitEvent(stream, event), ACL_SUCCESS);
  }
};

TEST_ALONE(Locks, AWaitThatOvertakesARecordOnItsStreamDoesNotWaitForIt) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtEvent plain = nullptr, extended = nullptr, shared = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&plain), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEventExWithFlag(&extended, ACL_EVENT_SYNC), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEventExWithFlag(&shared, ACL_EVENT_IPC), ACL_SUCCESS);
  for (const aclrtEvent event : {plain, flagged(), extended, shared}) {
    Overtaking it{.event = event};
    ASSERT_EQ(aclrtCreateStream(&it.stream), ACL_SUCCESS);
    ASSERT_EQ(aclrtSubscribeReport(pthread_self(), it.stream), ACL_SUCCESS);
    ASSERT_EQ(aclrtLaunchCallback([](void* data) { static_cast<Overtaking*>(data)->overtake(); }, &it,
                                  ACL_CALLBACK_BLOCK, it.stream),
              ACL_SUCCESS);
    ASSERT_EQ(aclrtProcessReport(-1), ACL_SUCCESS);
    EXPECT_EQ(it.recorded.get(), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(it.stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtUnSubscribeReport(pthread_self(), it.stream), ACL_SUCCESS);
  }
}

// The worker has the event's reset before it and a full queue behind it; the record waits for room in that.
TEST_ALONE(Locks, ARecordOnAFullStreamLetsTheTasksBeforeItUseTheEvent) {
  constexpr int room = 65536;
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtStream stream = nullptr, other = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  const aclrtEvent first = flagged(), second = flagged(), taken = flagged(), event = flagged(), filler = flagged();
  const auto fill = [&](int tasks) {
    for (int i = 0; i < tasks; ++i) ASSERT_EQ(aclrtRecordEvent(filler, stream), ACL_SUCCESS);
  };
  ASSERT_EQ(aclrtStreamWaitEvent(stream, first), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(taken, stream), ACL_SUCCESS);  // reached: the worker has all up to the reset
  ASSERT_EQ(aclrtStreamWaitEvent(stream, second), ACL_SUCCESS);
  ASSERT_EQ(aclrtResetEvent(event, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(first, other), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeEvent(taken), ACL_SUCCESS);
  fill(room);
  std::promise<pid_t> thread;
  auto recorded = std::async(std::launch::async, [&] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    thread.set_value(gettid());
    return aclrtRecordEvent(event, stream);
  });
  const pid_t recorder = thread.get_future().get();
  while (!sleeps(recorder)) std::this_thread::yield();
  auto status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  EXPECT_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);  // the first record: the second is not on the stream yet
  EXPECT_EQ(aclrtRecordEvent(second, other), ACL_SUCCESS);
  EXPECT_EQ(recorded.get(), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

}  // namespace
