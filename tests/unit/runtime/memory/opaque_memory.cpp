// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/opaque_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/device_memory.h"
#include "support/child.h"

namespace belay {
namespace {

using testing::Each;

std::vector<char> bytes_at(const std::byte* address, size_t count) {
  const auto* view = reinterpret_cast<const char*>(host_view(address));
  return {view, view + count};
}

TEST(OpaqueMemoryChild, DISABLED_ViewsAndAddressesLeadToEachOther) {
  std::byte* block = opaque_memory().take(5000);
  ASSERT_NE(block, nullptr);
  EXPECT_TRUE(is_opaque(block));
  EXPECT_TRUE(is_opaque(block + 4999));
  EXPECT_FALSE(is_opaque(host_view(block)));
  EXPECT_NE(host_view(block), block);
  EXPECT_EQ(host_view(block + 77), host_view(block) + 77);
  EXPECT_EQ(device_address(host_view(block + 77)), block + 77);
  EXPECT_EQ(device_address(block), block);
  int here = 0;
  EXPECT_EQ(host_view(&here), &here);
  EXPECT_EQ(device_address(&here), &here);
  EXPECT_EQ(host_view(static_cast<int*>(nullptr)), nullptr);
  write_memory(block + 8, 42);
  EXPECT_EQ(read_memory<int>(block + 8), 42);
  copy_memory(block + 9, block + 8, 4);
  EXPECT_EQ(read_memory<int>(block + 9), 42);
  fill_memory(block, 7, 5000);
  EXPECT_THAT(bytes_at(block, 5000), Each(7));
  opaque_memory().give(block);
}

TEST(OpaqueMemoryChild, DISABLED_TouchingAnAddressEndsTheProcess) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have handlers of their own";
#endif
  std::byte* block = opaque_memory().take(100);
  EXPECT_EXIT(*reinterpret_cast<volatile char*>(block + 5) = 1, testing::KilledBySignal(SIGSEGV),
              "writes device memory through a pointer");
  opaque_memory().give(block);
}

TEST(OpaqueMemoryChild, DISABLED_BlocksAreApartAndNotGivenOutAgainSoon) {
  std::byte* first = opaque_memory().take(100);
  std::byte* second = opaque_memory().take(100);
  EXPECT_GE(second - first, 100 + static_cast<ptrdiff_t>(kPage));
  fill_memory(first, 1, 100);
  opaque_memory().give(first);
  for (int i = 0; i < 1000; ++i) {
    std::byte* other = opaque_memory().take(100);
    EXPECT_NE(other, first);
    EXPECT_THAT(bytes_at(other, 100), Each(0));
    opaque_memory().give(other);
  }
  opaque_memory().give(second);
}

TEST(OpaqueMemoryChild, DISABLED_NothingIsNearTheEndsOfTheRange) {
  const auto& window = device_memory_detail::window;
  std::byte* first = opaque_memory().take(1);
  EXPECT_TRUE(is_opaque(first - kPage));
  opaque_memory().give(first);
  std::byte* all = opaque_memory().take(window.bytes - 2 * kHugePage);
  ASSERT_NE(all, nullptr);
  EXPECT_TRUE(is_opaque(all - kPage));
  EXPECT_TRUE(is_opaque(all + window.bytes - 2 * kHugePage + kPage));
}

TEST(OpaqueMemoryChild, DISABLED_LargeBlocksAreAligned) {
  for (const size_t bytes : {size_t{1}, kPage, kHugePage - 1, kHugePage, 3 * kHugePage + 5}) {
    std::byte* block = opaque_memory().take(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % (bytes < kHugePage ? kPage : kHugePage), 0u);
    EXPECT_GE(opaque_memory().bytes_of(block), bytes);
    fill_memory(block, 1, bytes);
    opaque_memory().give(block);
    EXPECT_EQ(opaque_memory().bytes_of(block), 0u);
  }
  EXPECT_EQ(opaque_memory().take(SIZE_MAX / 2), nullptr);
}

// Far more than there are addresses, a part of them at a time.
TEST(OpaqueMemoryChild, DISABLED_AddressesComeAgainWhenAllWereGivenOut) {
  const size_t all = device_memory_detail::window.bytes, piece = all / 10;
  std::mt19937 random(1);
  std::vector<std::byte*> mine;
  for (int i = 0; i < 500; ++i) {
    std::byte* block = opaque_memory().take(1 + random() % piece);
    ASSERT_NE(block, nullptr) << "after " << i;
    write_memory(block, i);
    mine.push_back(block);
    if (mine.size() < 4) continue;
    opaque_memory().give(mine[i % 4]);
    mine.erase(mine.begin() + i % 4);
  }
  for (std::byte* block : mine) opaque_memory().give(block);
  EXPECT_NE(opaque_memory().take(all - 2 * kHugePage), nullptr) << "all of it is one piece again";
}

TEST(OpaqueMemory, InAProcessThatAskedForIt) {
  for (const char* test_case :
       {"ViewsAndAddressesLeadToEachOther", "TouchingAnAddressEndsTheProcess", "BlocksAreApartAndNotGivenOutAgainSoon",
        "NothingIsNearTheEndsOfTheRange", "LargeBlocksAreAligned", "AddressesComeAgainWhenAllWereGivenOut"})
    test::expect_passes_with({{"BELAY_OPAQUE", "1"}}, std::string("OpaqueMemoryChild.DISABLED_") + test_case);
}

}  // namespace
}  // namespace belay
