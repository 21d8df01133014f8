// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/block_history.h"

#include <iterator>

namespace belay {
namespace {

constexpr size_t kMostEnded = size_t{1} << 18;
constexpr int kLooks = 1000;  // a millisecond apart

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

// Blocks that were at these addresses before are forgotten.
void BlockHistory::made(const Block& block) {
  const Backtrace calls = catch_backtrace();
  std::string python = python_text();
  std::lock_guard lock(mutex_);
  auto first = entries_.lower_bound(block.base);
  if (first != entries_.begin() && std::prev(first)->second.block.end() > block.base) --first;
  entries_.erase(first, entries_.lower_bound(block.end()));
  entries_[block.base] = {block, now_locked(calls, std::move(python)), {}};
}

void BlockHistory::ended(const void* base) {
  const Backtrace calls = catch_backtrace();
  std::string python = python_text();
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(static_cast<const std::byte*>(base));
  if (found == entries_.end()) return;
  found->second.ended = now_locked(calls, std::move(python));
  ended_.push_back(found->first);
  if (ended_.size() <= kMostEnded) return;
  const auto oldest = entries_.find(ended_.front());
  if (oldest != entries_.end() && oldest->second.ended.stack) entries_.erase(oldest);
  ended_.pop_front();
}

bool BlockHistory::find(const void* address, Entry& found) const {
  int looks = 0;
  while (!mutex_.try_lock()) {
    if (++looks == kLooks) return false;
    const timespec nap{.tv_sec = 0, .tv_nsec = 1'000'000};
    nanosleep(&nap, nullptr);
  }
  auto after = entries_.upper_bound(static_cast<const std::byte*>(address));
  const bool any = after != entries_.begin();
  if (any) found = std::prev(after)->second;
  mutex_.unlock();
  return any;
}

BlockHistory& block_history() {
  static auto& history = *new BlockHistory;
  return history;
}

}  // namespace belay
