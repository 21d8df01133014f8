// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "base/status.h"
#include "runtime/stream/signal.h"

namespace belay {

class ReportQueue;

// A user's function and what it is called with.
struct Callback {
  void (*fn)(void*) = nullptr;
  void* user_data = nullptr;
};

// A stream's tie to the queue of the thread that serves it. Its callbacks die with it.
struct Subscription {
  Subscription(std::shared_ptr<ReportQueue> queue, bool by_runtime) : queue(std::move(queue)), by_runtime(by_runtime) {}

  std::shared_ptr<ReportQueue> queue;
  const bool by_runtime;  // made by aclrtLaunchHostFunc, not by aclrtSubscribeReport
  // Guarded by the queue's mutex.
  bool active = true;
  int running = 0;  // callbacks that have started and not returned

  // BLOCK callbacks: how many were launched, how many of them have returned or been dropped. They end in order.
  std::atomic<uint64_t> blocks_launched{0};
  std::atomic<uint64_t> blocks_over{0};
};

// The callbacks that are ready for one serving thread, in the order in which they became ready. Safe from any thread.
class ReportQueue {
 public:
  explicit ReportQueue(uint64_t thread_id) : thread_id_(thread_id) {}

  uint64_t thread_id() const { return thread_id_; }

  // A serving thread belongs to one device while it serves any stream: 107012 for another.
  static Result<std::shared_ptr<Subscription>> subscribe(std::shared_ptr<ReportQueue> queue, int device,
                                                         bool by_runtime);
  // Drops the callbacks that have not started and says how many. Waits for one that runs, but not when called from
  // inside and not for ever: a callback may itself wait for a lock that the caller holds (Python's).
  size_t cancel(Subscription& subscription);

  // Appends a callback; the caller keeps the queue alive. `returned`, if any, is set when it has returned or been
  // dropped: it is a BLOCK callback.
  void post(std::shared_ptr<Subscription> subscription, Callback callback, std::shared_ptr<Signal> returned);
  // Drops the callback that would set `returned`; false when it has started.
  bool withdraw(const Signal& returned);

  // Runs all callbacks that are ready, on the calling thread; waits for one when there is none.
  // 107012 while no stream is subscribed, 507012 when the time is over.
  Status process(Timeout timeout);

  // The life of a thread that does nothing but serve: runs callbacks as they come, until `end`.
  void serve();
  void end();

  bool unused() const;

 private:
  struct Report {
    std::shared_ptr<Subscription> subscription;
    Callback callback;
    std::shared_ptr<Signal> returned;  // null: nobody waits
  };
  Status await_report(std::unique_lock<std::mutex>& lock, Timeout timeout);
  void spin_for_report(std::unique_lock<std::mutex>& lock);
  static void finish(Report& report);
  void run_front(std::unique_lock<std::mutex>& lock);

  const uint64_t thread_id_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;     // something to run, or no stream left
  std::condition_variable finished_;  // a callback has returned
  // Guarded by mutex_.
  std::deque<Report> reports_;
  int subscriptions_ = 0;
  bool waiting_ = false;
  bool ended_ = false;
  int device_ = -1;

  std::atomic<size_t> ready_count_{0};  // size of reports_, for the spinning server
};

// The queue of the thread with this pthread id, made when first asked for: 507000 when there are too many.
Result<std::shared_ptr<ReportQueue>> report_queue_of(uint64_t thread_id);
// The calling thread's queue, if any stream is or was subscribed to it.
std::shared_ptr<ReportQueue> own_report_queue();

}  // namespace belay
