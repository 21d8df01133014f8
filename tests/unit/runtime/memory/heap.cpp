// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/heap.h"
#include "base/device_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <future>
#include <random>
#include <thread>

#include "acl/acl_rt.h"
#include "runtime/stream/write_gate.h"

namespace belay {
namespace {

using testing::HasSubstr;

constexpr uint64_t kMiB = uint64_t{1} << 20;

void release(Heap& heap, void* pointer) {
  const auto block = blocks().take(pointer, {BlockKind::Device});
  ASSERT_TRUE(block.ok());
  heap.release(*block);
}

void* allocate(Heap& heap, size_t size) {
  auto result = heap.allocate(size, *padded_size(size), "the test");
  EXPECT_TRUE(result.ok());
  return result.ok() ? *result : nullptr;
}

TEST(PaddedSize, LeavesATailOf32BytesInUnitsOf32) {
  EXPECT_EQ(padded_size(1), 64u);
  EXPECT_EQ(padded_size(32), 64u);
  EXPECT_EQ(padded_size(33), 96u);
  EXPECT_EQ(padded_size(1024), 1056u);
  EXPECT_EQ(padded_size(SIZE_MAX), std::nullopt);
  EXPECT_EQ(padded_size(SIZE_MAX - 62), std::nullopt);
  EXPECT_EQ(rounded_size(33), 64u);
  EXPECT_EQ(rounded_size(64), 64u);
  EXPECT_EQ(rounded_size(SIZE_MAX), std::nullopt);
}

TEST(Heap, CountsWhatItGivesAndTakesBack) {
  Heap heap(0, 64 * kMiB);
  void* small = allocate(heap, 100);
  void* large = allocate(heap, kMiB);
  EXPECT_EQ(heap.used(), 160 + kMiB + 32);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(small) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(large) % 512, 0u);
  release(heap, small);
  release(heap, large);
  EXPECT_EQ(heap.used(), 0u);
  ASSERT_EQ(heap.uses().size(), 1u);
  EXPECT_STREQ(heap.uses()[0].owner, "the test");
  EXPECT_EQ(heap.uses()[0].current, 0u);
  EXPECT_EQ(heap.uses()[0].peak, 160 + kMiB + 32);
}

TEST(Heap, RefusesMoreThanTheDeviceHasAndSaysTheSizes) {
  Heap heap(5, kMiB);
  void* half = allocate(heap, kMiB / 2);
  const auto refused = heap.allocate(kMiB, *padded_size(kMiB), "the test");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code, ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_THAT(refused.status().message, HasSubstr("device 5 has 524256 bytes of memory left, not 1048608"));
  EXPECT_THAT(refused.status().message, HasSubstr("524320 of 1048576 are in use"));
  EXPECT_EQ(heap.used(), kMiB / 2 + 32);
  release(heap, half);
  release(heap, allocate(heap, kMiB - 64));
}

TEST(Heap, AsksTheHostBeforeItPromisesMuch) {
  Heap heap(0, UINT64_MAX);
  const auto refused = heap.allocate(size_t{1} << 50, size_t{1} << 50, "the test");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code, ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_THAT(refused.status().message, HasSubstr("1125899906842624 bytes are more than this host has left"));
  EXPECT_EQ(heap.used(), 0u);
}

TEST(Heap, SharingALargeBlockKeepsItsAddressAndBytes) {
  Heap heap(0, 64 * kMiB);
  auto* bytes = static_cast<char*>(allocate(heap, 3 * kMiB));
  fill_memory(bytes, 'x', 3 * kMiB);
  const Block block = blocks().locate(bytes).block;
  const auto shared = heap.share(block);
  ASSERT_TRUE(shared.ok());
  EXPECT_EQ(read_memory<char>(bytes + 3 * kMiB - 1), 'x');
  auto* other = static_cast<char*>(mmap(nullptr, 3 * kMiB, PROT_READ, MAP_SHARED, (*shared).fd, 0));
  ASSERT_NE(other, MAP_FAILED);
  write_memory(bytes + 5, 'y');
  EXPECT_EQ(other[5], 'y');
  EXPECT_EQ((*heap.share(block)).fd, (*shared).fd);
  munmap(other, 3 * kMiB);
  release(heap, bytes);
}

// A thread that counts up cells all over the block, and what it should find there.
TEST(Heap, WhatIsWrittenWhileALargeBlockIsSharedIsNotLost) {
  Heap heap(0, 64 * kMiB);
  for (int turn = 0; turn < 10; ++turn) {
    auto* block = static_cast<uint32_t*>(allocate(heap, 8 * kMiB));
    auto* cells = host_view(block);
    constexpr size_t kCells = 8 * kMiB / sizeof(uint32_t);
    std::memset(cells, 0, 8 * kMiB);
    std::vector<uint32_t> counts(kCells);
    std::atomic<uint64_t> written{0};
    std::atomic<bool> over{false};
    std::thread writer([&] {
      for (size_t at = 0; !over; at = (at + 40503) % kCells) {
        const WriteGate::Writing writing;
        ++cells[at];
        ++counts[at];
        ++written;
      }
    });
    while (written < 1000) std::this_thread::yield();
    const auto shared = heap.share(blocks().locate(block).block);
    ASSERT_TRUE(shared.ok()) << shared.status().message;
    const uint64_t before = written;
    while (written < before + 1000) std::this_thread::yield();
    over = true;
    writer.join();
    EXPECT_TRUE(std::equal(counts.begin(), counts.end(), cells));
    release(heap, block);
  }
}

TEST(Heap, SharingDoesNotWaitForATaskThatWaits) {
  Heap heap(0, 64 * kMiB);
  void* block = allocate(heap, 8 * kMiB);
  std::promise<void> waits, go_on;
  std::thread waiting([&] {
    const WriteGate::Writing writing;
    write_gate().step_out();
    waits.set_value();
    go_on.get_future().wait();
  });
  waits.get_future().wait();
  {
    const WriteGate::Writing writing;  // nor for the task that it is called from
    EXPECT_TRUE(heap.share(blocks().locate(block).block).ok());
  }
  go_on.set_value();
  waiting.join();
  release(heap, block);
}

TEST(Heap, ThreadsMayAllocateAndFreeAtOnce) {
  Heap heap(0, 1024 * kMiB);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&heap, t] {
      std::mt19937 random(t);
      std::vector<std::pair<char*, size_t>> mine;
      for (int step = 0; step < 2000; ++step) {
        const size_t size = 1 + random() % (random() % 8 == 0 ? 300000 : 2000);
        auto* bytes = static_cast<char*>(allocate(heap, size));
        fill_memory(bytes, static_cast<int>(t), size);
        mine.emplace_back(bytes, size);
        if (mine.size() < 50) continue;
        const auto [old, old_size] = mine.front();
        mine.erase(mine.begin());
        ASSERT_EQ(read_memory<char>(old), static_cast<char>(t));
        ASSERT_EQ(read_memory<char>(old + old_size - 1), static_cast<char>(t));
        release(heap, old);
      }
      for (auto [bytes, size] : mine) release(heap, bytes);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(heap.used(), 0u);
}

TEST(Heap, AForkedChildDoesNotAllocateIntoTheParentsBlocks) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer takes the lock that the child makes anew for one that it still holds";
#endif
  Heap& heap = device_heap(0);
  auto* parents = static_cast<char*>(allocate(heap, 64));
  const auto parents_next = static_cast<char*>(allocate(heap, 64));
  release(heap, parents_next);  // both processes would now reuse this slot
  std::strcpy(host_view(parents), "parent");
  const pid_t child = fork();
  if (child == 0) {
    auto* childs = static_cast<char*>(allocate(heap, 64));
    std::strcpy(host_view(childs), "child");
    const bool apart = childs != parents_next && std::strcmp(host_view(parents), "parent") == 0;
    release(heap, parents);  // forgotten, no harm
    _exit(apart ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_STREQ(host_view(parents), "parent");
  release(heap, parents);
}

}  // namespace
}  // namespace belay
