// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/status.h"
#include "runtime/handle_table.h"
#include "runtime/memory/memory_pass.h"
#include "runtime/memory/shared_file.h"

namespace belay {

// What physical memory is made of.
struct PhysicalTraits {
  int device = -1;                              // user id; -1: host memory
  uint32_t attribute = 0;                       // aclrtMemAttr
  uint32_t handle_type = 0;                     // aclrtMemHandleType
  uint32_t location_id = 0, location_type = 0;  // aclrtMemLocation, as given
};

// Memory without an address: mapped into reserved addresses (virtual_memory.h), shown to other processes. It lives as
// long as a handle or a mapping holds it. Safe from any thread.
class PhysicalMemory {
 public:
  // 207001 when the device or the host has not that much left.
  static Result<std::shared_ptr<PhysicalMemory>> make(size_t size, const PhysicalTraits& traits);
  // What another process (or this one) exported. See MemoryPass::open for the errors.
  static Result<std::shared_ptr<PhysicalMemory>> import(uint64_t shareable, int device);
  ~PhysicalMemory();

  // A number by which other processes import the memory while this one keeps it.
  Result<uint64_t> share(bool for_everybody);

  size_t size() const { return size_; }
  const PhysicalTraits& traits() const { return traits_; }
  const SharedFile& file() const { return file_; }

 private:
  PhysicalMemory(size_t size, const PhysicalTraits& traits, SharedFile file, bool charged)
      : size_(size), traits_(traits), file_(std::move(file)), charged_(charged) {}

  const size_t size_;
  const PhysicalTraits traits_;
  const SharedFile file_;
  const bool charged_;  // to the heap of its device
  std::mutex mutex_;
  std::vector<std::shared_ptr<MemoryPass>> passes_;  // guarded by mutex_
};

// Admits processes to memory that this process shares: 107000 when it does not.
Status admit_to_shareable(uint64_t shareable, std::span<const int32_t> pids);

HandleTable<PhysicalMemory>& physical_memory_table();
// 107017 for a handle that is dead or something else.
Result<std::shared_ptr<PhysicalMemory>> find_physical_memory(const void* handle);

}  // namespace belay
