// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "comm/waiting/board.h"
#include "runtime/stream/stream.h"

namespace belay::comm {

// Waits that lead back to where they began: in words, and the keys of their communicators.
struct Circle {
  std::string text;
  std::vector<std::string> keys;
};

// What is known of a possible circle of waits, on its way from process to process.
struct Trail {
  std::string origin;  // the process where it began
  uint64_t wait = 0;   // with which wait
  Circle path;         // the waits so far
  // Whom the last of them waits for, in which operation, and for how long.
  std::string key;
  uint32_t peer = 0;
  uint64_t number = 0;
  std::chrono::milliseconds age{0};
  // In a message to or from whom, and which.
  uint32_t rank = 0;
  bool sends = false;
  uint64_t message = 0;
};

// Which ranks of this process sleep, and whom they wait for. A circle of them is a deadlock; what a missing rank does
// instead is told from here. Safe from any thread.
class Waits {
 public:
  struct Wait {
    Board* board;
    const std::string* key;  // of the communicator, as other processes know it
    Stream* stream;
    uint32_t rank, peer;
    Call call;
    uint64_t number;  // of a collective operation; 0 for a message between two ranks
    std::chrono::steady_clock::time_point since;
    uint64_t id = 0;       // given by add()
    Circle circle = {};    // that leads through other processes, once it is known
    uint64_t message = 0;  // the number among those between the two ranks; 0 for a collective operation

    // "rank 0 of communicator A waits in AllReduce(count 8, fp32, sum), its operation 3, for rank 1".
    std::string text() const;
  };
  using Entry = std::list<Wait>::iterator;

  Entry add(Wait wait);
  void remove(Entry entry);
  // Whom it waits for now.
  void set_peer(Entry entry, uint32_t peer);

  // The waits that lead from this one back to it; no text when no such circle is known. A rank that has not
  // called what is waited for may still do so: such a circle counts only when each stream in it is itself waited for by
  // its program, and has lasted kPatience.
  Circle circle(Entry entry) const;

  // Where a circle leads through other processes, its trail is sent from one to the next. What is to be sent on, from a
  // wait that begins one, and from a trail that came in and goes on at `board`. A trail that came back to where it
  // began is kept there as a circle.
  std::vector<Trail> begin_trail(Entry entry, const std::string& own_process) const;
  std::vector<Trail> follow_trail(Board& board, const Trail& trail, const std::string& own_process);

  // Why `rank` is not where another waits for it: what it called last, what it does now, where its thread is.
  // The last takes a while, and can be left out.
  std::string absence(Board& board, uint32_t rank, uint64_t number, bool with_stack = true) const;

 private:
  using Path = std::list<const Wait*>;
  bool leads_back(const Wait& from, Path& path) const;
  static bool blocks(const Wait& from, const Wait& to);
  void walk(const Wait& from, const Trail& trail, const std::string& own_process, std::vector<Trail>& onward);
  static void add_to(Circle& path, const Wait& wait);
  static Trail onto(Trail trail, const Wait& wait);

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::list<Wait> waits_;
  uint64_t last_id_ = 0;
};

Waits& waits();

}  // namespace belay::comm
