// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace belay {

enum class BlockKind : uint8_t {
  Device,      // aclrtMalloc and its relatives, models
  Pool,        // aclrtMemPoolMallocAsync
  Managed,     // aclrtMemAllocManaged
  Mapped,      // aclrtMapMem
  Imported,    // aclrtIpcMemImportByKey
  Host,        // aclrtMallocHost
  Registered,  // aclrtHostRegister
  Unallocated  // ours, but not given out: freed, or reserved and not mapped
};

// One piece of memory that this library knows.
struct Block {
  std::byte* base = nullptr;
  size_t size = 0;     // bytes that the program may use
  size_t charged = 0;  // bytes of the device's memory that it takes
  BlockKind kind = BlockKind::Device;
  int device = -1;         // -1: host memory
  uint32_t flags = 0;      // of a registration: ACL_HOST_REG_*; of a mapping: ACL_RT_MEM_ACCESS_FLAGS_*
  const char* owner = "";  // the call or the model that took it; lives for ever

  std::byte* end() const { return base + size; }
  bool on_device() const { return device >= 0; }
};

// Blocks in the order of their addresses; no two overlap. Not safe from several threads.
class BlockIndex {
 public:
  void insert(const Block& block);
  // The block that holds the address; null when none does. Good until the next insert or erase.
  const Block* find(const void* address) const;
  // Whether any block shares a byte with the range.
  bool overlaps(const void* base, size_t size) const;
  // Takes out the block that starts exactly there.
  std::optional<Block> erase(const void* base);
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  // A sorted piece of the whole. The addresses are kept apart from the blocks: searching touches few cache lines.
  struct Run {
    std::vector<uintptr_t> bases;
    std::vector<Block> blocks;
  };
  size_t run_of(uintptr_t address) const;
  void split(size_t run);
  void join_with_next(size_t run);

  std::vector<uintptr_t> firsts_;  // the first address of each run
  std::vector<Run> runs_;          // none is empty
  size_t size_ = 0;
};

}  // namespace belay
