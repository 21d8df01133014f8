// SPDX-License-Identifier: Apache-2.0
// The dump section that aclInit is given. Each case needs a process of its own: a configuration counts once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "acl/acl.h"
#include "support/child.h"
#include "support/device.h"
#include "support/temporary_directory.h"

namespace {

using belay::test::recent_error;
using testing::HasSubstr;

TEST(InitDumpSectionChild, DISABLED_WrongThenRight) {
  const belay::test::TemporaryDirectory directory;
  const auto init = [&](const std::string& text) { return aclInit(directory.write("acl.json", text).c_str()); };
  EXPECT_EQ(init(R"({"dump":null})"), ACL_ERROR_INVALID_DUMP_CONFIG);
  EXPECT_THAT(recent_error(), HasSubstr("(EP0001): aclInit: dump is null"));
  EXPECT_EQ(init(R"({"dump":{"dump_mode":"both"}})"), ACL_ERROR_INVALID_DUMP_CONFIG);
  EXPECT_THAT(recent_error(),
              HasSubstr("(EP0002): aclInit: dump_mode is \"both\"; it must be one of all/input/output"));
  EXPECT_EQ(init(R"({"dump":{"dump_path":"/no/such/place"}})"), ACL_ERROR_INVALID_DUMP_CONFIG);
  EXPECT_THAT(recent_error(), HasSubstr("(EP0003): aclInit: dump_path \"/no/such/place\" does not exist"));
  EXPECT_EQ(init(R"({"dump":{"dump_path":"/","dump_debug":"on","dump_list":[{}]}})"), ACL_ERROR_INVALID_DUMP_CONFIG);
  EXPECT_THAT(recent_error(), HasSubstr("(EP0005)"));
  EXPECT_EQ(init(R"({"dump":{)"), ACL_ERROR_PARSE_FILE);
  EXPECT_EQ(init(R"({"dump":5,"err_msg_mode":7})"), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(init(R"({"dump":{}})"), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST(InitDumpSection, IsCheckedAndMayBeCorrected) {
  belay::test::expect_passes_with({}, "InitDumpSectionChild.DISABLED_WrongThenRight");
}

}  // namespace
