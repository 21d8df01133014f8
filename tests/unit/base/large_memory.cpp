// SPDX-License-Identifier: Apache-2.0
#include "base/large_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace belay {
namespace {

TEST(LargeMemory, IsAlignedAndCanBeWrittenToItsEnd) {
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{4096}, size_t{2} << 20, (size_t{5} << 20) + 12345}) {
    const auto memory = large_memory(bytes);
    ASSERT_TRUE(memory);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.get()) % 64, 0u) << bytes;
    std::memset(memory.get(), 1, bytes);
  }
}

TEST(LargeMemory, IsNullWhenThereIsNone) { EXPECT_FALSE(large_memory(size_t{1} << 60)); }

}  // namespace
}  // namespace belay
