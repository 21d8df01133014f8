// SPDX-License-Identifier: Apache-2.0
// Callbacks that hear of devices and streams. Oracle: the documented states and their order.
#include <vector>

#include "support/acl.h"

namespace {

using namespace belay::test;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<std::pair<int, int>> devices;
std::vector<std::pair<void*, int>> streams;
pthread_t caller;

void on_device(int32_t device, aclrtDeviceState state, void* args) {
  EXPECT_EQ(args, &devices);
  EXPECT_EQ(pthread_self(), caller);
  devices.emplace_back(device, state);
}

void on_stream(aclrtStream stream, aclrtStreamState state, void* args) {
  EXPECT_EQ(args, &streams);
  EXPECT_EQ(pthread_self(), caller);
  int32_t id = -1;
  EXPECT_EQ(aclrtStreamGetId(stream, &id), ACL_SUCCESS);  // it lives, both times
  streams.emplace_back(stream, state);
}

class StateCallbacks : public WithoutDevice {
 protected:
  void SetUp() override {
    WithoutDevice::SetUp();
    caller = pthread_self();
    EXPECT_EQ(aclrtRegDeviceStateCallback("test", on_device, &devices), ACL_SUCCESS);
    EXPECT_EQ(aclrtRegStreamStateCallback("test", on_stream, &streams), ACL_SUCCESS);
    forget();
  }
  void TearDown() override {
    EXPECT_EQ(aclrtRegDeviceStateCallback("test", nullptr, nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclrtRegStreamStateCallback("test", nullptr, nullptr), ACL_SUCCESS);
  }
  void forget() {
    devices.clear();
    streams.clear();
  }
};

TEST_F(StateCallbacks, HearEverySetAndTheResetThatEndsTheDevice) {
  EXPECT_EQ(aclrtSetDevice(3), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(3), ACL_SUCCESS);
  EXPECT_THAT(devices, ElementsAre(Pair(3, ACL_RT_DEVICE_STATE_SET_PRE), Pair(3, ACL_RT_DEVICE_STATE_SET_POST),
                                   Pair(3, ACL_RT_DEVICE_STATE_SET_PRE), Pair(3, ACL_RT_DEVICE_STATE_SET_POST)));
  forget();
  EXPECT_EQ(aclrtResetDevice(3), ACL_SUCCESS);
  EXPECT_THAT(devices, IsEmpty());
  EXPECT_EQ(aclrtResetDevice(3), ACL_SUCCESS);
  EXPECT_THAT(devices, ElementsAre(Pair(3, ACL_RT_DEVICE_STATE_RESET_PRE), Pair(3, ACL_RT_DEVICE_STATE_RESET_POST)));
}

TEST_F(StateCallbacks, HearOfStreamsTheDefaultOneIncluded) {
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtStream usual = nullptr;
  EXPECT_EQ(aclrtCtxGetCurrentDefaultStream(&usual), ACL_SUCCESS);
  EXPECT_THAT(streams, ElementsAre(Pair(usual, ACL_RT_STREAM_STATE_CREATE_POST)));
  forget();
  const aclrtStream stream = new_stream(), left = new_stream();
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_THAT(streams,
              ElementsAre(Pair(stream, ACL_RT_STREAM_STATE_CREATE_POST), Pair(left, ACL_RT_STREAM_STATE_CREATE_POST),
                          Pair(stream, ACL_RT_STREAM_STATE_DESTROY_PRE)));
  forget();
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_THAT(streams, testing::UnorderedElementsAre(Pair(usual, ACL_RT_STREAM_STATE_DESTROY_PRE),
                                                     Pair(left, ACL_RT_STREAM_STATE_DESTROY_PRE)));
}

TEST_F(StateCallbacks, AreKeyedByName) {
  EXPECT_FAILS(aclrtRegDeviceStateCallback(nullptr, on_device, &devices), ACL_ERROR_INVALID_PARAM, "regName");
  EXPECT_FAILS(aclrtRegStreamStateCallback(nullptr, on_stream, &streams), ACL_ERROR_INVALID_PARAM, "regName");
  EXPECT_FAILS(aclrtSetDeviceTaskAbortCallback(nullptr, nullptr, nullptr), ACL_ERROR_INVALID_PARAM, "regName");
  EXPECT_FAILS(aclrtRegDeviceStateCallback("test", on_device, &devices), ACL_ERROR_RT_PARAM_INVALID, "\"test\"");
  EXPECT_FAILS(aclrtRegStreamStateCallback("test", on_stream, &streams), ACL_ERROR_RT_PARAM_INVALID, "\"test\"");
  EXPECT_EQ(aclrtRegDeviceStateCallback("unknown", nullptr, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtRegDeviceStateCallback("other", on_device, &devices), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(devices.size(), 4u);
  EXPECT_EQ(aclrtRegDeviceStateCallback("other", nullptr, nullptr), ACL_SUCCESS);
  forget();
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(devices.size(), 2u);
}

}  // namespace
