// SPDX-License-Identifier: Apache-2.0
#include "base/threads/cores.h"

#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace belay {
namespace {

class CgroupCores : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { root_.write(name, text); }
  double cores(const std::string& membership) const { return cgroup_cores(root_.path(), membership); }

  test::TemporaryDirectory root_;
};

TEST_F(CgroupCores, AreUnlimitedWithoutFilesOrWithMax) {
  EXPECT_EQ(cores(""), 0);
  EXPECT_EQ(cores("0::/a/b\n"), 0);
  write("a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(cores("0::/a/b\n"), 0);
  EXPECT_EQ(cores("nonsense\n:\n"), 0);
}

TEST_F(CgroupCores, AreTheLeastOfTheGroupAndThoseAboveIt) {
  write("a/cpu.max", "150000 100000\n");
  write("a/b/cpu.max", "400000 100000\n");
  EXPECT_EQ(cores("0::/a/b\n"), 1.5);
  EXPECT_EQ(cores("0::/a/b/c\n"), 1.5);
  EXPECT_EQ(cores("0::/other\n"), 0);
}

TEST_F(CgroupCores, OfAContainerThatSeesItsOwnGroupAsTheRoot) {
  write("cpu.max", "100000 100000\n");
  EXPECT_EQ(cores("0::/\n"), 1);
  EXPECT_EQ(cores("0::/not/mounted/here\n"), 1);
}

TEST_F(CgroupCores, OfTheOlderKind) {
  write("cpu,cpuacct/docker/x/cpu.cfs_quota_us", "250000\n");
  write("cpu,cpuacct/docker/x/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores("3:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n"), 2.5);
  write("cpu,cpuacct/docker/x/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cores("4:cpu,cpuacct:/docker/x\n"), 0);
}

}  // namespace
}  // namespace belay
