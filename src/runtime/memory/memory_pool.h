// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "base/status.h"
#include "runtime/handle_table.h"
#include "runtime/memory/blocks.h"

namespace belay {

class Stream;

// Memory of one device that is taken and given back in the order of streams. What is given back is kept for reuse: by
// the same stream at once (its later tasks come after the earlier users), by others when the stream has got that far.
// Every synchronize gives what is kept beyond the threshold back to the device. Safe from any thread.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  // `limit`: the most that the pool may hold, 0 for no limit of its own.
  MemoryPool(int device, uint64_t limit) : device_(device), limit_(limit) {}
  ~MemoryPool();

  // An address that tasks launched on the stream from now on may use. 207001 when pool, device or host have no more.
  Result<void*> allocate(size_t size, const Stream& stream);
  // Gives kept memory back to the device until the pool holds no more than `keep`, as far as streams have let go of it.
  void trim(uint64_t keep);
  void trim_to_threshold() { trim(threshold); }

  uint64_t reserved() const;  // held from the device: used and kept
  uint64_t used() const;
  uint64_t reserved_high() const;
  uint64_t used_high() const;
  void reset_reserved_high();
  void reset_used_high();

  std::atomic<uint64_t> threshold{0};
  std::atomic<int32_t> follow_events{1};
  std::atomic<int32_t> opportunistic{1};  // may one stream reuse what another is done with?
  std::atomic<int32_t> internal_dependencies{1};

 private:
  friend Status free_to_pool(void* pointer, Stream& stream);
  struct Kept {
    Block block;
    const void* freed_on;                     // handle of the stream
    std::shared_ptr<std::atomic<bool>> done;  // whether that stream has got so far
  };
  Result<Block> take(size_t capacity, const Stream& stream);
  Result<Block> take_new(size_t capacity);
  void trim_locked(uint64_t keep);
  void keep(const Block& block, const Stream& stream, std::shared_ptr<std::atomic<bool>> done);

  const int device_;
  const uint64_t limit_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::deque<Kept> kept_;  // oldest first
  uint64_t reserved_ = 0, reserved_high_ = 0;
  uint64_t used_ = 0, used_high_ = 0;
};

// Ends a block from any pool when the stream reaches this point; the address is dead at once. 107000 for other
// addresses.
Status free_to_pool(void* pointer, Stream& stream);

HandleTable<MemoryPool>& memory_pool_table();
// 107017 for a handle that is dead or something else.
Result<std::shared_ptr<MemoryPool>> find_memory_pool(const void* handle);

}  // namespace belay
