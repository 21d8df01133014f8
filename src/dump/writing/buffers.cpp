// SPDX-License-Identifier: Apache-2.0
#include "dump/writing/buffers.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace belay::dump {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kPage = 4096;  // sizes are rounded up, so that buffers are used again

}  // namespace

BufferPool::~BufferPool() { free_kept(); }

void BufferPool::free_kept() {
  std::lock_guard lock(mutex_);
  for (const auto& [size, memory] : kept_) std::free(memory);
  kept_.clear();
  kept_bytes_ = 0;
}

BufferPool::Reservation BufferPool::reserve(size_t bytes) {
  std::unique_lock lock(mutex_);
  const uint64_t ticket = next_ticket_++;
  if (ticket != served_ || !fits(bytes)) ++waits_;
  room_.wait(lock, [&] { return ticket == served_ && fits(bytes); });
  ++served_;
  used_ += bytes;
  room_.notify_all();
  return {*this, bytes};
}

bool BufferPool::try_reserve(size_t bytes) {
  std::lock_guard lock(mutex_);
  if (served_ != next_ticket_ || !fits(bytes)) return false;
  used_ += bytes;
  return true;
}

void BufferPool::exceed(size_t bytes) {
  std::lock_guard lock(mutex_);
  used_ += bytes;
}

size_t BufferPool::used() const {
  std::lock_guard lock(mutex_);
  return used_;
}

uint64_t BufferPool::waits() const {
  std::lock_guard lock(mutex_);
  return waits_;
}

std::byte* BufferPool::allocate(size_t bytes, size_t& capacity) {
  {
    std::lock_guard lock(mutex_);
    const auto found = kept_.lower_bound(bytes);
    if (found != kept_.end() && found->first <= 2 * std::max(bytes, kPage)) {
      capacity = found->first;
      kept_bytes_ -= capacity;
      std::byte* memory = found->second;
      kept_.erase(found);
      return memory;
    }
  }
  capacity = (std::max<size_t>(bytes, 1) + kPage - 1) / kPage * kPage;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlignment, capacity));
  if (!memory) throw std::bad_alloc();
  return memory;
}

void BufferPool::free(std::byte* memory, size_t capacity, size_t counted) {
  std::lock_guard lock(mutex_);
  used_ -= counted;
  kept_.emplace(capacity, memory);
  kept_bytes_ += capacity;
  trim();
  room_.notify_all();
}

void BufferPool::give_back(size_t bytes) {
  if (bytes == 0) return;
  std::lock_guard lock(mutex_);
  used_ -= bytes;
  room_.notify_all();
}

// What is kept for later counts, too.
void BufferPool::trim() {
  while (!kept_.empty() && used_ + kept_bytes_ > limit_) {
    const auto largest = std::prev(kept_.end());
    kept_bytes_ -= largest->first;
    std::free(largest->second);
    kept_.erase(largest);
  }
}

std::shared_ptr<std::byte> BufferPool::Reservation::take(size_t bytes) {
  size_t capacity = 0;
  std::byte* memory = pool_.allocate(bytes, capacity);
  const size_t counted = std::min(bytes, left_);
  left_ -= counted;
  return {memory, [&pool = pool_, capacity, counted](std::byte* gone) { pool.free(gone, capacity, counted); }};
}

std::shared_ptr<void> BufferPool::Reservation::take_rest() {
  const size_t rest = left_;
  left_ = 0;
  return {static_cast<void*>(&pool_), [rest](void* pool) { static_cast<BufferPool*>(pool)->give_back(rest); }};
}

}  // namespace belay::dump
