// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/memory_pool.h"

#include <algorithm>
#include <unordered_map>

#include "acl/acl_rt.h"
#include "base/text.h"
#include "runtime/memory/heap.h"
#include "runtime/stream/stream.h"

namespace belay {
namespace {

constexpr const char* kOwner = "aclrtMemPoolMallocAsync";
constexpr size_t kUnit = 512;

// The blocks in use, as the heap made them, and the pools they go back to.
struct Lent {
  std::shared_ptr<MemoryPool> pool;
  Block block;
};
struct Loans {
  std::mutex mutex;
  std::unordered_map<const void*, Lent> lent;  // guarded by mutex
};

Loans& loans() {
  static auto& loans = *new Loans;
  return loans;
}

void trim_pools() {
  for (const auto& pool : memory_pool_table().all()) pool->trim_to_threshold();
}

// What a queued free holds: however it ends, run or dropped, the memory is free then. The pool outlives it.
struct Release {
  std::shared_ptr<MemoryPool> pool;
  std::shared_ptr<std::atomic<bool>> done;
  Release(std::shared_ptr<MemoryPool> of, std::shared_ptr<std::atomic<bool>> flag)
      : pool(std::move(of)), done(std::move(flag)) {}
  Release(Release&&) noexcept = default;
  ~Release() {
    if (done) done->store(true, std::memory_order_release);
  }
  void operator()() const {}
};

}  // namespace

MemoryPool::~MemoryPool() {
  for (const Kept& kept : kept_) device_heap(device_).release(kept.block);
}

Result<void*> MemoryPool::allocate(size_t size, const Stream& stream) {
  if (size > SIZE_MAX - kUnit)
    return Status{ACL_ERROR_RT_MEMORY_ALLOCATION, formatted("{} bytes are more than any device has", size)};
  const Block whole = TRY(take(rounded_up(size, kUnit), stream));
  {
    std::lock_guard lock(loans().mutex);
    loans().lent.emplace(whole.base, Lent{shared_from_this(), whole});
  }
  Block known = whole;
  known.size = size;
  blocks().add(known);
  return static_cast<void*>(whole.base);
}

Result<Block> MemoryPool::take(size_t capacity, const Stream& stream) {
  std::lock_guard lock(mutex_);
  const auto fits = [&](const Kept& kept) {
    const bool free = kept.freed_on == stream.handle() || (opportunistic && kept.done->load(std::memory_order_acquire));
    return free && kept.block.size >= capacity && kept.block.size <= capacity + capacity / 4;
  };
  const auto found = std::ranges::find_if(kept_, fits);
  Block block;
  if (found != kept_.end()) {
    block = found->block;
    kept_.erase(found);
  } else {
    block = TRY(take_new(capacity));
  }
  used_ += block.size;
  used_high_ = std::max(used_high_, used_);
  return block;
}

// From the device; what is kept makes room when there is too little.
Result<Block> MemoryPool::take_new(size_t capacity) {
  if (limit_ > 0 && capacity > limit_ - std::min(limit_, reserved_)) trim_locked(limit_ - std::min(limit_, capacity));
  if (limit_ > 0 && capacity > limit_ - std::min(limit_, reserved_))
    return Status{ACL_ERROR_RT_MEMORY_ALLOCATION,
                  formatted("the pool holds {} of its {} bytes; {} more do not fit", reserved_, limit_, capacity)};
  auto block = device_heap(device_).take(capacity, capacity, kOwner, BlockKind::Pool);
  if (!block.ok()) {
    trim_locked(0);
    block = device_heap(device_).take(capacity, capacity, kOwner, BlockKind::Pool);
  }
  const Block taken = TRY(std::move(block));
  reserved_ += capacity;
  reserved_high_ = std::max(reserved_high_, reserved_);
  return taken;
}

void MemoryPool::trim(uint64_t keep) {
  std::lock_guard lock(mutex_);
  trim_locked(keep);
}

void MemoryPool::trim_locked(uint64_t keep) {
  for (auto kept = kept_.begin(); kept != kept_.end() && reserved_ > keep;) {
    if (!kept->done->load(std::memory_order_acquire)) {
      ++kept;
      continue;
    }
    reserved_ -= kept->block.size;
    device_heap(device_).release(kept->block);
    kept = kept_.erase(kept);
  }
}

void MemoryPool::keep(const Block& block, const Stream& stream, std::shared_ptr<std::atomic<bool>> done) {
  std::lock_guard lock(mutex_);
  used_ -= block.size;
  kept_.push_back({block, stream.handle(), std::move(done)});
}

Status free_to_pool(void* pointer, Stream& stream) {
  TRY(blocks().take(pointer, {BlockKind::Pool}));
  std::unique_lock lock(loans().mutex);
  Lent lent = std::move(loans().lent.extract(pointer).mapped());
  lock.unlock();
  auto done = std::make_shared<std::atomic<bool>>(false);
  lent.pool->keep(lent.block, stream, done);
  return stream.launch(Release(std::move(lent.pool), std::move(done)));
}

uint64_t MemoryPool::reserved() const {
  std::lock_guard lock(mutex_);
  return reserved_;
}
uint64_t MemoryPool::used() const {
  std::lock_guard lock(mutex_);
  return used_;
}
uint64_t MemoryPool::reserved_high() const {
  std::lock_guard lock(mutex_);
  return reserved_high_;
}
uint64_t MemoryPool::used_high() const {
  std::lock_guard lock(mutex_);
  return used_high_;
}
void MemoryPool::reset_reserved_high() {
  std::lock_guard lock(mutex_);
  reserved_high_ = reserved_;
}
void MemoryPool::reset_used_high() {
  std::lock_guard lock(mutex_);
  used_high_ = used_;
}

HandleTable<MemoryPool>& memory_pool_table() {
  static auto& table = *[] {
    after_synchronize = trim_pools;
    return new HandleTable<MemoryPool>(0x23);
  }();
  return table;
}

Result<std::shared_ptr<MemoryPool>> find_memory_pool(const void* handle) {
  if (auto pool = memory_pool_table().find(handle)) return pool;
  return Status{ACL_ERROR_RT_INVALID_HANDLE, "memPool is not a live pool: it was destroyed, or is something else",
                "EE1017"};
}

}  // namespace belay
