// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "acl/acl.h"
#include "support/environment.h"
#include "support/temporary_directory.h"

// Old names are still exported and must still work.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

using belay::test::TemporaryDirectory;
using belay::test::Variable;
using testing::HasSubstr;

TEST(Version, OfTheInterfaceIsThatOfTheHeader) {
  int32_t major = 0, minor = 0, patch = -1;
  EXPECT_EQ(aclrtGetVersion(&major, &minor, &patch), ACL_SUCCESS);
  EXPECT_EQ(major, 1);
  EXPECT_EQ(minor, 17);
  EXPECT_EQ(patch, 0);
  EXPECT_EQ(aclrtGetVersion(&major, &minor, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST(Version, OfAPackageIsReadFromTheInstallTree) {
  const TemporaryDirectory home;
  const Variable variable("ASCEND_HOME_PATH", home.path().c_str());
  home.write("share/info/runtime/version.info", "Version=9.1.0-rc.1\n");
  home.write("share/info/long/version.info", "Version=" + std::string(128, '1'));
  char runtime[] = "runtime", missing[] = "missing", longer[] = "long", text[128];
  int32_t number = 0;
  EXPECT_EQ(aclsysGetVersionStr(runtime, text), ACL_SUCCESS);
  EXPECT_STREQ(text, "9.1.0-rc.1");
  EXPECT_EQ(aclsysGetVersionNum(runtime, &number), ACL_SUCCESS);
  EXPECT_EQ(number, 90099901);
  EXPECT_EQ(aclsysGetVersionStr(missing, text), ACL_ERROR_INVALID_FILE);
  EXPECT_EQ(aclsysGetVersionNum(missing, &number), ACL_ERROR_INVALID_FILE);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("share/info/missing/version.info"));
  EXPECT_EQ(aclsysGetVersionStr(longer, text), ACL_ERROR_INTERNAL_ERROR);
  EXPECT_STREQ(text, "9.1.0-rc.1");  // untouched on error
  EXPECT_EQ(aclsysGetVersionStr(nullptr, text), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclsysGetVersionNum(runtime, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST(Version, WithoutAnInstallTreeIsAnInvalidFile) {
  const Variable variable("ASCEND_HOME_PATH", nullptr);
  char runtime[] = "runtime", text[128];
  aclGetRecentErrMsg();
  EXPECT_EQ(aclsysGetVersionStr(runtime, text), ACL_ERROR_INVALID_FILE);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("ASCEND_HOME_PATH"));
}

TEST(Version, OfAPackageByNumberIsSplitIntoParts) {
  const TemporaryDirectory home;
  const Variable variable("ASCEND_HOME_PATH", home.path().c_str());
  const std::pair<aclCANNPackageName, const char*> packages[] = {{ACL_PKG_NAME_CANN, "runtime"},
                                                                 {ACL_PKG_NAME_RUNTIME, "runtime"},
                                                                 {ACL_PKG_NAME_COMPILER, "bisheng-compiler"},
                                                                 {ACL_PKG_NAME_HCCL, "hccl"},
                                                                 {ACL_PKG_NAME_TOOLKIT, "oam-tools"},
                                                                 {ACL_PKG_NAME_OPP, "ops-legacy"},
                                                                 {ACL_PKG_NAME_OPP_KERNEL, "ops-legacy"}};
  for (const auto& [name, folder] : packages) {
    home.write(std::string("share/info/") + folder + "/version.info", std::string("Version=9.1.0-") + folder[0]);
    aclCANNPackageVersion version{};
    ASSERT_EQ(aclsysGetCANNVersion(name, &version), ACL_SUCCESS) << folder;
    EXPECT_STREQ(version.majorVersion, "9");
    EXPECT_STREQ(version.minorVersion, "1");
    EXPECT_STREQ(version.releaseVersion, "0");
    EXPECT_EQ(version.patchVersion, std::string(1, folder[0]));
  }
  aclCANNPackageVersion version{};
  EXPECT_EQ(aclsysGetCANNVersion(static_cast<aclCANNPackageName>(8), &version), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, nullptr), ACL_ERROR_INVALID_PARAM);
}

}  // namespace
