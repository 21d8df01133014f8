// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

// A forked process has none of its parent's threads, and what they had locked stays locked. So the child of a process
// that has threads of ours is an orphan: it has no device, and whatever needs one is refused.
namespace belay {

inline std::atomic<bool> orphan{false};  // set by fork only

// Whether this process was forked from one that had threads of ours.
inline bool orphaned() { return orphan.load(std::memory_order_relaxed); }

// Processes that are forked from now on are orphans: called before the first thread starts.
void expect_threads();

// What every error of an orphan ends with.
inline constexpr const char* kOrphaned =
    "this process was forked from one that used a device, and has none itself: fork before the first aclrtSetDevice, "
    "or "
    "start a new program (Python: multiprocessing's \"spawn\")";

}  // namespace belay
