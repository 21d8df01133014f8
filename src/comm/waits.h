// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <list>
#include <mutex>
#include <string>

#include "comm/board.h"
#include "runtime/stream/stream.h"

namespace belay::comm {

// Which ranks of this process sleep, and whom they wait for. A circle of them is a deadlock; what a missing rank does
// instead is told from here. Safe from any thread.
class Waits {
 public:
  struct Wait {
    Board* board;
    Stream* stream;
    uint32_t rank, peer;
    Call call;
    uint64_t number;  // of a collective operation; 0 for a message between two ranks
    std::chrono::steady_clock::time_point since;

    // "rank 0 of communicator A waits in AllReduce(count 8, fp32, sum), its operation 3, for rank 1".
    std::string text() const;
  };
  using Entry = std::list<Wait>::iterator;

  Entry add(Wait wait);
  void remove(Entry entry);

  // The waits that lead from the one of this board and rank back to it, in words; empty when there is no such circle.
  // A rank that has not called what is waited for may still do so: such a circle counts only when each stream in it is
  // itself waited for by its program, and has lasted `patience`.
  std::string circle(const Board& board, uint32_t rank, std::chrono::seconds patience) const;

  // Why `rank` is not where another waits for it: what it called last, and what it does now.
  std::string absence(Board& board, uint32_t rank, uint64_t number) const;

 private:
  using Path = std::list<const Wait*>;
  bool leads_back(const Wait& from, Path& path, std::chrono::steady_clock::time_point before) const;
  static bool blocks(const Wait& from, const Wait& to, std::chrono::steady_clock::time_point before);

  mutable std::mutex mutex_;
  std::list<Wait> waits_;  // guarded by mutex_
};

Waits& waits();

}  // namespace belay::comm
