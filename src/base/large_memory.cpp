// SPDX-License-Identifier: Apache-2.0
#include "base/large_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

namespace belay {
namespace {

constexpr size_t alignment = 64, huge_page = 2 << 20;

size_t rounded_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

std::shared_ptr<void> large_memory(size_t bytes) {
  if (bytes < huge_page) {
    void* memory = std::aligned_alloc(alignment, rounded_up(bytes == 0 ? 1 : bytes, alignment));
    return memory ? std::shared_ptr<void>(memory, std::free) : nullptr;
  }
  const size_t whole = rounded_up(bytes, alignment) + huge_page;  // so that a huge page can begin in it
  void* address = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  auto* begin = reinterpret_cast<std::byte*>(rounded_up(reinterpret_cast<uintptr_t>(address), huge_page));
  madvise(begin, bytes, MADV_HUGEPAGE);  // without it the memory is as good, but slower to touch
  return {begin, [address, whole](void*) { munmap(address, whole); }};
}

}  // namespace belay
