// SPDX-License-Identifier: Apache-2.0
#include "base/files/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temporary_directory.h"

namespace belay {
namespace {

using testing::HasSubstr;

TEST(ReadText, GivesTheBytesOfAFileThroughALinkToo) {
  const test::TemporaryDirectory directory;
  const std::string bytes("a\0b\n", 4);
  const std::string file = directory.write("file", bytes);
  ASSERT_EQ(symlink(file.c_str(), directory.path("link").c_str()), 0);
  EXPECT_EQ(*read_text(file, 4), bytes);
  EXPECT_EQ(*read_text(directory.path("link"), 100), bytes);
  EXPECT_EQ(*read_text(directory.write("empty", ""), 0), "");
}

TEST(ReadText, RefusesWhatIsMissingTooLargeOrNoRegularFile) {
  const test::TemporaryDirectory directory;
  ASSERT_EQ(mkfifo(directory.path("pipe").c_str(), 0600), 0);
  const std::pair<std::string, const char*> cases[] = {
      {directory.path("missing"), "No such file"},        {directory.path(), "not a regular file"},
      {directory.path("pipe"), "not a regular file"},     {directory.write("large", "12345"), "larger than 4 bytes"},
      {directory.path("large/below"), "Not a directory"},
  };
  for (const auto& [path, reason] : cases) {
    const auto text = read_text(path, 4);
    ASSERT_FALSE(text.ok()) << path;
    EXPECT_EQ(text.status().code, ACL_ERROR_INVALID_FILE);
    EXPECT_THAT(text.status().message, HasSubstr(reason));
    EXPECT_THAT(text.status().message, HasSubstr(path));
  }
}

TEST(MakeDirectories, MakesAllOfThemAndAcceptsThoseThatExist) {
  const test::TemporaryDirectory directory;
  EXPECT_TRUE(make_directories(directory.path("a/b/c")));
  EXPECT_TRUE(make_directories(directory.path("a/b/c")));
  EXPECT_TRUE(make_directories(directory.path("a/b/d/")));
  directory.write("file", "");
  EXPECT_FALSE(make_directories(directory.path("file/below")));
  EXPECT_FALSE(make_directories(directory.path("file")));
}

}  // namespace
}  // namespace belay
