// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/heap.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <limits>

#include "acl/acl_rt.h"
#include "base/device_memory.h"
#include "base/faults.h"
#include "base/text.h"
#include "runtime/device/devices.h"
#include "runtime/memory/block_history.h"
#include "runtime/memory/file_limit.h"
#include "runtime/memory/host_memory.h"
#include "runtime/memory/managed_ranges.h"
#include "runtime/memory/opaque_memory.h"
#include "runtime/memory/page_cache.h"
#include "runtime/stream/write_gate.h"

namespace belay {
namespace {

constexpr size_t kTail = 32;

bool in_slab(const Block& block) { return block.size + kTail <= Slabs::kLargest && !is_opaque(block.base); }

// All heaps, each made when first asked for. They stay until the process ends.
class Heaps {
 public:
  Heaps() {
    check_opaque_variable();
    pthread_atfork(&Heaps::before_fork, &Heaps::in_parent, &Heaps::in_child);
  }

  Heap& of(int device) {
    std::lock_guard lock(mutex_);
    auto& heap = heaps_[device];
    if (!heap) heap = std::make_unique<Heap>(device, device_memory_size());
    return *heap;
  }
  static Heaps& all() {
    static Heaps& heaps = *new Heaps;
    return heaps;
  }

 private:
  static void before_fork() {
    all().mutex_.lock();
    for (auto& [device, heap] : all().heaps_) heap->before_fork();
    page_cache().mutex().lock();
    if (opaque_mode()) opaque_memory().mutex().lock();
    blocks().before_fork();
    block_history().mutex().lock();
  }
  static void after_fork(bool child) {
    if (child) write_gate().forget_others();
    block_history().mutex().unlock();
    blocks().after_fork(child);
    if (opaque_mode()) opaque_memory().mutex().unlock();
    page_cache().mutex().unlock();
    for (auto& [device, heap] : all().heaps_) heap->after_fork(child);
    all().mutex_.unlock();
  }
  static void in_parent() { after_fork(false); }
  static void in_child() { after_fork(true); }

  std::mutex mutex_;
  std::map<int, std::unique_ptr<Heap>> heaps_;  // guarded by mutex_
};

}  // namespace

Result<void*> Heap::allocate(size_t size, size_t charged, const char* owner, BlockKind kind) {
  const Block block = TRY(take(size, charged, owner, kind));
  blocks().add(block);
  return static_cast<void*>(block.base);
}

Result<Block> Heap::take(size_t size, size_t charged, const char* owner, BlockKind kind) {
  TRY(check_host_can_give(size));
  if (allocation_fails())
    return Status{ACL_ERROR_RT_MEMORY_ALLOCATION,
                  formatted("{} bytes for {} are refused on purpose, by BELAY_FAULT", size, owner)};
  std::lock_guard lock(mutex_);
  TRY(charge_locked(charged, owner));
  std::byte* base = place(size + kTail, kind);
  if (base)
    return Block{.base = base, .size = size, .charged = charged, .kind = kind, .device = device_, .owner = owner};
  discharge_locked(charged, owner);
  if (opaque_mode() && device_memory_detail::window.bytes == 0)
    return Status{ACL_ERROR_RT_MEMORY_ALLOCATION,
                  "BELAY_OPAQUE=1 needs many addresses, and this process may not have them (ulimit -v)"};
  return Status{
      ACL_ERROR_RT_MEMORY_ALLOCATION,
      formatted("the host has no {} bytes left for the memory of device {}", size, device_) + file_limit_text()};
}

// The host may touch managed memory.
std::byte* Heap::place(size_t bytes, BlockKind kind) {
  if (opaque_mode() && kind != BlockKind::Managed) [[unlikely]]
    return opaque_memory().take(bytes);
  return bytes <= Slabs::kLargest ? slabs_->allocate(bytes) : page_cache().take(bytes);
}

void Heap::release(const Block& block) {
  std::lock_guard lock(mutex_);
  discharge_locked(block.charged, block.owner);
  if (is_opaque(block.base)) [[unlikely]] {
    shared_.erase(block.base);
    opaque_memory().give(block.base);
  } else if (in_slab(block))
    slabs_->release(block.base);
  else if (shared_.erase(block.base) > 0)
    page_cache().give_shared(block.base);
  else
    page_cache().give(block.base);
}

Status Heap::charge_locked(uint64_t bytes, const char* owner) {
  if (bytes > limit_ - used_)
    return {ACL_ERROR_RT_MEMORY_ALLOCATION,
            formatted("device {} has {} bytes of memory left, not {}: {} of {} are in use (BELAY_DEVICE_MEMORY sets "
                      "the size)",
                      device_, limit_ - used_, bytes, used_, limit_)};
  used_ += bytes;
  MemoryUse& use = uses_.try_emplace(owner, MemoryUse{owner, 0, 0}).first->second;
  use.current += bytes;
  use.peak = std::max(use.peak, use.current);
  return {};
}

void Heap::discharge_locked(uint64_t bytes, const char* owner) {
  used_ -= bytes;
  uses_[owner].current -= bytes;
}

Status Heap::charge(uint64_t bytes, const char* owner) {
  std::lock_guard lock(mutex_);
  return charge_locked(bytes, owner);
}

void Heap::discharge(uint64_t bytes, const char* owner) {
  std::lock_guard lock(mutex_);
  discharge_locked(bytes, owner);
}

Result<Heap::Shared> Heap::share(const Block& block) {
  std::optional<WriteGate::Closed> alone;  // before the lock, which who writes may need
  if (!in_slab(block) && !is_shared(block)) alone.emplace();
  std::lock_guard lock(mutex_);
  if (in_slab(block)) {
    const auto backing = slabs_->backing(block.base);
    if (backing.file) return Shared{backing.file->fd(), backing.offset};
    return Status{ACL_ERROR_RT_PARAM_INVALID, "the block belongs to the process that forked this one"};
  }
  if (const auto found = shared_.find(block.base); found != shared_.end()) return Shared{found->second.fd(), 0};
  const bool opaque = is_opaque(block.base);
  const size_t bytes = opaque ? opaque_memory().bytes_of(block.base) : page_cache().mapped_bytes(block.base);
  if (bytes == 0) return Status{ACL_ERROR_RT_PARAM_INVALID, "the block has been freed"};
  auto file = SharedFile::create("belay-device", bytes);
  std::byte* copy = file ? file->map(0, bytes) : nullptr;
  if (!copy)
    return Status{ACL_ERROR_RT_MEMORY_ALLOCATION,
                  formatted("the host cannot share {} bytes", bytes) + file_limit_text()};
  copy_memory(copy, block.base, block.size);
  std::byte* moved = file->map(0, bytes, host_view(block.base));
  munmap(copy, bytes);
  if (!moved) return Status{ACL_ERROR_RT_MEMORY_ALLOCATION, formatted("the host cannot share {} bytes", bytes)};
  return Shared{shared_.emplace(block.base, std::move(*file)).first->second.fd(), 0};
}

bool Heap::is_shared(const Block& block) const {
  std::lock_guard lock(mutex_);
  return shared_.contains(block.base);
}

uint64_t Heap::used() const {
  std::lock_guard lock(mutex_);
  return used_;
}

std::vector<MemoryUse> Heap::uses() const {
  std::lock_guard lock(mutex_);
  std::vector<MemoryUse> all;
  for (const auto& [owner, use] : uses_) all.push_back(use);
  return all;
}

void Heap::after_fork(bool child) {
  if (child) {
    (void)slabs_.release();  // its blocks stay readable; what is freed of them is forgotten
    slabs_ = std::make_unique<Slabs>(device_);
  }
  mutex_.unlock();
}

Heap& device_heap(int device) { return Heaps::all().of(device); }

Status free_device_memory(void* pointer) {
  const Block block = TRY(blocks().take(pointer, {BlockKind::Device, BlockKind::Managed}));
  if (block.kind == BlockKind::Managed) managed_ranges().forget(block.base);
  device_heap(block.device).release(block);
  return {};
}

std::optional<size_t> padded_size(size_t size) {
  if (size > std::numeric_limits<size_t>::max() - 2 * kTail) return {};
  return (size + 2 * kTail - 1) / kTail * kTail;
}

std::optional<size_t> rounded_size(size_t size) {
  if (size > std::numeric_limits<size_t>::max() - kTail) return {};
  return rounded_up(size, kTail);
}

}  // namespace belay
