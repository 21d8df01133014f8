// SPDX-License-Identifier: Apache-2.0
// Notifies, count notifies, and what is shared between processes. Oracle: the documented codes and rules.
#include <cstring>

#include "support/acl.h"

namespace {

using namespace belay::test;

class NotifyTest : public OnDevice {
 protected:
  aclrtNotify notify() {
    aclrtNotify made = nullptr;
    EXPECT_EQ(aclrtCreateNotify(&made, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    return made;
  }
  aclrtCntNotify counter() {
    aclrtCntNotify made = nullptr;
    EXPECT_EQ(aclrtCntNotifyCreate(&made, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    return made;
  }
};

bool still_busy(aclrtStream stream) {
  return aclrtSynchronizeStreamWithTimeout(stream, 20) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
}

class NotifyWithoutContext : public WithoutDevice {};

TEST_F(NotifyWithoutContext, IsNotMade) {
  aclrtNotify made = nullptr;
  EXPECT_FAILS(aclrtCreateNotify(&made, 0), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
  EXPECT_FAILS(aclrtCntNotifyCreate(&made, 0), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
}

TEST_F(NotifyTest, WrongArgumentsAreRefused) {
  aclrtNotify made = nullptr;
  uint32_t id;
  char key[65];
  EXPECT_FAILS(aclrtCreateNotify(nullptr, 0), ACL_ERROR_INVALID_PARAM, "notify");
  EXPECT_FAILS(aclrtCreateNotify(&made, 77), ACL_ERROR_RT_PARAM_INVALID, "flag");
  const auto check = [&](aclrtNotify bad, aclError code) {
    EXPECT_EQ(aclrtDestroyNotify(bad), code);
    EXPECT_EQ(aclrtRecordNotify(bad, nullptr), code);
    EXPECT_EQ(aclrtWaitAndResetNotify(bad, nullptr, 0), code);
    EXPECT_EQ(aclrtGetNotifyId(bad, &id), code);
    EXPECT_EQ(aclrtNotifyGetExportKey(bad, key, sizeof key, 0), code);
  };
  check(nullptr, ACL_ERROR_INVALID_PARAM);
  check(new_stream(), ACL_ERROR_RT_INVALID_HANDLE);
  const aclrtNotify dead = notify();
  EXPECT_EQ(aclrtDestroyNotify(dead), ACL_SUCCESS);
  check(dead, ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_FAILS(aclrtRecordNotify(dead, nullptr), ACL_ERROR_RT_INVALID_HANDLE, "not a live notify");
}

TEST_F(NotifyTest, OneRecordLetsOneWaitPassAndIsRemembered) {
  const aclrtStream producer = new_stream(), a = new_stream(), b = new_stream();
  const aclrtNotify flag = notify();
  EXPECT_EQ(aclrtRecordNotify(flag, producer), ACL_SUCCESS);  // before the wait
  EXPECT_EQ(aclrtSynchronizeStream(producer), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(flag, a, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(a), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(flag, a, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(flag, b, 0), ACL_SUCCESS);
  EXPECT_TRUE(still_busy(a));
  EXPECT_EQ(aclrtRecordNotify(flag, producer), ACL_SUCCESS);
  while (still_busy(a) && still_busy(b)) {
  }
  EXPECT_TRUE(still_busy(a) != still_busy(b));
  EXPECT_EQ(aclrtRecordNotify(flag, producer), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(a), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(b), ACL_SUCCESS);
}

TEST_F(NotifyTest, ItIsAFlagAndNoCounter) {
  const aclrtStream stream = new_stream();
  const aclrtNotify flag = notify();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(aclrtRecordNotify(flag, stream), ACL_SUCCESS);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(aclrtWaitAndResetNotify(flag, stream, 0), ACL_SUCCESS);
  EXPECT_TRUE(still_busy(stream));
  EXPECT_EQ(aclrtStreamAbort(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

TEST_F(NotifyTest, AWaitThatRunsOutOfTimeIsTheStreamsError) {
  const aclrtStream stream = new_stream();
  EXPECT_EQ(aclrtWaitAndResetNotify(notify(), stream, 1), ACL_SUCCESS);
  EXPECT_FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_WAIT_TIMEOUT, "notify timed out after 1 s");
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

TEST_F(NotifyTest, BatchResetClearsAtOnce) {
  const aclrtStream stream = new_stream();
  aclrtNotify flags[] = {notify(), notify()};
  for (const aclrtNotify flag : flags) EXPECT_EQ(aclrtRecordNotify(flag, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtNotifyBatchReset(flags, 2), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(flags[1], stream, 0), ACL_SUCCESS);
  EXPECT_TRUE(still_busy(stream));
  EXPECT_EQ(aclrtStreamAbort(stream), ACL_SUCCESS);
  EXPECT_FAILS(aclrtNotifyBatchReset(nullptr, 2), ACL_ERROR_INVALID_PARAM, "notifies");
  EXPECT_FAILS(aclrtNotifyBatchReset(flags, 0), ACL_ERROR_INVALID_PARAM, "num");
  EXPECT_EQ(aclrtDestroyNotify(flags[0]), ACL_SUCCESS);
  EXPECT_FAILS(aclrtNotifyBatchReset(flags, 2), ACL_ERROR_RT_INVALID_HANDLE, "not a live notify");
}

TEST_F(NotifyTest, KeysNeedRoomAndMustBeGenuine) {
  char key[65] = "untouched";
  aclrtNotify imported = nullptr;
  const aclrtNotify flag = notify();
  EXPECT_FAILS(aclrtNotifyGetExportKey(flag, key, 4, 0), ACL_ERROR_RT_PARAM_INVALID, "room for 4");
  EXPECT_STREQ(key, "untouched");
  EXPECT_EQ(aclrtNotifyGetExportKey(flag, key, sizeof key, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtNotifyImportByKey(&imported, key, 0), ACL_SUCCESS);  // the own process may
  const aclrtStream stream = new_stream();
  EXPECT_EQ(aclrtRecordNotify(imported, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(flag, stream, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_FAILS(aclrtNotifyImportByKey(&imported, "nonsense", 0), ACL_ERROR_RT_PARAM_INVALID, "nonsense");
  EXPECT_FAILS(aclrtNotifyImportByKey(&imported, "", 0), ACL_ERROR_RT_PARAM_INVALID, "key");
  EXPECT_FAILS(aclrtNotifyImportByKey(nullptr, key, 0), ACL_ERROR_INVALID_PARAM, "notify");
  EXPECT_FAILS(aclrtNotifyImportByKey(&imported, nullptr, 0), ACL_ERROR_INVALID_PARAM, "key");
  int32_t pids[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  EXPECT_FAILS(aclrtNotifySetImportPid(flag, pids, 16), ACL_ERROR_RT_PARAM_INVALID, "at most");
  EXPECT_FAILS(aclrtNotifySetImportPid(flag, nullptr, 1), ACL_ERROR_INVALID_PARAM, "pid");
  EXPECT_FAILS(aclrtNotifySetImportPid(flag, pids, 0), ACL_ERROR_INVALID_PARAM, "num");
}

TEST_F(NotifyTest, TheKeyOfADestroyedOneNamesNothing) {
  char key[65];
  aclrtNotify imported = nullptr;
  const aclrtNotify old = notify();
  EXPECT_EQ(aclrtNotifyGetExportKey(old, key, sizeof key, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyNotify(old), ACL_SUCCESS);
  EXPECT_FAILS(aclrtNotifyImportByKey(&imported, key, 0), ACL_ERROR_RT_PARAM_INVALID, key);
  (void)notify();  // takes the same place
  EXPECT_FAILS(aclrtNotifyImportByKey(&imported, key, 0), ACL_ERROR_RT_PARAM_INVALID, key);
}

TEST_F(NotifyTest, CountersFollowTheirRecordAndWaitModes) {
  const aclrtStream producer = new_stream(), consumer = new_stream();
  const aclrtCntNotify count = counter();
  const auto record = [&](aclrtCntNotifyRecordMode mode, uint32_t value) {
    aclrtCntNotifyRecordInfo info{mode, value};
    EXPECT_EQ(aclrtCntNotifyRecord(count, producer, &info), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(producer), ACL_SUCCESS);
  };
  const auto passes = [&](aclrtCntNotifyWaitMode mode, uint32_t value, uint8_t clear = 0) {
    aclrtCntNotifyWaitInfo info{};
    info.mode = mode;
    info.value = value;
    info.isClear = clear;
    EXPECT_EQ(aclrtCntNotifyWaitWithTimeout(count, consumer, &info), ACL_SUCCESS);
    if (!still_busy(consumer)) return true;
    EXPECT_EQ(aclrtStreamAbort(consumer), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(consumer), ACL_SUCCESS);
    return false;
  };
  record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 5);
  EXPECT_TRUE(passes(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 5));
  EXPECT_FALSE(passes(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 4));
  EXPECT_TRUE(passes(ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, 6));
  EXPECT_FALSE(passes(ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, 5));
  EXPECT_TRUE(passes(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, 4));
  EXPECT_FALSE(passes(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, 5));
  EXPECT_TRUE(passes(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 5));
  EXPECT_FALSE(passes(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 6));
  EXPECT_TRUE(passes(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 4));
  EXPECT_FALSE(passes(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 2));
  record(ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 3);
  EXPECT_TRUE(passes(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 8));
  record(ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, 6);
  EXPECT_TRUE(passes(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 14));
  record(ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE, 11);
  EXPECT_TRUE(passes(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 10, 1));  // and clears it
  EXPECT_TRUE(passes(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 0));
  record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 9);
  EXPECT_EQ(aclrtCntNotifyReset(count, producer), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(producer), ACL_SUCCESS);
  EXPECT_TRUE(passes(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 0));
}

TEST_F(NotifyTest, CountersRefuseWhatIsWrong) {
  const aclrtCntNotify count = counter();
  aclrtCntNotifyRecordInfo record{static_cast<aclrtCntNotifyRecordMode>(9), 1};
  aclrtCntNotifyWaitInfo wait{};
  wait.mode = static_cast<aclrtCntNotifyWaitMode>(9);
  uint32_t id = 0;
  EXPECT_FAILS(aclrtCntNotifyRecord(count, nullptr, &record), ACL_ERROR_RT_PARAM_INVALID, "mode is 9");
  EXPECT_FAILS(aclrtCntNotifyWaitWithTimeout(count, nullptr, &wait), ACL_ERROR_RT_PARAM_INVALID, "mode is 9");
  EXPECT_FAILS(aclrtCntNotifyRecord(count, nullptr, nullptr), ACL_ERROR_INVALID_PARAM, "info");
  EXPECT_FAILS(aclrtCntNotifyWaitWithTimeout(count, nullptr, nullptr), ACL_ERROR_INVALID_PARAM, "info");
  EXPECT_FAILS(aclrtCntNotifyGetId(count, nullptr), ACL_ERROR_INVALID_PARAM, "notifyId");
  EXPECT_EQ(aclrtCntNotifyGetId(count, &id), ACL_SUCCESS);
  EXPECT_EQ(aclrtCntNotifyDestroy(count), ACL_SUCCESS);
  EXPECT_FAILS(aclrtCntNotifyDestroy(count), ACL_ERROR_RT_INVALID_HANDLE, "cntNotify");
  EXPECT_FAILS(aclrtCntNotifyReset(count, nullptr), ACL_ERROR_RT_INVALID_HANDLE, "cntNotify");
  EXPECT_FAILS(aclrtCntNotifyReset(nullptr, nullptr), ACL_ERROR_INVALID_PARAM, "cntNotify");
}

TEST_F(NotifyTest, ACounterThatIsNotReachedInTimeIsTheStreamsError) {
  const aclrtStream stream = new_stream();
  aclrtCntNotifyWaitInfo wait{};
  wait.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;
  wait.value = 1;
  wait.timeout = 1;
  EXPECT_EQ(aclrtCntNotifyWaitWithTimeout(counter(), stream, &wait), ACL_SUCCESS);
  EXPECT_FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_WAIT_TIMEOUT, "count notify timed out after 1 s");
}

std::string as_hex(const aclrtIpcEventHandle& handle) {
  std::string text;
  for (const char byte : handle.reserved) {
    char two[3];
    snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(byte));
    text += two;
  }
  return text;
}

aclrtIpcEventHandle from_hex(const std::string& text) {
  aclrtIpcEventHandle handle;
  for (size_t i = 0; i < sizeof handle.reserved; ++i)
    handle.reserved[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return handle;
}

// Sees the parent's event not ready, says so by the notify, then waits for the event in three ways.
TEST(TwoProcessesChild, DISABLED_Waits) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtEvent event = nullptr;
  aclrtNotify seen = nullptr, forbidden = nullptr;
  ASSERT_EQ(aclrtIpcOpenEventHandle(from_hex(getenv("TEST_EVENT")), &event), ACL_SUCCESS);
  ASSERT_EQ(aclrtNotifyImportByKey(&seen, getenv("TEST_NOTIFY"), 0), ACL_SUCCESS);
  EXPECT_FAILS(aclrtNotifyImportByKey(&forbidden, getenv("TEST_FORBIDDEN"), 0), ACL_ERROR_RT_PARAM_INVALID,
               "aclrtNotifySetImportPid");
  auto status = static_cast<aclrtEventRecordedStatus>(9);
  EXPECT_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, 10), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  const aclrtStream stream = new_stream(), other = new_stream();
  EXPECT_EQ(aclrtStreamWaitEvent(stream, event), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordNotify(seen, other), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

TEST_F(NotifyTest, EventsAndNotifiesWorkBetweenTwoProcesses) {
  aclrtEvent event = nullptr, private_event = nullptr;
  aclrtIpcEventHandle handle;
  EXPECT_EQ(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC), ACL_SUCCESS);
  EXPECT_EQ(aclrtIpcGetEventHandle(event, &handle), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateEvent(&private_event), ACL_SUCCESS);
  aclrtIpcEventHandle refused;
  EXPECT_FAILS(aclrtIpcGetEventHandle(private_event, &refused), ACL_ERROR_RT_PARAM_INVALID, "ACL_EVENT_IPC");
  EXPECT_FAILS(aclrtIpcGetEventHandle(event, nullptr), ACL_ERROR_INVALID_PARAM, "handle");
  std::memset(&refused, 'x', sizeof refused);
  EXPECT_FAILS(aclrtIpcOpenEventHandle(refused, &private_event), ACL_ERROR_RT_PARAM_INVALID, "xxx");

  const aclrtNotify seen = notify(), forbidden = notify();
  char key[65], forbidden_key[65];
  EXPECT_EQ(aclrtNotifyGetExportKey(seen, key, sizeof key, ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtNotifyGetExportKey(forbidden, forbidden_key, sizeof forbidden_key, 0), ACL_SUCCESS);

  const aclrtStream producer = new_stream(), watcher = new_stream();
  StreamGate gate(producer);
  EXPECT_EQ(aclrtRecordEvent(event, producer), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(seen, watcher, 0), ACL_SUCCESS);
  std::thread child([&] {
    expect_passes_with({{"TEST_EVENT", as_hex(handle)}, {"TEST_NOTIFY", key}, {"TEST_FORBIDDEN", forbidden_key}},
                       "TwoProcessesChild.DISABLED_Waits");
  });
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(watcher, 60000), ACL_SUCCESS);
  gate.open();
  child.join();
}

}  // namespace
