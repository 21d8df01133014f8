// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/threads/many_readers.h"
#include "runtime/memory/block_index.h"

namespace belay {

// Where an address lies.
enum class Place : uint8_t {
  Device,
  Pinned,      // host memory that devices reach: allocated or registered with us
  Pageable,    // any other address: ordinary host memory
  Unallocated  // ours, but no block holds it: freed, or reserved and not mapped
};

enum class Use : uint8_t { Read, Write };

// An address looked up: its place and, unless pageable, the block around it.
struct Site {
  Place place = Place::Pageable;
  Block block;
};

// All memory that the process has from us, by address. Safe from any thread; looking up is cheap.
class Blocks {
 public:
  void add(const Block& block);
  // The same for memory that the program brings along: 107000 when any byte of it is known already.
  Status add_foreign(const Block& block);
  // Takes out the block that starts at `base`: of two threads that free it one wins. 107000 with what the address
  // really is when no block of those kinds starts there.
  Result<Block> take(const void* base, std::initializer_list<BlockKind> kinds);

  // Changes the flags of the block that starts at `base`, if there is one.
  void set_flags(const void* base, uint32_t flags);

  // Says that a range is ours whether or not blocks lie in it; `what` lives for ever.
  void claim(std::byte* base, size_t size, int device, const char* what);
  void disclaim(std::byte* base);

  Site locate(const void* address) const;
  // 107000, with both sizes and the owner, when `bytes` from `start` leave the block of `site` (BELAY_STRICT=1 lets
  // them); also when no block is there any more, or it is mapped without that access. `parameter` names the range in
  // the message.
  Status check_range(const Site& site, const void* start, size_t bytes, const char* parameter,
                     Use use = Use::Read) const;
  Status check_range(const void* start, size_t bytes, const char* parameter, Use use = Use::Read) const {
    return check_range(locate(start), start, bytes, parameter, use);
  }
  // "device memory (1024 bytes of device 0, from aclrtMalloc)" and the like.
  std::string describe(const void* address) const;

  // Around fork(): the child finds the index whole.
  void before_fork() { mutex_.lock(); }
  void after_fork(bool child);

 private:
  Site locate_locked(const void* address) const;
  const Block* claim_around(const void* address) const;
  std::string why_not(const void* base) const;
  Status check_mapped(Block block, const void* start, size_t bytes, const char* parameter, Use use) const;

  mutable ManyReaders mutex_;
  // Guarded by mutex_.
  BlockIndex live_;
  BlockIndex claimed_;
  std::array<Block, 64> freed_;  // the last ones, for messages
  size_t freed_count_ = 0;
};

Blocks& blocks();

// A copy of the text that lives for ever, one per text: for Block::owner.
const char* lasting_owner(std::string_view text);

}  // namespace belay
