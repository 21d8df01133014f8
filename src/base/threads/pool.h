// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The threads that the loops of this process share: one less than usable_cores(), since whoever opens a loop works in
// it too. They start when they are first wanted. Loops of several threads are open at the same time; a free thread goes
// to the one that has fewest. A thread that finds nothing to do spins for some tens of microseconds, unless the machine
// is busy, and then sleeps. Nobody waits for a thread that does not come: whoever opened the loop does its work
// meanwhile. A forked process has a pool of its own. Signals of the process are not for these threads: they block them.
namespace belay {

// Work that several threads share. It must all be done when work(0) returns and those that came have returned.
class SharedWork {
 public:
  virtual void work(int64_t member) = 0;  // called once for each member that comes

 protected:
  ~SharedWork() = default;
};

// Calls work(0) here, and work(1), work(2), ... below `members` on the threads of the pool that come before the first
// call returns. Returns when all of them have. An exception of any of them is thrown here; a signal that trapped() of
// this thread would survive ends that call, whoever it hit.
void work_together(int64_t members, SharedWork& work);

// Ends the threads of the pool, each as soon as it has nothing to do; the next loop starts new ones. A process whose
// main thread has left by pthread_exit lives as long as any thread does.
void end_pool_threads();

// Whether this thread is inside of work_together: it does not share what it does any further.
bool works_together();

// Since the process began.
struct PoolCounters {
  uint64_t loops = 0;   // that were opened to other threads
  uint64_t pieces = 0;  // that these had
  uint64_t helped = 0;  // times that a thread of the pool came
  uint64_t woken = 0;   // times that threads were woken for one
};
PoolCounters pool_counters();
void count_pieces(uint64_t pieces);

}  // namespace belay
