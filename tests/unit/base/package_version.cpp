// SPDX-License-Identifier: Apache-2.0
#include "base/package_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace belay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PackageVersion, IsTheTrimmedTextAfterTheKey) {
  const test::TemporaryDirectory home;
  const std::string root = home.path();
  home.write("share/info/runtime/version.info", "# made by us\nVersion= 9.1.0 \r\nother=1\n");
  EXPECT_EQ(*package_version("runtime", {root.c_str()}, NameRetry::Both), "9.1.0");
}

TEST(PackageVersion, ADirectoryOfASimilarNameIsTried) {
  const test::TemporaryDirectory home;
  const std::string root = home.path();
  home.write("share/info/ops_legacy/version.info", "Version=1.0.0");
  home.write("share/info/oam-tools/version.info", "Version=2.0.0");
  EXPECT_EQ(*package_version("ops-legacy", {root.c_str()}, NameRetry::Underscore), "1.0.0");
  EXPECT_EQ(*package_version("oam_tools", {root.c_str()}, NameRetry::Both), "2.0.0");
  EXPECT_EQ(package_version("oam_tools", {root.c_str()}, NameRetry::Underscore).status().code, ACL_ERROR_INVALID_FILE);
}

TEST(PackageVersion, DriverAndFirmwareAreWhereTheInstallInfoSays) {
  const test::TemporaryDirectory root;
  root.write("somewhere/driver/version.info", "Version=24.1\n");
  root.write("elsewhere/firmware/version.info", "Version=7.3\n");
  const PackagePlaces places{nullptr,
                             root.write("info", "UserName=x\nDriver_Install_Path_Param=" + root.path("somewhere") +
                                                    "\nFirmware_Install_Path_Param=" + root.path("elsewhere") + "\n")};
  EXPECT_EQ(*package_version("driver", places, NameRetry::Both), "24.1");
  EXPECT_EQ(*package_version("firmware", places, NameRetry::Both), "7.3");
  const PackagePlaces none{nullptr, root.path("missing")};
  EXPECT_EQ(package_version("driver", none, NameRetry::Both).status().code, ACL_ERROR_INVALID_FILE);
}

TEST(PackageVersion, WhatIsMissingIsSaid) {
  const test::TemporaryDirectory home;
  const std::string root = home.path();
  home.write("share/info/opp/version.info", "version_dir=x\n");
  const auto unset = package_version("runtime", {nullptr}, NameRetry::Both);
  EXPECT_EQ(unset.status().code, ACL_ERROR_INVALID_FILE);
  EXPECT_THAT(unset.status().message, HasSubstr("ASCEND_HOME_PATH"));
  const auto missing = package_version("runtime", {root.c_str()}, NameRetry::Both);
  EXPECT_EQ(missing.status().code, ACL_ERROR_INVALID_FILE);
  EXPECT_THAT(missing.status().message, HasSubstr("share/info/runtime/version.info"));
  const auto without = package_version("opp", {root.c_str()}, NameRetry::Both);
  EXPECT_EQ(without.status().code, ACL_ERROR_INVALID_FILE);
  EXPECT_THAT(without.status().message, HasSubstr("no line Version="));
}

TEST(VersionNumber, FollowsTheDocumentedArithmetic) {
  const std::pair<const char*, int32_t> cases[] = {
      {"9.1.0", 90100000},          {"8.5.12", 80512000},
      {"9.1.0-rc.1", 90099901},     {"9.1.0.RC2", 90099902},
      {"9.1.0rc3", 90099903},       {"9.1.0-beta.1", 90099801},
      {"9.1.0-Beta1", 90099801},    {"9.1.0-alpha003", 90099703},
      {"9.1.0.alpha-12", 90099712}, {"0.0.0", 0},
      {"214.7.4", 2140704000},
  };
  for (const auto& [text, number] : cases) EXPECT_EQ(*version_number(text), number) << text;
}

TEST(VersionNumber, AnyOtherShapeIsRefused) {
  for (const char* bad : {"", "9", "9.1", "9.1.", "9.1.0.1", "9.1.0-rc", "9.1.0--rc1", "9.1.0-rc..1", "9.1.0-gamma1",
                          "9.1.0-rc1x", "a.b.c", "9.1.0 ", "-9.1.0", "215.0.0", "9.1.99999999999"}) {
    const auto number = version_number(bad);
    ASSERT_FALSE(number.ok()) << bad;
    EXPECT_EQ(number.status().code, ACL_ERROR_INTERNAL_ERROR) << bad;
  }
}

TEST(VersionParts, ASuffixBecomesOneMorePartWithoutDots) {
  const auto parts = [](const char* text) { return (*version_parts(text)).parts; };
  EXPECT_EQ((*version_parts("9.1.0-rc.1")).text, "9.1.0.rc1");
  EXPECT_THAT(parts("9.1.0-rc.1"), ElementsAre("9", "1", "0", "rc1"));
  EXPECT_THAT(parts("9.1.0"), ElementsAre("9", "1", "0", "0"));
  EXPECT_THAT(parts("9.1"), ElementsAre("9", "1", "0", "0"));
  EXPECT_THAT(parts("9.1.2.3.4"), ElementsAre("9", "1", "2", "3"));
  EXPECT_THAT(parts("9-rc.1"), ElementsAre("9", "rc1", "0", "0"));
  EXPECT_EQ(version_parts("9").status().code, ACL_ERROR_INVALID_FILE);
  EXPECT_EQ(version_parts("").status().code, ACL_ERROR_INVALID_FILE);
}

}  // namespace
}  // namespace belay
