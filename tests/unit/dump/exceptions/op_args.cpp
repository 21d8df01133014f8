// SPDX-License-Identifier: Apache-2.0
#include "dump/exceptions/op_args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "base/faults.h"
#include "support/temporary_directory.h"

namespace belay::dump {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::set<std::string> names_in(const std::string& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) names.insert(entry.path().filename());
  return names;
}

TEST(OpArgsRecords, EachDirectoryHasItsOperatorsAndEqualRecordsAreWrittenOnce) {
  const test::TemporaryDirectory directory;
  const std::string base = directory.path(std::to_string(getpid()));
  OpArgsRecords records;
  records.add({"Add", "", "before", ""});  // not started
  ASSERT_TRUE(records.start(directory.path()).ok());
  EXPECT_TRUE(records.started());
  records.add({"Add", "float_ND_4_2", "{add}", "{add-}"});
  records.add({"Add", "float_ND_4_2", "{add}", "{add-}"});
  records.add({"MatMul", "", "{matmul}", "{matmul-}"});
  records.add({"ReduceSum", "float_ND_4", "{sum}", "{sum-}"});
  ASSERT_TRUE(records.stop().ok());
  EXPECT_THAT(names_in(base), ElementsAre("MatMul_0.json"));
  EXPECT_THAT(names_in(base + "_opcompile"), ElementsAre("Add_float_ND_4_2_0.json", "MatMul_1.json"));
  EXPECT_THAT(names_in(base + "_debug"),
              ElementsAre("Add_float_ND_4_2_0.json", "MatMul_1.json", "ReduceSum_float_ND_4_2.json"));
  EXPECT_EQ(test::content_of(base + "_opcompile/Add_float_ND_4_2_0.json"), "{add-}");
  EXPECT_EQ(test::content_of(base + "_debug/Add_float_ND_4_2_0.json"), "{add}");

  ASSERT_TRUE(records.start(directory.path()).ok());  // numbers go on
  records.add({"Add", "float_ND_4_2", "{add}", "{add-}"});
  ASSERT_TRUE(records.stop().ok());
  EXPECT_TRUE(names_in(base + "_debug").contains("Add_float_ND_4_2_3.json"));
}

TEST(OpArgsRecords, FilesThatCannotBeWrittenAreCountedAndSaid) {
  const test::TemporaryDirectory directory;
  const std::string debug = directory.path("args/" + std::to_string(getpid()) + "_debug");
  OpArgsRecords records;
  ASSERT_TRUE(records.start(directory.path("args")).ok());
  records.add({"ReduceSum", "", "{sum}", "{sum-}"});
  set_faults({.disk_bytes = 3});
  const Status full = records.stop();
  set_faults({});
  EXPECT_EQ(full.code, ACL_ERROR_FAILURE);
  EXPECT_STREQ(full.message_id, "EH0004");
  EXPECT_EQ(full.message, "1 files of operators' arguments with 5 bytes could not be written; the first: " + debug +
                              "/ReduceSum_0.json cannot be written: No space left on device");
  EXPECT_THAT(test::files_under(directory.path()), IsEmpty());
  EXPECT_FALSE(records.started());
}

}  // namespace
}  // namespace belay::dump
