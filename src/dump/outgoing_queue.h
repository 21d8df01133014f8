// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "dump/outgoing.h"

namespace belay::dump {

// A queue and the threads that consume it; they start with the first item. With one thread, items are consumed in
// order. A process that was forked from the one whose threads they are cannot use it. Safe from any thread.
class OutgoingQueue {
 public:
  using Consume = std::function<void(Outgoing&)>;
  OutgoingQueue(const char* name, size_t threads, Consume consume)
      : name_(name), thread_count_(threads), consume_(std::move(consume)) {}
  ~OutgoingQueue();
  OutgoingQueue(const OutgoingQueue&) = delete;
  OutgoingQueue& operator=(const OutgoingQueue&) = delete;

  // Takes the item; its number, or 0 in a forked process, where nobody would consume it.
  uint64_t submit(Outgoing item);
  // The same without waking a thread, for whoever calls consume_one() soon: the threads come only after a while.
  uint64_t submit_quietly(Outgoing item);
  // Consumes the next item on the calling thread; false when there is none.
  bool consume_one();
  // Until that item has been consumed and let go.
  void wait(uint64_t number);
  // Until everything that was submitted before has been. Returns at once on a thread of this queue.
  void drain();
  bool on_own_thread() const;

 private:
  uint64_t add(Outgoing item, bool quietly);
  void work();
  void consume_next(std::unique_lock<std::mutex>& lock);
  bool forked() const;

  const char* const name_;
  const size_t thread_count_;
  const Consume consume_;
  mutable std::mutex mutex_;
  std::condition_variable added_, consumed_;
  // Guarded by mutex_.
  std::deque<std::pair<uint64_t, Outgoing>> items_;
  std::set<uint64_t> unfinished_;
  uint64_t last_ = 0;
  bool ending_ = false;
  bool called_ = false;  // the threads are to consume what there is
  std::vector<std::thread> threads_;
  std::atomic<pid_t> owner_{0};
};

}  // namespace belay::dump
