// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/block_index.h"

#include <algorithm>

namespace belay {
namespace {

constexpr size_t kRunLimit = 128;

uintptr_t number(const void* address) { return reinterpret_cast<uintptr_t>(address); }

// How many of the sorted numbers are at or below `key`.
size_t count_up_to(const std::vector<uintptr_t>& sorted, uintptr_t key) {
  return static_cast<size_t>(std::upper_bound(sorted.begin(), sorted.end(), key) - sorted.begin());
}

template <class T>
void move_tail(std::vector<T>& from, size_t first, std::vector<T>& to) {
  const auto start = from.begin() + static_cast<ptrdiff_t>(first);
  to.insert(to.end(), start, from.end());
  from.erase(start, from.end());
}

}  // namespace

// The run where the address belongs: the last that starts at or below it, or the first.
size_t BlockIndex::run_of(uintptr_t address) const {
  const size_t below = count_up_to(firsts_, address);
  return below > 0 ? below - 1 : 0;
}

void BlockIndex::insert(const Block& block) {
  if (runs_.empty()) {
    runs_.emplace_back();
    firsts_.push_back(number(block.base));
  }
  const size_t r = run_of(number(block.base));
  Run& run = runs_[r];
  const auto at = static_cast<ptrdiff_t>(count_up_to(run.bases, number(block.base)));
  run.bases.insert(run.bases.begin() + at, number(block.base));
  run.blocks.insert(run.blocks.begin() + at, block);
  firsts_[r] = run.bases.front();
  ++size_;
  if (run.bases.size() > kRunLimit) split(r);
}

void BlockIndex::split(size_t r) {
  Run upper;
  move_tail(runs_[r].bases, kRunLimit / 2, upper.bases);
  move_tail(runs_[r].blocks, kRunLimit / 2, upper.blocks);
  const auto after = static_cast<ptrdiff_t>(r + 1);
  firsts_.insert(firsts_.begin() + after, upper.bases.front());
  runs_.insert(runs_.begin() + after, std::move(upper));
}

const Block* BlockIndex::find(const void* address) const {
  if (runs_.empty()) return nullptr;
  const Run& run = runs_[run_of(number(address))];
  const size_t below = count_up_to(run.bases, number(address));
  if (below == 0) return nullptr;
  const Block& block = run.blocks[below - 1];
  return number(address) - number(block.base) < block.size ? &block : nullptr;
}

bool BlockIndex::overlaps(const void* base, size_t size) const {
  if (find(base)) return true;
  if (runs_.empty()) return false;
  size_t r = run_of(number(base));
  size_t next = count_up_to(runs_[r].bases, number(base));
  if (next == runs_[r].bases.size()) {
    if (++r == runs_.size()) return false;
    next = 0;
  }
  return runs_[r].bases[next] - number(base) < size;
}

std::optional<Block> BlockIndex::erase(const void* base) {
  const Block* found = find(base);
  if (!found || found->base != base) return {};
  const Block block = *found;
  const size_t r = run_of(number(base));
  Run& run = runs_[r];
  const auto at = static_cast<ptrdiff_t>(count_up_to(run.bases, number(base))) - 1;
  run.bases.erase(run.bases.begin() + at);
  run.blocks.erase(run.blocks.begin() + at);
  --size_;
  if (run.bases.empty()) {
    runs_.erase(runs_.begin() + static_cast<ptrdiff_t>(r));
    firsts_.erase(firsts_.begin() + static_cast<ptrdiff_t>(r));
  } else {
    firsts_[r] = run.bases.front();
    join_with_next(r);
  }
  return block;
}

void BlockIndex::join_with_next(size_t r) {
  if (r + 1 >= runs_.size() || runs_[r].bases.size() + runs_[r + 1].bases.size() > kRunLimit / 2) return;
  move_tail(runs_[r + 1].bases, 0, runs_[r].bases);
  move_tail(runs_[r + 1].blocks, 0, runs_[r].blocks);
  runs_.erase(runs_.begin() + static_cast<ptrdiff_t>(r + 1));
  firsts_.erase(firsts_.begin() + static_cast<ptrdiff_t>(r + 1));
}

}  // namespace belay
