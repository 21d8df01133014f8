// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <mutex>

namespace belay {

// Keeps out those who write to device memory while a block of it moves: tasks of streams, and calls that write on the
// program's own thread. What waits does not write, and is not waited for. Safe from any thread.
class WriteGate {
 public:
  // While it lives, the calling thread may write. Waits while the gate is closed. It may be nested.
  class Writing {
   public:
    Writing();
    ~Writing();
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;
  };
  // While it lives, nobody else writes: waits for those who do. It must hold no lock that they may need.
  class Closed {
   public:
    Closed();
    ~Closed();
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

   private:
    const bool was_inside_;
  };

  // The calling thread's task waits from now on, and writes no more.
  void step_out();
  // It has waited, and writes again. Waits while the gate is closed.
  void step_in();
  // In a forked child: the other threads are gone.
  void forget_others();

 private:
  struct alignas(64) Slot {
    std::atomic<int> writers{0};
  };
  void enter();
  void leave();
  Slot& own_slot();

  std::array<Slot, 64> slots_;  // threads share them, few each
  std::atomic<bool> closed_{false};
  std::mutex closing_;  // one at a time
};

WriteGate& write_gate();

}  // namespace belay
