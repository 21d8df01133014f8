// SPDX-License-Identifier: Apache-2.0
// Copies against memcpy, allocations against malloc.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "acl/acl.h"

namespace {

constexpr size_t kGigabyte = size_t{1} << 30;

// Two blocks that have been touched, so that no page fault is timed.
struct Blocks {
  Blocks() : host(kGigabyte, 1), target(kGigabyte, 2) {
    aclrtMalloc(&device, kGigabyte, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(device, kGigabyte, 3, kGigabyte);
  }
  ~Blocks() { aclrtFree(device); }
  std::vector<char> host, target;
  void* device = nullptr;
};

void BM_GigabyteMemcpy(benchmark::State& state) {
  Blocks blocks;
  for (auto _ : state) {
    std::memcpy(blocks.target.data(), blocks.host.data(), kGigabyte);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_GigabyteMemcpy)->UseRealTime()->Iterations(8)->Unit(benchmark::kMillisecond);

void BM_GigabyteToDevice(benchmark::State& state) {
  Blocks blocks;
  for (auto _ : state) aclrtMemcpy(blocks.device, kGigabyte, blocks.host.data(), kGigabyte, ACL_MEMCPY_HOST_TO_DEVICE);
}
BENCHMARK(BM_GigabyteToDevice)->UseRealTime()->Iterations(8)->Unit(benchmark::kMillisecond);

constexpr int kPairs = 10000;

std::vector<size_t> mixed_sizes() {
  std::mt19937 random(5);
  std::vector<size_t> sizes(kPairs);
  for (size_t& size : sizes) size = size_t{1} << (4 + random() % 16);
  return sizes;
}

void BM_MallocPairs(benchmark::State& state) {
  const auto sizes = mixed_sizes();
  for (auto _ : state)
    for (const size_t size : sizes) {
      void* block = std::malloc(size);
      benchmark::DoNotOptimize(block);
      std::free(block);
    }
}
BENCHMARK(BM_MallocPairs)->UseRealTime()->Unit(benchmark::kMicrosecond);

void BM_DeviceMallocPairs(benchmark::State& state) {
  const auto sizes = mixed_sizes();
  for (auto _ : state)
    for (const size_t size : sizes) {
      void* block = nullptr;
      aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST);
      aclrtFree(block);
    }
}
BENCHMARK(BM_DeviceMallocPairs)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
