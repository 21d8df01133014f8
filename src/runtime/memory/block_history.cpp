// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/block_history.h"

#include <algorithm>
#include <iterator>

namespace belay {
namespace {

constexpr size_t kNear = size_t{1} << 20;  // so far from a block, an address may have been meant for it
constexpr int kLooks = 1000;               // a millisecond apart

std::string python_text() {
  char text[2048];
  return std::string(text, python_lines(text, sizeof text));
}

}  // namespace

Moment BlockHistory::now_locked(const Backtrace& calls, std::string python) {
  Moment now;
  clock_gettime(CLOCK_MONOTONIC, &now.time);
  std::string key(reinterpret_cast<const char*>(calls.frames.data()), calls.count * sizeof(uintptr_t));
  key += python;
  auto& stack = stacks_[key];
  if (!stack) stack.reset(new Stack{calls, std::move(python)});
  now.stack = stack.get();
  return now;
}

void PastBlocks::made(const Block& block, const Moment& now) {
  auto first = known_.lower_bound(block.base);
  if (first != known_.begin() && std::prev(first)->second.block.end() > block.base) --first;
  known_.erase(first, known_.lower_bound(block.end()));
  remember(block);
  known_[block.base] = {block, now, {}};
}

void PastBlocks::ended(const std::byte* base, const Moment& now) {
  const auto found = known_.find(base);
  if (found == known_.end()) return;
  found->second.ended = now;
  ended_.push_back(base);
  if (ended_.size() <= most_ended_) return;
  const auto oldest = known_.find(ended_.front());
  ended_.pop_front();
  if (oldest == known_.end() || !oldest->second.ended.stack) return;
  const Block block = oldest->second.block;
  known_.erase(oldest);
  forget(block);
}

const PastBlock* PastBlocks::at_or_before(const std::byte* address) const {
  const auto after = known_.upper_bound(address);
  return after == known_.begin() ? nullptr : &std::prev(after)->second;
}

const PastBlock* PastBlocks::behind(const std::byte* address) const {
  const auto after = known_.upper_bound(address);
  return after == known_.end() ? nullptr : &after->second;
}

bool PastBlocks::forgotten(const std::byte* address) const {
  const auto after = forgotten_.upper_bound(address);
  return after != forgotten_.begin() && address < std::prev(after)->second;
}

// Joined with its neighbours as far as no known one is between them: there are never more of these than of those.
void PastBlocks::forget(const Block& block) {
  const std::byte *start = block.base, *end = block.end();
  const auto nothing_known = [&](const std::byte* from, const std::byte* to) {
    const auto next = known_.lower_bound(from);
    return next == known_.end() || next->first >= to;
  };
  auto after = forgotten_.upper_bound(start);
  if (after != forgotten_.end() && nothing_known(end, after->first)) {
    end = after->second;
    after = forgotten_.erase(after);
  }
  if (after != forgotten_.begin() && nothing_known(std::prev(after)->second, start))
    std::prev(after)->second = end;
  else
    forgotten_[start] = end;
}

// These addresses are known again.
void PastBlocks::remember(const Block& block) {
  auto range = forgotten_.upper_bound(block.base);
  if (range != forgotten_.begin()) --range;
  while (range != forgotten_.end() && range->first < block.end()) {
    const auto [start, end] = *range;
    if (end <= block.base) {
      ++range;
      continue;
    }
    range = forgotten_.erase(range);
    if (start < block.base) forgotten_.emplace(start, block.base);
    if (end > block.end()) forgotten_.emplace(block.end(), end);
  }
}

template <class Note>
void BlockHistory::note(Note note) {
  const Backtrace calls = catch_backtrace();
  std::string python = python_text();
  std::lock_guard lock(mutex_);
  note(now_locked(calls, std::move(python)));
}

void BlockHistory::made(const Block& block) {
  note([&](const Moment& now) { blocks_.made(block, now); });
}
void BlockHistory::ended(const void* base) {
  note([&](const Moment& now) { blocks_.ended(static_cast<const std::byte*>(base), now); });
}
void BlockHistory::reserved(const Block& addresses) {
  note([&](const Moment& now) { reservations_.made(addresses, now); });
}
void BlockHistory::released(const void* base) {
  note([&](const Moment& now) { reservations_.ended(static_cast<const std::byte*>(base), now); });
}

Whereabouts BlockHistory::find(const void* address, PastBlock& found) const {
  for (int looks = 0; !mutex_.try_lock(); ++looks) {
    if (looks == kLooks) return Whereabouts::Unknown;
    const timespec nap{.tv_sec = 0, .tv_nsec = 1'000'000};
    nanosleep(&nap, nullptr);
  }
  const Whereabouts where = find_locked(static_cast<const std::byte*>(address), found);
  mutex_.unlock();
  return where;
}

Whereabouts BlockHistory::find_locked(const std::byte* address, PastBlock& found) const {
  const auto take = [&](const PastBlock& block, Whereabouts where) {
    found = block;
    return where;
  };
  const auto holds = [=](const PastBlock* block) { return block && address < block->block.end(); };
  const PastBlock *before = blocks_.at_or_before(address), *behind = blocks_.behind(address);
  if (holds(before)) return take(*before, Whereabouts::Inside);
  if (const PastBlock* reservation = reservations_.at_or_before(address); holds(reservation))
    return take(*reservation, Whereabouts::Reserved);
  if (blocks_.forgotten(address) || reservations_.forgotten(address)) return Whereabouts::Forgotten;
  const size_t past = before ? static_cast<size_t>(address - before->block.end()) : kNear;
  const size_t below = behind ? static_cast<size_t>(behind->block.base - address) : kNear;
  if (std::min(past, below) >= kNear) return Whereabouts::Nowhere;
  return past <= below ? take(*before, Whereabouts::Past) : take(*behind, Whereabouts::Below);
}

BlockHistory& block_history() {
  static auto& history = *new BlockHistory;
  return history;
}

}  // namespace belay
