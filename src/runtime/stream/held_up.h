// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>

namespace belay {

class Stream;

// Which streams wait for an event without a limit, and on which stream it was recorded: what is queued on the one comes
// after what runs on the other. Streams are only compared. Safe from any thread.
class HeldUp {
 public:
  // While it lives, `stream` waits for what `by` will reach; null: for what nobody has recorded.
  class Waiting {
   public:
    Waiting(const Stream* stream, const Stream* by);
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    const Stream* const stream_;
  };

  // Whether `stream` is `by`, or goes on only after what `by` does now.
  bool behind(const void* stream, const void* by) const;

 private:
  mutable std::mutex mutex_;
  std::map<const void*, const void*> by_;  // guarded by mutex_
};

HeldUp& held_up();

}  // namespace belay
