// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(DeviceCount, IsEightUnlessTheVariableSaysOtherwise) {
  EXPECT_EQ(parse_device_count(nullptr), 8);
  EXPECT_EQ(parse_device_count(""), 8);
  EXPECT_EQ(parse_device_count("0"), 0);
  EXPECT_EQ(parse_device_count("16"), 16);
  for (const char* bad : {"-1", "1025", "two", "2 "}) EXPECT_FALSE(parse_device_count(bad)) << bad;
}

TEST(DeviceMemory, TakesSuffixes) {
  EXPECT_EQ(parse_device_memory("1073741824"), 1073741824u);
  EXPECT_EQ(parse_device_memory("512M"), 536870912u);
  EXPECT_EQ(parse_device_memory("2g"), 2147483648u);
  for (const char* bad : {"0", "0G", "much", "1T"}) EXPECT_FALSE(parse_device_memory(bad)) << bad;
}

TEST(VisibleDevices, UnsetMeansAll) { EXPECT_THAT(parse_visible_devices(nullptr, 3), ElementsAre(0, 1, 2)); }

TEST(VisibleDevices, AListChoosesAndIsReadUpToTheFirstInvalidToken) {
  EXPECT_THAT(parse_visible_devices("1,3,7", 8), ElementsAre(1, 3, 7));
  EXPECT_THAT(parse_visible_devices("2", 8), ElementsAre(2));
  EXPECT_THAT(parse_visible_devices("1,3,2,7", 8), ElementsAre(1, 3));  // not ascending
  EXPECT_THAT(parse_visible_devices("1,1,2", 8), ElementsAre(1));       // twice
  EXPECT_THAT(parse_visible_devices("0,8,1", 8), ElementsAre(0));       // no such device
  EXPECT_THAT(parse_visible_devices("0,,1", 8), ElementsAre(0));
  EXPECT_THAT(parse_visible_devices("0,1,", 8), ElementsAre(0, 1));
  EXPECT_THAT(parse_visible_devices("0, 1", 8), ElementsAre(0));
  for (const char* none : {"", "-1", "x", "8", ",0", " 0"})
    EXPECT_THAT(parse_visible_devices(none, 8), IsEmpty()) << none;
}

// The test programs run without any of the variables.
TEST(Devices, UserAndPhysicalIdsAreTheSameWithoutAFilter) {
  ASSERT_EQ(device_count(), 8);
  EXPECT_EQ(*physical_device(7), 7);
  EXPECT_EQ(user_device(7), 7);
  EXPECT_FALSE(user_device(8));
  EXPECT_EQ(device_memory_size(), 68719476736u);
}

TEST(Devices, ADeviceThatDoesNotExistIsRefusedWithTheRange) {
  for (const int bad : {-1, 8}) {
    const auto device = physical_device(bad);
    ASSERT_FALSE(device.ok());
    EXPECT_EQ(device.status().code, ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT_THAT(device.status().message, HasSubstr("0 to 7"));
    EXPECT_THAT(device.status().message, HasSubstr(std::to_string(bad)));
  }
}

}  // namespace
}  // namespace belay
