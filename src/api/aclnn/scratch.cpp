// SPDX-License-Identifier: Apache-2.0
#include "api/aclnn/scratch.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace belay::api {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kKept = 1 << 20;  // that a thread keeps at the most: there may be many

// Of a thread that runs calls; those end before the process does.
struct Kept {
  std::unique_ptr<void, decltype(&std::free)> block{nullptr, std::free};
  size_t bytes = 0;
};

Kept& kept() {
  static thread_local Kept mine;
  return mine;
}

std::byte* allocate(size_t bytes) {
  return static_cast<std::byte*>(std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment));
}

}  // namespace

Scratch::Scratch(size_t bytes) {
  if (bytes == 0) return;
  if (bytes > kKept) {
    memory_ = allocate(bytes);
    own_ = true;
    return;
  }
  Kept& mine = kept();
  if (bytes > mine.bytes) {
    const size_t grown = std::min(kKept, std::max(bytes, 2 * mine.bytes));
    mine.block.reset(allocate(grown));
    mine.bytes = mine.block ? grown : 0;
  }
  memory_ = static_cast<std::byte*>(mine.block.get());
}

Scratch::~Scratch() {
  if (own_) std::free(memory_);
}

}  // namespace belay::api
