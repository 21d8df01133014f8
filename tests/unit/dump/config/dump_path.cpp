// SPDX-License-Identifier: Apache-2.0
#include "dump/config/dump_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dump/format/names.h"
#include "support/temporary_directory.h"

namespace belay::dump {
namespace {

using testing::HasSubstr;

void expect_refused(const std::string& path, const char* says) {
  const Status status = check_dump_path(path);
  EXPECT_EQ(status.code, ACL_ERROR_INVALID_DUMP_CONFIG) << path;
  EXPECT_STREQ(status.message_id, "EP0003") << path;
  EXPECT_THAT(status.message, HasSubstr(says)) << path;
}

TEST(DumpPath, MustBeADirectoryThatExists) {
  const test::TemporaryDirectory directory;
  EXPECT_TRUE(check_dump_path(directory.path()).ok());
  EXPECT_TRUE(check_dump_path("./").ok());
  EXPECT_TRUE(check_dump_path("/").ok() || geteuid() != 0);
  expect_refused(directory.path("missing"), "does not exist");
  expect_refused(directory.write("file", "x"), "is not a directory");
  expect_refused(std::string("/tmp\0x", 6), "NUL");
  ASSERT_EQ(symlink("loop", directory.path("loop").c_str()), 0);
  expect_refused(directory.path("loop"), "symbolic links");
}

TEST(DumpPath, MayHaveAnyCharacters) {
  const test::TemporaryDirectory directory;
  for (const char* name : {"with blank", "nicht-ascii-ä", "quote'", "til~de", "co:lon"}) {
    std::filesystem::create_directory(directory.path(name));
    EXPECT_TRUE(check_dump_path(directory.path(name)).ok()) << name;
  }
}

TEST(DumpPath, MustBeReadableAndWritable) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read and write everything";
  const test::TemporaryDirectory directory;
  for (const mode_t mode : {0500, 0300}) {
    ASSERT_EQ(chmod(directory.path().c_str(), mode), 0);
    expect_refused(directory.path(), "readable and writable");
  }
  chmod(directory.path().c_str(), 0700);
}

TEST(DumpPath, RemoteFormNeedsOnlyAllowedCharacters) {
  EXPECT_EQ(remote_part("127.0.0.1:/home/x"), "/home/x");
  EXPECT_EQ(remote_part("0.0.0.255:a:b"), "a:b");
  for (const char* local :
       {"127.0.0:/x", "127.0.0.256:/x", "1.2.3.4.5:/x", "a.b.c.d:/x", "1.2.3.4", "1..2.3:/x", "/x:1.2.3.4", ""})
    EXPECT_FALSE(remote_part(local)) << local;
  EXPECT_TRUE(check_dump_path("10.0.0.1:/never/made").ok());
  EXPECT_TRUE(check_dump_path("10.0.0.1:../../never/made").ok());
  EXPECT_TRUE(check_dump_path("10.0.0.1:-=[];\\,./!@#$%^&*()_+{}:?Az09").ok());
  expect_refused("10.0.0.1:", "no path after the address");
  expect_refused("10.0.0.1:/a b", "character");
  expect_refused("10.0.0.1:/ä", "character");
  expect_refused("10.0.0.1:/~", "character");
  expect_refused("10.0.0.256:/x", "does not exist");
}

TEST(DumpPath, RemoteFormIsRefusedWhereALinkLeadsOutOfTheWorkingDirectory) {
  const test::TemporaryDirectory directory;
  std::filesystem::create_directories(directory.path("here/inside"));
  std::filesystem::create_directory_symlink("..", directory.path("here/out"));
  std::filesystem::create_directory_symlink("inside", directory.path("here/in"));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path("here"));
  EXPECT_TRUE(check_dump_path("10.0.0.1:/in/x").ok());
  expect_refused("10.0.0.1:/out/x", "outside of");
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace belay::dump
