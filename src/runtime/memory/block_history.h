// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/endings/backtrace.h"
#include "runtime/memory/block_index.h"

namespace belay {

// Who did something to a block, and when.
struct Stack {
  Backtrace calls;
  std::string python;  // lines of Python code; empty in programs that have none
};
struct Moment {
  timespec time{};               // CLOCK_MONOTONIC
  const Stack* stack = nullptr;  // null: it has not happened
};

// A piece of opaque memory and what became of it.
struct PastBlock {
  Block block;
  Moment made, ended;
};

// Where an address lies, as far as it is remembered.
enum class Whereabouts : uint8_t {
  Nowhere,    // far from anything
  Inside,     // of a block
  Past,       // behind the end of the nearest block
  Below,      // before the start of the nearest block
  Reserved,   // in addresses of aclrtReserveMemAddress where nothing is mapped: they are the block
  Forgotten,  // of a block that was freed too long ago to know which it was
  Unknown     // the interrupted thread is writing the history: it cannot be looked at
};

// Pieces that do not overlap, the ended ones too: the last `most_ended` of them, of the others only where they were.
class PastBlocks {
 public:
  explicit PastBlocks(size_t most_ended) : most_ended_(most_ended) {}
  // Pieces that were at these addresses before are forgotten.
  void made(const Block& block, const Moment& now);
  void ended(const std::byte* base, const Moment& now);

  // The last one that starts at or before the address, the first one that starts behind it; null: there is none.
  const PastBlock* at_or_before(const std::byte* address) const;
  const PastBlock* behind(const std::byte* address) const;
  bool forgotten(const std::byte* address) const;

 private:
  void forget(const Block& block);
  void remember(const Block& block);

  size_t most_ended_;
  std::map<const std::byte*, PastBlock> known_;
  std::deque<const std::byte*> ended_;                      // the oldest first
  std::map<const std::byte*, const std::byte*> forgotten_;  // starts and ends; a known one is between any two
};

// What became of the blocks of opaque memory: for the message about who touched one. Safe from any thread.
class BlockHistory {
 public:
  // Of blocks that were freed, the last so many are known.
  static constexpr size_t kMostEnded = size_t{1} << 18;
  explicit BlockHistory(size_t most_ended = kMostEnded) : blocks_(most_ended), reservations_(most_ended) {}

  // By the calling thread, now.
  void made(const Block& block);
  void ended(const void* base);
  // The same for addresses that were only reserved; blocks may lie in them.
  void reserved(const Block& addresses);
  void released(const void* base);

  // In a signal handler. `found` is set for Inside, Past, Below and Reserved.
  Whereabouts find(const void* address, PastBlock& found) const;

  // Held over fork().
  std::mutex& mutex() const { return mutex_; }

 private:
  Moment now_locked(const Backtrace& calls, std::string python);
  Whereabouts find_locked(const std::byte* address, PastBlock& found) const;
  template <class Note>
  void note(Note note);

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  PastBlocks blocks_, reservations_;
  std::map<std::string, std::unique_ptr<Stack>> stacks_;  // by their content; most blocks are made in few places
};

BlockHistory& block_history();

}  // namespace belay
