// SPDX-License-Identifier: Apache-2.0
// Which process has a device for its detail dump. What is written is for tests/golden/dump_exception.py.
#include "dump/exceptions/exception.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/environment.h"
#include "support/temporary_directory.h"

namespace belay::dump {
namespace {

class DetailLock : public testing::Test {
 protected:
  // Whether an exception dump that has set these devices still is the detail dump.
  static bool is_detail_after(ExceptionDump& dump, std::initializer_list<int> devices) {
    for (const int device : devices) dump.device_set(device);
    return dump.enabled() && dump.scene() == Scene::Detail;
  }
  // The same in another process, which is a child with nothing but this process's memory.
  static bool is_detail_in_child(ExceptionDump& dump, std::initializer_list<int> devices) {
    const pid_t child = fork();
    if (child == 0) _exit(is_detail_after(dump, devices) ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
    return status == 0;
  }
  ExceptionDump made() const { return ExceptionDump({.scene = Scene::Detail, .scene_path = directory_.path()}); }

  const test::TemporaryDirectory directory_;
  const test::Variable temporary_{"TMPDIR", directory_.path().c_str()};
};

TEST_F(DetailLock, IsItsOwnersHoweverOftenTheDeviceIsSet) {
  ExceptionDump dump = made();
  EXPECT_TRUE(is_detail_after(dump, {0, 0, 1, 0, 1}));
}

TEST_F(DetailLock, IsNotTheChildsOfWhoHasIt) {
  ExceptionDump dump = made();
  ASSERT_TRUE(is_detail_after(dump, {0}));
  EXPECT_FALSE(is_detail_in_child(dump, {0}));
  EXPECT_TRUE(is_detail_in_child(dump, {1}));
  EXPECT_TRUE(is_detail_after(dump, {0}));
}

TEST_F(DetailLock, IsFreeWhenItsOwnerHasEnded) {
  ExceptionDump dump = made();
  ASSERT_TRUE(is_detail_in_child(dump, {0}));  // leaves its file, and by _exit nothing is tidied up
  EXPECT_EQ(test::files_under(directory_.path()).size(), 1u);
  EXPECT_TRUE(is_detail_after(dump, {0}));
}

}  // namespace
}  // namespace belay::dump
