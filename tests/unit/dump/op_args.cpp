// SPDX-License-Identifier: Apache-2.0
#include "dump/op_args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "support/temporary_directory.h"

namespace belay::dump {
namespace {

using testing::ElementsAre;

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
  records.stop();
  EXPECT_THAT(names_in(base), ElementsAre("MatMul_0.json"));
  EXPECT_THAT(names_in(base + "_opcompile"), ElementsAre("Add_float_ND_4_2_0.json", "MatMul_1.json"));
  EXPECT_THAT(names_in(base + "_debug"),
              ElementsAre("Add_float_ND_4_2_0.json", "MatMul_1.json", "ReduceSum_float_ND_4_2.json"));
  EXPECT_EQ(test::content_of(base + "_opcompile/Add_float_ND_4_2_0.json"), "{add-}");
  EXPECT_EQ(test::content_of(base + "_debug/Add_float_ND_4_2_0.json"), "{add}");

  ASSERT_TRUE(records.start(directory.path()).ok());  // numbers go on
  records.add({"Add", "float_ND_4_2", "{add}", "{add-}"});
  records.stop();
  EXPECT_TRUE(names_in(base + "_debug").contains("Add_float_ND_4_2_3.json"));
}

}  // namespace
}  // namespace belay::dump
