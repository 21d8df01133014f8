// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Work in steps that several threads share, each step of which needs all of the one before: one loop of the pool for
// all of them, since calling threads for each would cost more than a short step does.
namespace belay {

// Nothing here may throw. What a step reads must not change any more once a later one may run: a thread that was
// displaced can still be reading it.
class SteppedWork {
 public:
  // Computes a piece of a step into memory of the member's own. Two members may be at the same piece, and what it
  // becomes must not depend on who they are.
  virtual void compute(int64_t step, int64_t piece, int64_t member) = 0;
  // Puts what the member computed last where later steps find it. For each piece one member does.
  virtual void publish(int64_t step, int64_t piece, int64_t member) = 0;

 protected:
  ~SteppedWork() = default;
};

// Does all steps of `pieces` pieces each, on this thread and up to `members` - 1 others. Each begins with another
// piece, the same in every step, so that what a piece reads stays in its cache. A piece whose thread was displaced is
// computed again by one that waits for it.
void run_steps(int64_t steps, int64_t pieces, int64_t members, SteppedWork& work);

}  // namespace belay
