// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/host_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "acl/acl_rt.h"
#include "runtime/memory/blocks.h"

namespace belay {
namespace {

using testing::HasSubstr;

TEST(HostMemory, SmallAndLargeBlocksAreAlignedAndKnownAsPinned) {
  for (const size_t size : {size_t{1}, size_t{100}, size_t{70000}, size_t{5} << 20}) {
    const auto block = allocate_host(size, "the test");
    ASSERT_TRUE(block.ok());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*block) % 64, 0u);
    std::memset(*block, 1, size);
    EXPECT_EQ(blocks().locate(*block).place, Place::Pinned);
    EXPECT_EQ(blocks().locate(*block).block.size, size);
    EXPECT_TRUE(free_host(*block).ok());
    EXPECT_EQ(free_host(*block).code, ACL_ERROR_RT_PARAM_INVALID);
  }
}

TEST(HostMemory, AnImpossibleSizeIsRefused) {
  const auto refused = allocate_host(size_t{1} << 55, "the test");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code, ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_THAT(refused.status().message, HasSubstr("more than this host has left"));
}

TEST(HostMemory, AvailableMemoryIsMoreThanNothingAndLessThanEverything) {
  EXPECT_GT(host_memory_available(), uint64_t{1} << 20);
  EXPECT_LT(host_memory_available(), uint64_t{1} << 50);
}

TEST(Meminfo, ALineIsFoundByItsWholeName) {
  const char* text = "MemTotal:       24689024 kB\nXMemAvailable: 1 kB\nMemAvailable:    100 kB\n";
  EXPECT_EQ(meminfo_value(text, "MemAvailable"), 102400u);
  EXPECT_EQ(meminfo_value(text, "MemTotal"), uint64_t{24689024} * 1024);
  EXPECT_EQ(meminfo_value(text, "Mem"), 0u);
  EXPECT_EQ(meminfo_value("", "MemTotal"), 0u);
}

}  // namespace
}  // namespace belay
