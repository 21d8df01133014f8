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

// What became of the blocks of opaque memory: for the message about who touched one. Safe from any thread.
class BlockHistory {
 public:
  // By the calling thread, now.
  void made(const Block& block);
  void ended(const void* base);

  struct Entry {
    Block block;
    Moment made, ended;
  };
  // The last block that starts at or before the address, in a signal handler. False when there is none, or the
  // history cannot be looked at because the interrupted thread is writing it.
  bool find(const void* address, Entry& found) const;

  // Held over fork().
  std::mutex& mutex() const { return mutex_; }

 private:
  Moment now_locked(const Backtrace& calls, std::string python);

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::map<const std::byte*, Entry> entries_;
  std::deque<const std::byte*> ended_;                    // the oldest first
  std::map<std::string, std::unique_ptr<Stack>> stacks_;  // by their content; most blocks are made in few places
};

BlockHistory& block_history();

}  // namespace belay
