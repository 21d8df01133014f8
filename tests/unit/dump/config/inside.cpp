// SPDX-License-Identifier: Apache-2.0
#include "dump/config/inside.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temporary_directory.h"

namespace belay::dump {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Inside : public testing::Test {
 protected:
  Inside() {
    fs::create_directory(directory_.path("base"));
    fs::create_directory(directory_.path("out"));
  }
  void link(const std::string& to, const std::string& name) {
    ASSERT_EQ(symlink(to.c_str(), (base_ + "/" + name).c_str()), 0);
  }
  void expect_refused(const std::string& wanted) {
    const Status checked = check_inside(base_, wanted);
    EXPECT_EQ(checked.code, ACL_ERROR_FAILURE) << wanted;
    EXPECT_THAT(checked.message, HasSubstr("outside of")) << wanted;
    EXPECT_EQ(make_inside(base_, wanted).status().code, ACL_ERROR_FAILURE) << wanted;
  }

  const test::TemporaryDirectory directory_;
  const std::string base_ = directory_.path("base");
};

TEST_F(Inside, MakesWhatIsMissingForItsOwnerOnly) {
  const auto made = make_inside(base_, "0/sub/dir");
  ASSERT_TRUE(made.ok()) << made.status().message;
  EXPECT_EQ(*made, fs::canonical(base_ + "/0/sub/dir").string());
  EXPECT_EQ(fs::status(*made).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(make_inside(base_, "0/sub/dir").ok());
}

TEST_F(Inside, ALinkThatLeadsOutIsRefusedBeforeAnythingIsMade) {
  link("../out", "link");
  link(directory_.path("out"), "absolute");
  for (const char* wanted : {"link/x/y", "link", "absolute/x", "0/../../out/x", "..", "../base2"})
    expect_refused(wanted);
  EXPECT_TRUE(fs::is_empty(directory_.path("out")));
  EXPECT_FALSE(fs::exists(base_ + "/0"));
  EXPECT_FALSE(fs::exists(directory_.path("base2")));
}

TEST_F(Inside, ALinkThatStaysInsideIsFollowed) {
  fs::create_directory(base_ + "/real");
  link("real", "link");
  const auto made = make_inside(base_, "link/x");
  ASSERT_TRUE(made.ok()) << made.status().message;
  EXPECT_EQ(*made, fs::canonical(base_ + "/real/x").string());
}

TEST_F(Inside, ALinkToNowhereIsAnError) {
  link(directory_.path("nowhere"), "dangling");
  EXPECT_EQ(make_inside(base_, "dangling/x").status().code, ACL_ERROR_FAILURE);
  EXPECT_FALSE(fs::exists(directory_.path("nowhere")));
}

TEST_F(Inside, ABaseThatIsNotThereIsAnError) {
  EXPECT_EQ(make_inside(directory_.path("none"), "x").status().code, ACL_ERROR_FAILURE);
  EXPECT_FALSE(fs::exists(directory_.path("none")));
}

}  // namespace
}  // namespace belay::dump
