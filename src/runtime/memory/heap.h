// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "runtime/memory/blocks.h"
#include "runtime/memory/shared_file.h"
#include "runtime/memory/slabs.h"

namespace belay {

// What one owner has of a device's memory, now and at most.
struct MemoryUse {
  const char* owner;
  uint64_t current;
  uint64_t peak;
};

// The memory of one simulated device: ordinary memory, counted against the device's size. Safe from any thread.
class Heap {
 public:
  Heap(int device, uint64_t limit) : device_(device), limit_(limit), slabs_(new Slabs(device)) {}

  // A block of `size` bytes, counted as `charged` bytes, known to blocks() from then on. Not zeroed; aligned to 64, to
  // 512 from 512 bytes on; at least 32 bytes behind it may be read. `owner` lives for ever (lasting_owner).
  // 207001, with the sizes, when the device or the host has not that much left.
  Result<void*> allocate(size_t size, size_t charged, const char* owner, BlockKind kind = BlockKind::Device);
  // The same without making it known.
  Result<Block> take(size_t size, size_t charged, const char* owner, BlockKind kind);
  // Ends a block of this heap, as take made it; blocks() does not know it (any more).
  void release(const Block& block);

  // Counts memory of the device that lies elsewhere.
  Status charge(uint64_t bytes, const char* owner);
  void discharge(uint64_t bytes, const char* owner);

  // The shared file that holds the block from now on. Its bytes stay, its address too; a large block moves there when
  // it is first asked for, and who writes to device memory waits meanwhile (WriteGate). Valid while the block lives.
  // 207001 when the host refuses.
  struct Shared {
    int fd;
    size_t offset;
  };
  Result<Shared> share(const Block& block);

  uint64_t limit() const { return limit_; }
  uint64_t used() const;
  std::vector<MemoryUse> uses() const;

  // Around fork(): the child starts with arenas of its own, so that the two do not write into each other's blocks.
  void before_fork() { mutex_.lock(); }
  void after_fork(bool child);

 private:
  std::byte* place(size_t bytes, BlockKind kind);
  bool is_shared(const Block& block) const;
  Status charge_locked(uint64_t bytes, const char* owner);
  void discharge_locked(uint64_t bytes, const char* owner);

  const int device_;
  const uint64_t limit_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::unique_ptr<Slabs> slabs_;
  std::unordered_map<std::byte*, SharedFile> shared_;  // large blocks that became files
  uint64_t used_ = 0;
  std::map<const char*, MemoryUse> uses_;
};

// The heap of a device by its user id.
Heap& device_heap(int device);

// Ends a block from Heap::allocate: 107000, with what the address is, for anything else.
Status free_device_memory(void* pointer);

// What a request takes of a device: with a tail that vector code may read, or rounded up to 32 only. Nothing when that
// overflows.
std::optional<size_t> padded_size(size_t size);
std::optional<size_t> rounded_size(size_t size);

}  // namespace belay
