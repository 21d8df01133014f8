// SPDX-License-Identifier: Apache-2.0
// Devices, contexts and who is current. Oracle: the documented codes and counts.
#include <future>

#include "support/acl.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

class SetDevice : public WithoutDevice {};
class ResetDevice : public WithoutDevice {};
class SynchronizeDevice : public WithoutDevice {};
class Context : public WithoutDevice {};
class SystemParams : public WithoutDevice {};
class Peers : public WithoutDevice {};
class LastErrorOfDevices : public WithoutDevice {};

aclrtContext current() {
  aclrtContext context = nullptr;
  return aclrtGetCurrentContext(&context) == ACL_SUCCESS ? context : nullptr;
}

int32_t active(int32_t device) {
  int32_t state = -1;
  EXPECT_EQ(aclrtGetPrimaryCtxState(device, nullptr, &state), ACL_SUCCESS);
  return state;
}

TEST_F(LastErrorOfDevices, IsThatOfTheRuntimeLayerAndIsHandedOutOnce) {
  forget_errors();
  EXPECT_EQ(aclrtGetRunMode(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_THAT(message(), HasSubstr("runMode"));
  EXPECT_EQ(message(), "");

  EXPECT_EQ(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
}

TEST_F(LastErrorOfDevices, TheLatestWinsAndSuccessDoesNotClearIt) {
  forget_errors();
  aclrtContext context = nullptr;
  EXPECT_EQ(aclrtSetDevice(99), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(LastErrorOfDevices, IsNotSetByAskingForTheDevice) {
  forget_errors();
  int32_t device = 7;
  EXPECT_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(device, 7);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_THAT(message(), HasSubstr("aclrtSetDevice"));
  EXPECT_FAILS(aclrtGetDevice(nullptr), ACL_ERROR_INVALID_PARAM, "deviceId");
}

TEST_F(SetDevice, AnUnknownDeviceIsRefusedWithTheRange) {
  EXPECT_FAILS(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID, "0 to 7");
  EXPECT_FAILS(aclrtSetDevice(8), ACL_ERROR_RT_INVALID_DEVICEID, "device 8 does not exist");
  EXPECT_FAILS(aclrtResetDevice(8), ACL_ERROR_RT_INVALID_DEVICEID, "0 to 7");
  EXPECT_FAILS(aclrtResetDeviceForce(-5), ACL_ERROR_RT_INVALID_DEVICEID, "0 to 7");
}

TEST_F(SetDevice, EachCallCountsAndEachResetTakesOneAway) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  const auto context = current();
  for (int left = 2; left >= 0; --left) {
    EXPECT_EQ(active(1), 1);
    EXPECT_EQ(current(), context);
    EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  }
  EXPECT_EQ(active(1), 0);
  EXPECT_EQ(current(), nullptr);
  EXPECT_FAILS(aclrtResetDevice(1), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "device 1 is not set");
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
}

TEST_F(SetDevice, ForceIgnoresTheCount) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(aclrtSetDevice(2), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDeviceForce(2), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDeviceForce(2), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
  EXPECT_EQ(aclrtResetDevice(2), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
  EXPECT_EQ(aclrtSetDevice(2), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(2), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(2), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDeviceForce(2), ACL_SUCCESS);
}

TEST_F(SetDevice, ThreadsShareThePrimaryContextAndItsDefaultStream) {
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const auto mine = current();
  aclrtStream my_default = nullptr, other_default = nullptr;
  EXPECT_EQ(aclrtCtxGetCurrentDefaultStream(&my_default), ACL_SUCCESS);
  aclrtContext other = nullptr;
  std::thread([&] {
    EXPECT_EQ(current(), nullptr);  // a new thread has none
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    other = current();
    EXPECT_EQ(aclrtCtxGetCurrentDefaultStream(&other_default), ACL_SUCCESS);
  }).join();
  EXPECT_EQ(mine, other);
  EXPECT_EQ(my_default, other_default);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(active(0), 1);  // the other thread's
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(SetDevice, TheLastCallDecidesBetweenDeviceAndContext) {
  aclrtContext explicit_one = nullptr;
  int32_t device = -1;
  EXPECT_EQ(aclrtCreateContext(&explicit_one, 3), ACL_SUCCESS);
  EXPECT_EQ(current(), explicit_one);
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 3);
  EXPECT_EQ(aclrtSetDevice(4), ACL_SUCCESS);
  EXPECT_NE(current(), explicit_one);
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 4);
  EXPECT_EQ(aclrtSetCurrentContext(explicit_one), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 3);
  EXPECT_EQ(aclrtDestroyContext(explicit_one), ACL_SUCCESS);
  EXPECT_EQ(current(), nullptr);
  EXPECT_EQ(aclrtResetDevice(4), ACL_SUCCESS);  // needs no current context
}

TEST_F(ResetDevice, DestroysTheStreamsOfThePrimaryContext) {
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const aclrtStream stream = new_stream();
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  int32_t id = -1;
  EXPECT_FAILS(aclrtStreamGetId(stream, &id), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
}

TEST_F(ResetDevice, WaitsForWhatIsQueued) {
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const aclrtStream stream = new_stream();
  ServingThread server;
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  std::atomic<bool> ran{false};
  const auto callback = [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; };
  {
    StreamGate gate(stream);
    EXPECT_EQ(aclrtLaunchCallback(callback, &ran, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_TRUE(ran);
}

TEST_F(ResetDevice, FromInsideACallbackIsRefusedAndChangesNothing) {
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const aclrtStream stream = new_stream();
  ServingThread server;
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  static aclError code;
  static std::string text;
  const auto callback = [](void*) {
    code = aclrtResetDevice(0);
    text = message();
  };
  EXPECT_EQ(aclrtLaunchCallback(callback, nullptr, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(code, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(text, HasSubstr("would never end"));
  EXPECT_EQ(active(0), 1);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(SetDevice, AndResetFromManyThreadsAtOnceEndWithNothingSet) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int turn = 0; turn < 200; ++turn) {
        EXPECT_EQ(aclrtSetDevice(5), ACL_SUCCESS);
        EXPECT_EQ(aclrtResetDevice(5), ACL_SUCCESS);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(active(5), 0);
  EXPECT_EQ(aclrtResetDevice(5), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
}

TEST(RunMode, IsHostAndNeedsNothing) {
  aclrtRunMode mode = ACL_DEVICE;
  EXPECT_EQ(aclrtGetRunMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_HOST);
}

TEST_F(SynchronizeDevice, NeedsAContextAndASensibleTime) {
  EXPECT_FAILS(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(100), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(-1), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(1), ACL_SUCCESS);
  EXPECT_FAILS(aclrtSynchronizeDeviceWithTimeout(0), ACL_ERROR_RT_PARAM_INVALID, "timeout is 0");
  EXPECT_FAILS(aclrtSynchronizeDeviceWithTimeout(-2), ACL_ERROR_RT_PARAM_INVALID, "-1");
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(SynchronizeDevice, WaitsForEveryStreamOfTheCurrentContextAndNoOther) {
  aclrtContext other = nullptr;
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const aclrtContext mine = current();
  EXPECT_EQ(aclrtCreateContext(&other, 0), ACL_SUCCESS);
  const aclrtStream elsewhere = new_stream();
  {
    StreamGate busy_elsewhere(elsewhere);
    EXPECT_EQ(aclrtSetCurrentContext(mine), ACL_SUCCESS);
    const aclrtStream stream = new_stream();
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
    {
      StreamGate gate(stream);
      EXPECT_FAILS(aclrtSynchronizeDeviceWithTimeout(20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "did not finish");
      gate.open();
      EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(60000), ACL_SUCCESS);
    }
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    EXPECT_EQ(aclrtStreamQuery(stream, &status), ACL_SUCCESS);
    EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
    EXPECT_EQ(aclrtSetCurrentContext(other), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(Context, CreationNeedsNoSetDeviceAndMakesItCurrent) {
  aclrtContext context = nullptr;
  EXPECT_FAILS(aclrtCreateContext(nullptr, 0), ACL_ERROR_INVALID_PARAM, "context");
  EXPECT_FAILS(aclrtCreateContext(&context, 8), ACL_ERROR_RT_INVALID_DEVICEID, "0 to 7");
  EXPECT_EQ(context, nullptr);
  EXPECT_EQ(aclrtCreateContext(&context, 6), ACL_SUCCESS);
  EXPECT_EQ(current(), context);
  EXPECT_EQ(active(6), 0);  // no primary context
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(6), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
}

TEST_F(Context, DestroyingNothingThePrimaryOneOrADeadOneIsRefused) {
  EXPECT_FAILS(aclrtDestroyContext(nullptr), ACL_ERROR_INVALID_PARAM, "context");
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_FAILS(aclrtDestroyContext(current()), ACL_ERROR_RT_CONTEXT_NULL, "aclrtResetDevice");
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  aclrtContext context = nullptr;
  EXPECT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  EXPECT_FAILS(aclrtDestroyContext(context), ACL_ERROR_RT_PARAM_INVALID, "not a live context");
  EXPECT_FAILS(aclrtSetCurrentContext(context), ACL_ERROR_RT_PARAM_INVALID, "not a live context");
  EXPECT_FAILS(aclrtSetCurrentContext(nullptr), ACL_ERROR_INVALID_PARAM, "context");
  int no_context = 0;
  EXPECT_EQ(aclrtSetCurrentContext(&no_context), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(Context, DestroyingItEndsItsStreamsAndOtherThreadsAreTold) {
  aclrtContext context = nullptr;
  EXPECT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  const aclrtStream stream = new_stream();
  std::promise<void> is_current, destroyed;
  std::thread other([&] {
    EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
    is_current.set_value();
    destroyed.get_future().wait();
    aclrtStream made = nullptr;
    EXPECT_FAILS(aclrtCreateStream(&made), ACL_ERROR_RT_CONTEXT_NULL, "has been destroyed");
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtCreateStream(&made), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  });
  is_current.get_future().wait();
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  destroyed.set_value();
  other.join();
  EXPECT_FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "stream");
  EXPECT_EQ(current(), nullptr);
}

TEST_F(Context, OfTwoThreadsThatDestroyItOneSucceeds) {
  for (int turn = 0; turn < 50; ++turn) {
    aclrtContext context = nullptr;
    ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
    auto destroy = [context] { return aclrtDestroyContext(context); };
    auto other = std::async(std::launch::async, destroy);
    const aclError mine = destroy(), theirs = other.get();
    EXPECT_EQ((mine == ACL_SUCCESS) + (theirs == ACL_SUCCESS), 1) << mine << ' ' << theirs;
    const aclError refusal = mine == ACL_SUCCESS ? theirs : mine;
    EXPECT_TRUE(refusal == ACL_ERROR_RT_CONTEXT_RELEASE_ERROR || refusal == ACL_ERROR_RT_PARAM_INVALID) << refusal;
  }
}

TEST_F(Context, PrimaryStateRefusesFlagsAndUnknownDevices) {
  uint32_t flags = 0;
  int32_t state = 5;
  EXPECT_FAILS(aclrtGetPrimaryCtxState(0, &flags, &state), ACL_ERROR_INVALID_PARAM, "flags");
  EXPECT_FAILS(aclrtGetPrimaryCtxState(0, nullptr, nullptr), ACL_ERROR_INVALID_PARAM, "active");
  EXPECT_FAILS(aclrtGetPrimaryCtxState(8, nullptr, &state), ACL_ERROR_RT_INVALID_DEVICEID, "0 to 7");
  EXPECT_EQ(state, 5);
}

TEST_F(Context, TheDefaultStreamIsTheOneThatNullMeans) {
  aclrtStream stream = nullptr;
  EXPECT_FAILS(aclrtCtxGetCurrentDefaultStream(nullptr), ACL_ERROR_INVALID_PARAM, "stream");
  EXPECT_FAILS(aclrtCtxGetCurrentDefaultStream(&stream), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtCtxGetCurrentDefaultStream(&stream), ACL_SUCCESS);
  int32_t by_null = -1, by_handle = -2;
  EXPECT_EQ(aclrtStreamGetId(nullptr, &by_null), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamGetId(stream, &by_handle), ACL_SUCCESS);
  EXPECT_EQ(by_null, by_handle);
  {
    StreamGate gate(stream);
    aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
    EXPECT_EQ(aclrtStreamQuery(nullptr, &status), ACL_SUCCESS);
    EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
  }
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(SystemParams, AreUnsetAtFirstAndApartForContextAndProcess) {
  int64_t value = 9;
  const auto option = [](int number) { return static_cast<aclSysParamOpt>(number); };
  EXPECT_EQ(aclrtCtxSetSysParamOpt(option(0), 1), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_FAILS(aclrtCtxGetSysParamOpt(option(1), &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "not set");
  EXPECT_EQ(aclrtCtxSetSysParamOpt(option(1), 42), ACL_SUCCESS);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(option(1), &value), ACL_SUCCESS);
  EXPECT_EQ(value, 42);
  EXPECT_FAILS(aclrtCtxSetSysParamOpt(option(3), 1), ACL_ERROR_RT_PARAM_INVALID, "0 to 2");
  EXPECT_FAILS(aclrtCtxGetSysParamOpt(option(-1), &value), ACL_ERROR_RT_PARAM_INVALID, "0 to 2");
  EXPECT_FAILS(aclrtCtxGetSysParamOpt(option(0), nullptr), ACL_ERROR_INVALID_PARAM, "value");
  EXPECT_EQ(aclrtGetSysParamOpt(option(1), &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
  EXPECT_EQ(aclrtSetSysParamOpt(option(3), 7), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetSysParamOpt(option(3), &value), ACL_SUCCESS);
  EXPECT_EQ(value, 7);
  EXPECT_FAILS(aclrtSetSysParamOpt(option(4), 1), ACL_ERROR_RT_PARAM_INVALID, "0 to 3");
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(Peers, AreRememberedAndTheOwnDeviceIsNone) {
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  int32_t value = -1;
  EXPECT_EQ(aclrtDeviceCanAccessPeer(&value, 0, 1), ACL_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(aclrtDevicePeerAccessStatus(0, 1, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(aclrtDeviceEnablePeerAccess(1, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtDevicePeerAccessStatus(0, 1, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(aclrtDeviceDisablePeerAccess(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtDevicePeerAccessStatus(0, 1, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0);
  EXPECT_FAILS(aclrtDeviceEnablePeerAccess(1, 1), ACL_ERROR_FEATURE_UNSUPPORTED, "flags");
  EXPECT_FAILS(aclrtDeviceEnablePeerAccess(0, 0), ACL_ERROR_INVALID_PARAM, "current device itself");
  EXPECT_FAILS(aclrtDeviceCanAccessPeer(&value, 0, 8), ACL_ERROR_RT_INVALID_DEVICEID, "0 to 7");
  EXPECT_FAILS(aclrtDeviceCanAccessPeer(nullptr, 0, 1), ACL_ERROR_INVALID_PARAM, "canAccessPeer");
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtDeviceEnablePeerAccess(1, 0), ACL_ERROR_RT_CONTEXT_NULL);
}

}  // namespace
