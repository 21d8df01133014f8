// SPDX-License-Identifier: Apache-2.0
#include "support/acl.h"

namespace {

using namespace belay::test;

class OverflowTest : public OnDevice {};

TEST_F(OverflowTest, SaturationModeIsKeptByTheDevice) {
  aclrtFloatOverflowMode mode = ACL_RT_OVERFLOW_MODE_UNDEF;
  EXPECT_EQ(aclrtGetDeviceSatMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
  EXPECT_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDeviceSatMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_RT_OVERFLOW_MODE_SATURATION);
  EXPECT_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN), ACL_SUCCESS);
  EXPECT_FAILS(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF), ACL_ERROR_RT_PARAM_INVALID, "mode");
  EXPECT_FAILS(aclrtGetDeviceSatMode(nullptr), ACL_ERROR_INVALID_PARAM, "mode");
}

TEST_F(OverflowTest, TheSwitchIsKeptByTheStream) {
  const aclrtStream stream = new_stream();
  uint32_t flag = 9;
  EXPECT_EQ(aclrtGetStreamOverflowSwitch(stream, &flag), ACL_SUCCESS);
  EXPECT_EQ(flag, 0u);
  EXPECT_EQ(aclrtSetStreamOverflowSwitch(stream, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetStreamOverflowSwitch(stream, &flag), ACL_SUCCESS);
  EXPECT_EQ(flag, 1u);
  EXPECT_FAILS(aclrtSetStreamOverflowSwitch(stream, 2), ACL_ERROR_RT_PARAM_INVALID, "0 or 1");
  EXPECT_FAILS(aclrtGetStreamOverflowSwitch(stream, nullptr), ACL_ERROR_INVALID_PARAM, "flag");
}

TEST_F(OverflowTest, ArgumentsAreChecked) {
  EXPECT_FAILS(aclrtGetOverflowStatus(nullptr, 64, nullptr), ACL_ERROR_INVALID_PARAM, "outputAddr");
  alignas(64) char status[64];
  EXPECT_FAILS(aclrtGetOverflowStatus(status, 63, nullptr), ACL_ERROR_RT_PARAM_INVALID, "must be 64");
  EXPECT_EQ(aclrtResetOverflowStatus(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
}

}  // namespace
