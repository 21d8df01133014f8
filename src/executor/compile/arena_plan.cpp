// SPDX-License-Identifier: Apache-2.0
#include "executor/compile/arena_plan.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace belay::executor {
namespace {

constexpr size_t kAlignment = 64;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

bool lives_meet(const Block& a, const Block& b) { return a.first <= b.last && b.first <= a.last; }

// The lowest gap between the blocks already placed that live at the same time. `placed` is sorted by offset.
size_t find_gap(const Block& block, const std::vector<const Block*>& placed) {
  size_t best = SIZE_MAX, best_size = SIZE_MAX, end = 0;
  const size_t bytes = aligned(block.bytes);
  for (const Block* other : placed) {
    if (!lives_meet(block, *other)) continue;
    if (other->offset > end) {
      const size_t gap = other->offset - end;
      if (gap >= bytes && gap < best_size) best = end, best_size = gap;
    }
    end = std::max(end, other->offset + aligned(other->bytes));
  }
  return best == SIZE_MAX ? end : best;
}

// Places the blocks in this order, each into the tightest gap that its contemporaries leave; the size of the arena.
size_t place(const std::vector<Block*>& order) {
  std::vector<const Block*> placed;
  size_t total = 0;
  for (Block* block : order) {
    block->offset = find_gap(*block, placed);
    total = std::max(total, block->offset + aligned(block->bytes));
    const auto at = std::upper_bound(placed.begin(), placed.end(), block,
                                     [](const Block* a, const Block* b) { return a->offset < b->offset; });
    placed.insert(at, block);
  }
  return total;
}

// The block that ends last goes first: it is the one that found no room lower down.
void promote_highest(std::vector<Block*>& order) {
  const auto highest = std::max_element(order.begin(), order.end(), [](const Block* a, const Block* b) {
    return a->offset + a->bytes < b->offset + b->bytes;
  });
  std::rotate(order.begin(), highest, highest + 1);
}

constexpr int kAttempts = 100;

}  // namespace

// Large blocks first does well; what it cannot fit goes earlier the next time, until the bound is near.
size_t plan_arena(std::span<Block> blocks) {
  std::vector<Block*> order;
  for (Block& block : blocks)
    if (block.bytes > 0) order.push_back(&block);
  if (order.empty()) return 0;
  std::stable_sort(order.begin(), order.end(), [](const Block* a, const Block* b) { return a->bytes > b->bytes; });
  const size_t least = least_arena(blocks), near = least + least / 50;
  std::vector<Block*> best = order;
  size_t smallest = place(order);
  for (int attempt = 0; attempt < kAttempts && smallest > near; ++attempt) {
    promote_highest(order);
    if (const size_t total = place(order); total < smallest) {
      smallest = total;
      best = order;
    }
  }
  return place(best);
}

size_t least_arena(std::span<const Block> blocks) {
  std::map<int, int64_t> change;
  for (const Block& block : blocks) {
    change[block.first] += static_cast<int64_t>(aligned(block.bytes));
    change[block.last + 1] -= static_cast<int64_t>(aligned(block.bytes));
  }
  int64_t live = 0, most = 0;
  for (const auto& [step, difference] : change) most = std::max(most, live += difference);
  return static_cast<size_t>(most);
}

}  // namespace belay::executor
