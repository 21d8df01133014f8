// SPDX-License-Identifier: Apache-2.0
#include "dump/config/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>
#include <set>

#include "support/temporary_directory.h"

namespace belay::dump {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Environment read(const std::map<std::string, std::string>& variables, const std::set<std::string>& unusable = {}) {
  return read_environment(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      [&](const std::string& path) { return !unusable.contains(path); });
}

TEST(DumpEnvironment, EmptySaysNothing) {
  const Environment nothing = read({{"ASCEND_DUMP_SCENE", ""}, {"NPU_COLLECT_PATH", ""}, {"ASCEND_WORK_PATH", ""}});
  EXPECT_EQ(nothing.scene, Scene::None);
  EXPECT_EQ(nothing.path, "");
  EXPECT_THAT(nothing.warnings, IsEmpty());
}

TEST(DumpEnvironment, TheSceneVariableEnablesAndThePathsHaveAnOrder) {
  EXPECT_EQ(read({{"ASCEND_DUMP_SCENE", "aic_err_brief_dump"}}).scene, Scene::Brief);
  EXPECT_EQ(read({{"ASCEND_DUMP_SCENE", "aic_err_norm_dump"}}).scene, Scene::Norm);
  EXPECT_EQ(read({{"ASCEND_DUMP_SCENE", "aic_err_detail_dump"}}).scene, Scene::Detail);
  EXPECT_EQ(read({{"ASCEND_DUMP_SCENE", "aic_err_brief_dump"}}).scene_path, "./");
  const std::map<std::string, std::string> all = {{"ASCEND_DUMP_SCENE", "aic_err_brief_dump"},
                                                  {"NPU_COLLECT_PATH", "/n"},
                                                  {"ASCEND_DUMP_PATH", "/d"},
                                                  {"ASCEND_WORK_PATH", "/w"}};
  EXPECT_EQ(read(all).scene_path, "/d");
  EXPECT_EQ(read(all).scene, Scene::Brief);
  EXPECT_EQ(read(all, {"/d"}).scene_path, "/w");
  EXPECT_EQ(read(all, {"/d", "/w"}).scene_path, "./");
  EXPECT_EQ(read(all, {"/d", "/w"}).warnings.size(), 2u);
}

TEST(DumpEnvironment, CollectPathEnablesTheNormDumpUnlessTheSceneIsValid) {
  const Environment norm = read({{"NPU_COLLECT_PATH", "/n"}, {"ASCEND_WORK_PATH", "/w"}});
  EXPECT_EQ(norm.scene, Scene::Norm);
  EXPECT_EQ(norm.scene_path, "/n");
  EXPECT_EQ(norm.path, "/w");
  const Environment invalid = read({{"ASCEND_DUMP_SCENE", "lite_exception"}, {"NPU_COLLECT_PATH", "/n"}});
  EXPECT_EQ(invalid.scene, Scene::Norm);
  EXPECT_THAT(invalid.warnings, ElementsAre(HasSubstr("\"lite_exception\"")));
  EXPECT_EQ(read({{"NPU_COLLECT_PATH", "/n"}}, {"/n"}).scene, Scene::None);
}

TEST(DumpEnvironment, DirectoriesAreMadeForTheOwnerOnly) {
  const test::TemporaryDirectory directory;
  const std::string deep = directory.path("a/b/c");
  const mode_t old = umask(0777);
  EXPECT_TRUE(make_private_directories(deep));
  umask(old);
  for (const char* part : {"a", "a/b", "a/b/c"}) {
    struct stat info {};
    ASSERT_EQ(stat(directory.path(part).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u) << part;
  }
  EXPECT_TRUE(make_private_directories(deep));
  EXPECT_FALSE(make_private_directories(directory.write("file", "x")));
  EXPECT_FALSE(make_private_directories(directory.path("file/below")));
}

}  // namespace
}  // namespace belay::dump
