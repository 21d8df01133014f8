// SPDX-License-Identifier: Apache-2.0
#include "base/files/mapped_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "support/temporary_directory.h"

namespace belay {
namespace {

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFile, ShowsTheBytesAndOutlivesTheName) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("weights", std::string("a\0b", 3));
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  std::filesystem::remove(path);
  EXPECT_EQ(text_of(**file), std::string("a\0b", 3));
  const auto empty = MappedFile::open(directory.write("empty", ""));
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ((*empty)->bytes().size(), 0u);
}

TEST(MappedFile, ForgottenPagesAreReadAgainAndOthersAreLeftAlone) {
  const auto faults = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  const test::TemporaryDirectory directory;
  const std::string text(1 << 20, 'b');
  const auto file = MappedFile::open(directory.write("file", text));
  ASSERT_TRUE(file.ok()) << file.status().message;
  EXPECT_EQ(text_of(**file), text);
  forget_pages((*file)->bytes().data() + 100, text.size() - 200);
  const auto before = faults();
  EXPECT_EQ(text_of(**file), text);
  EXPECT_GT(faults(), before);
  std::vector<std::byte> elsewhere(1 << 20, std::byte{7});
  forget_pages(elsewhere.data(), elsewhere.size());
  EXPECT_EQ(elsewhere, std::vector<std::byte>(1 << 20, std::byte{7}));
}

TEST(MappedFile, RefusesWhatIsMissingOrNoRegularFile) {
  const test::TemporaryDirectory directory;
  ASSERT_EQ(mkfifo(directory.path("pipe").c_str(), 0600), 0);
  const std::pair<std::string, const char*> cases[] = {
      {directory.path("missing"), "No such file"},
      {directory.path(), "not a regular file"},
      {directory.path("pipe"), "not a regular file"},
  };
  for (const auto& [path, reason] : cases) {
    const auto file = MappedFile::open(path);
    ASSERT_FALSE(file.ok()) << path;
    EXPECT_EQ(file.status().code, ACL_ERROR_INVALID_FILE);
    EXPECT_THAT(file.status().message, testing::HasSubstr(reason));
    EXPECT_THAT(file.status().message, testing::HasSubstr(path));
  }
}

}  // namespace
}  // namespace belay
