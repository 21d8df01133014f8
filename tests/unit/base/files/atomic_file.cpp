// SPDX-License-Identifier: Apache-2.0
#include "base/files/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "base/faults.h"
#include "base/threads/signal_lock.h"
#include "support/temporary_directory.h"

namespace belay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Existing = AtomicFile::Existing;

mode_t mode_of(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

// Writes until a limit is met, as a disk would set it; the files that are there then.
std::vector<std::filesystem::path> left_when_full(const test::TemporaryDirectory& directory,
                                                  const std::function<int()>& write) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_DFL);  // which ends the process
    const rlimit few{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &few);
    _exit(write());
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), EFBIG);
  return test::files_under(directory.path());
}

TEST(AtomicFile, TheLimitOnFilesIsAnErrorEvenWhileSignalsAreBlocked) {
  const test::TemporaryDirectory directory;
  const auto left = left_when_full(directory, [&] {
    AtomicFile file;
    const SignalsBlocked blocked;
    if (file.open(directory.path(), {}) != 0) return 0;
    return file.write(std::string(2000, 'x'));
  });
  EXPECT_THAT(left, IsEmpty());
}

TEST(AtomicFile, ALimitSignalThatWasSentBeforeStays) {
  const test::TemporaryDirectory directory;
  const auto sent = [] {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
  };
  left_when_full(directory, [&] {
    AtomicFile file;
    const SignalsBlocked blocked;
    raise(SIGXFSZ);
    if (file.open(directory.path(), {}) != 0) return 0;
    const int error = file.write(std::string(2000, 'x'));
    file.discard();
    _exit(sent() ? error : 0);
  });
}

TEST(AtomicFile, HasItsNameOnlyWhenItIsWhole) {
  const test::TemporaryDirectory directory;
  AtomicFile file;
  ASSERT_EQ(file.open(directory.path(), 0600), 0);
  ASSERT_EQ(file.write("one "), 0);
  EXPECT_FALSE(std::filesystem::exists(directory.path("name")));
  ASSERT_EQ(file.write("two"), 0);
  ASSERT_EQ(file.publish(directory.path("name").c_str(), Existing::Keep), 0);
  EXPECT_EQ(test::content_of(directory.path("name")), "one two");
  EXPECT_EQ(test::files_under(directory.path()).size(), 1u);
}

TEST(AtomicFile, IsGoneWhenItIsNotPublished) {
  const test::TemporaryDirectory directory;
  {
    AtomicFile file;
    ASSERT_EQ(file.open(directory.path(), {}), 0);
    ASSERT_EQ(file.write("half"), 0);
    EXPECT_EQ(test::files_under(directory.path()).size(), 1u);
  }
  EXPECT_THAT(test::files_under(directory.path()), IsEmpty());
}

TEST(AtomicFile, KeepsOrReplacesTheOneThatIsThere) {
  const test::TemporaryDirectory directory;
  directory.write("name", "earlier");
  AtomicFile file;
  ASSERT_EQ(file.open(directory.path(), {}), 0);
  ASSERT_EQ(file.write("later"), 0);
  EXPECT_EQ(file.publish(directory.path("name").c_str(), Existing::Keep), EEXIST);
  EXPECT_EQ(test::content_of(directory.path("name")), "earlier");
  EXPECT_EQ(file.publish(directory.path("other").c_str(), Existing::Keep, true), 0);  // it is still there to be named
  ASSERT_EQ(file.open(directory.path(), {}), 0);
  ASSERT_EQ(file.write("last"), 0);
  EXPECT_EQ(file.publish(directory.path("name").c_str(), Existing::Replace), 0);
  EXPECT_EQ(test::content_of(directory.path("name")), "last");
  EXPECT_EQ(test::content_of(directory.path("other")), "later");
}

TEST(AtomicFile, ADirectoryThatIsMissingOrFullIsAnError) {
  const test::TemporaryDirectory directory;
  AtomicFile file;
  EXPECT_EQ(file.open(directory.path("missing"), {}), ENOENT);
  EXPECT_EQ(file.open(std::string(5000, 'x'), {}), ENAMETOOLONG);
  const auto left = left_when_full(directory, [&] {
    AtomicFile large;
    const int opened = large.open(directory.path(), {});
    return opened ? opened : large.write(std::string(2000, 'x'));
  });
  EXPECT_THAT(left, IsEmpty());
}

TEST(AtomicFile, ThreadsOfManyProcessesDoNotMeet) {
  const test::TemporaryDirectory directory;
  const auto work = [&](int base) {
    for (int i = 0; i < 50; ++i) {
      const std::string name = std::to_string(base + i);
      if (!write_file(directory.path(name), name).ok()) _exit(1);
      remove_leftovers(directory.path());
    }
  };
  std::vector<pid_t> children;
  for (int c = 0; c < 3; ++c) {
    const pid_t child = fork();
    if (child == 0) {
      std::thread other(work, 1000 * c + 500);
      work(1000 * c);
      other.join();
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const auto files = test::files_under(directory.path());
  EXPECT_EQ(files.size(), 300u);
  for (const auto& file : files) EXPECT_EQ(test::content_of(file), file.filename());
}

TEST(Leftovers, OfDeadProcessesAreRemovedAndThoseOfLiveOnesStay) {
  const test::TemporaryDirectory directory;
  directory.write(".belay.123456789.0.part", "of a dead process");
  directory.write(".belay.note", "of the user");
  directory.write("belay.1.0.part", "of the user");
  AtomicFile live;
  ASSERT_EQ(live.open(directory.path(), {}), 0);
  remove_leftovers(directory.path());
  EXPECT_EQ(test::files_under(directory.path()).size(), 3u);
  EXPECT_FALSE(std::filesystem::exists(directory.path(".belay.123456789.0.part")));
  EXPECT_EQ(live.publish(directory.path("name").c_str(), Existing::Keep), 0);
}

TEST(WriteFile, ReplacesTheContentAndKeepsTheMode) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("name", "earlier");
  chmod(path.c_str(), 0640);
  ASSERT_TRUE(write_file(path, "later").ok());
  EXPECT_EQ(test::content_of(path), "later");
  EXPECT_EQ(mode_of(path), 0640u);
  const mode_t umask_before = umask(0077);
  ASSERT_TRUE(write_file(directory.path("new"), "x").ok());
  ASSERT_TRUE(write_file(directory.path("given"), "x", 0444).ok());
  umask(umask_before);
  EXPECT_EQ(mode_of(directory.path("new")), 0600u);
  EXPECT_EQ(mode_of(directory.path("given")), 0444u);
}

TEST(WriteFile, FollowsLinksAndWritesToWhatIsNoRegularFile) {
  const test::TemporaryDirectory directory;
  const std::string target = directory.write("real/target", "earlier");
  ASSERT_EQ(symlink(target.c_str(), directory.path("link").c_str()), 0);
  ASSERT_TRUE(write_file(directory.path("link"), "later").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(directory.path("link")));
  EXPECT_EQ(test::content_of(target), "later");
  ASSERT_TRUE(write_file("/dev/null", "gone").ok());
  struct stat info {};
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

TEST(WriteFile, FailuresSayWhichFileAndWhyAndLeaveTheEarlierOne) {
  const test::TemporaryDirectory directory;
  const Status missing = write_file(directory.path("no/such"), "x");
  EXPECT_EQ(missing.code, ACL_ERROR_WRITE_FILE);
  EXPECT_THAT(missing.message, HasSubstr(directory.path("no/such") + " cannot be written: No such file or directory"));
  EXPECT_THAT(write_file(directory.path(), "x").message, HasSubstr("Is a directory"));
  const std::string path = directory.write("name", "earlier");
  const auto left =
      left_when_full(directory, [&] { return write_file(path, std::string(2000, 'x')).ok() ? 0 : EFBIG; });
  EXPECT_THAT(left, ElementsAre(path));
  EXPECT_EQ(test::content_of(path), "earlier");
  set_faults({.disk_bytes = 3});
  const Status full = write_file(path, "1234");
  set_faults({});
  EXPECT_THAT(full.message, HasSubstr("No space left on device"));
  EXPECT_EQ(test::content_of(path), "earlier");
}

TEST(AppendLines, AddsAllOrNothing) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("table");
  const auto add = [&](std::string text) {
    iovec vector{text.data(), text.size()};
    return append_lines(path.c_str(), std::span(&vector, 1), 0600, true);
  };
  EXPECT_EQ(add("a\n"), 0);
  EXPECT_EQ(add("b\n"), 0);
  EXPECT_EQ(mode_of(path), 0600u);
  left_when_full(directory, [&] { return add(std::string(2000, 'x')); });
  EXPECT_EQ(test::content_of(path), "a\nb\n");
}

}  // namespace
}  // namespace belay
