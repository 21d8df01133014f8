// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <semaphore.h>
#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/threads/signal_lock.h"
#include "dump/writing/outgoing.h"

namespace belay::dump {

// A queue and the threads that consume it; they start with the first item. With one thread, items are consumed in
// order. A process that was forked from the one whose threads they are cannot use it. Safe from any thread.
class OutgoingQueue {
 public:
  // Gets an item out: 0 or an error number. Throws nothing.
  using Consume = std::function<int(Outgoing&)>;
  // Hears of an item that could not be got out, before it is let go.
  using Failed = std::function<void(const Outgoing&, int error)>;
  // `name` is that of the threads; `uninterrupted`: they take no signals.
  OutgoingQueue(const char* name, size_t threads, bool uninterrupted, Consume consume, Failed failed);
  ~OutgoingQueue();
  OutgoingQueue(const OutgoingQueue&) = delete;
  OutgoingQueue& operator=(const OutgoingQueue&) = delete;

  // Moves the item into the queue. False, and the item is as it was, when nobody would consume it: no thread could be
  // started, this is a forked process, or the queue is closed. `finished` is for wait().
  bool submit(Outgoing& item, bool* finished = nullptr);
  // The same without waking a thread, for whoever calls consume_one() soon: the threads come only after a while.
  bool submit_quietly(Outgoing& item);
  // Until the item that was submitted with this has been consumed and let go.
  void wait(const bool& finished);
  // Consumes the next item on the calling thread; false when there is none.
  bool consume_one();
  // Until everything that was submitted before has been consumed and let go. Returns at once on a thread of this queue.
  void drain();
  // Takes nothing more.
  void close();
  void open();
  // Closes it, consumes everything that was submitted before, here, and waits for what others have begun, but no longer
  // than `patience_s` without any progress. Neither allocates nor frees anything, and waits for nobody who may: what
  // was consumed is let go later by the queue's threads. For the end of a process, whatever its other threads hold.
  void finish(int patience_s);
  bool on_own_thread() const;
  // How many items were consumed.
  uint64_t consumed() const { return consumed_count_; }

 private:
  struct Node;

  bool add(Outgoing& item, bool quietly, bool* finished);
  bool start_threads();
  void work();
  Node* take();
  bool append(Node* node, bool& first);
  void consume(Node& node);
  void let_go(Node* node);
  void let_go_of_done();
  bool others_have_begun();
  bool forked() const;
  void call(size_t threads);

  const char* const name_;
  const size_t thread_count_;
  const bool uninterrupted_;
  const Consume consume_;
  const Failed failed_;
  std::atomic<pid_t> owner_{0};
  std::atomic<uint64_t> consumed_count_{0};
  std::atomic<bool> ending_{false};
  std::atomic<bool> called_{false};  // the threads are to consume what there is
  sem_t work_;                       // for the threads

  SignalLock lock_;
  // Guarded by lock_. All that were not let go, in their order; the first that nobody has taken; those that finish()
  // consumed.
  Node *oldest_ = nullptr, *newest_ = nullptr, *next_ = nullptr, *done_ = nullptr;
  uint64_t last_ = 0;
  bool closed_ = false;

  std::mutex mutex_;
  std::condition_variable let_go_;    // of an item
  std::vector<std::thread> threads_;  // guarded by mutex_
};

}  // namespace belay::dump
