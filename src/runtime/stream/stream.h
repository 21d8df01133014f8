// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/status.h"
#include "runtime/stream/report_queue.h"
#include "runtime/stream/signal.h"
#include "runtime/stream/task.h"

namespace belay {

class Context;

// What a stream is created with; the flags are the ACL_STREAM_* bits.
struct StreamOptions {
  uint32_t priority = 0;  // 0 highest … 7 lowest
  uint32_t flags = 0;
};

// A queue of tasks and the worker thread that runs them, one after the other. The worker starts with the first task.
// Safe from any thread.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(std::shared_ptr<Context> context, int32_t id, StreamOptions options);
  ~Stream();

  // Queues a task. Fails with the context's error once that has become sticky, and with 107017 after close.
  // Waits only when the queue is full. The id of the task is left for last_task_id().
  Status launch(Task task);
  // The same with a task that is made once there is room for it, under the stream's lock: what `make` shows to others
  // is shown in the order of the tasks. Its error is returned, and nothing is queued then.
  struct Place;
  Status launch_made(const std::function<Result<Task>(const Place& place)>& make);
  // The same with a task that may be done on the calling thread: when the stream has nothing else to do, `attempt` is
  // called once the task is made, without the lock. When it returns true the task is done, and destroyed without being
  // called; otherwise it is queued, before all that was launched meanwhile.
  Status launch_or_do(const std::function<Result<Task>(const Place& place)>& make,
                      const std::function<bool()>& attempt);
  // Queues a task that is made so, and synchronizes up to it. 107000 where waiting could never end: none is made then.
  Status launch_and_synchronize(const std::function<Task()>& make, Timeout timeout = std::nullopt);

  // Waits for all that was queued before the call, then hands out the error that a task left (take_error).
  // 507046 when the time is over, 107000 where waiting could never end, the reason of the abort when aborted meanwhile.
  Status synchronize(Timeout timeout = std::nullopt);
  // The waiting alone: what a task left stays for the next synchronize.
  Status drain(Timeout timeout = std::nullopt);
  // The context's sticky error; else the error that a task left, once.
  Status take_error();

  // Whether all queued tasks have finished; the context's sticky error comes first.
  Result<bool> idle() const;

  // Drops what is queued and interrupts what waits; synchronize returns `reason`. The stream can be used again.
  void abort(aclError reason);
  // Keeps what is queued, but nothing more starts until abort.
  void stop();
  bool stopped() const { return stopped_; }
  // True for the one caller that is to destroy the stream.
  bool claim_end() { return !ending_.exchange(true); }
  // Ends the stream. What is still queued is dropped, callbacks included; later launches are refused. Idempotent.
  void close();

  // Inside a task of this stream: waits for `signal`; false when the stream was aborted or the time is over.
  bool await(Signal& signal, Timeout timeout = std::nullopt);
  // Inside a task of this stream: whether to give up waiting. For tasks that poll.
  const std::atomic<bool>& interrupted() const { return interrupted_; }
  // Whether somebody sleeps until a task of this stream is done.
  bool waited_for() const { return wanted_ != kNobodyWaits; }

  // A place on the stream, as far as the BLOCK callbacks before it are concerned.
  struct Place {
    std::shared_ptr<Subscription> subscription;
    uint64_t blocks = 0;
    // Whether the calling thread must run or end a callback before the stream gets there.
    bool needs_this_thread() const;
  };
  Place place() const;  // after all that is queued
  // 107000 when the stream gets to that place only after the calling thread did something, so that waiting for it here
  // would never end.
  Status check_can_wait(const Place& place) const;
  Status check_can_wait() const { return check_can_wait(place()); }

  // Ties the stream to a serving thread: 107011 when it is taken, 107012 for a thread that serves another device.
  Status subscribe(uint64_t thread_id);
  Status unsubscribe(uint64_t thread_id);
  // What launch_callback demands besides a subscription: 107000 without a function, 107011 for a host-function stream.
  Status check_callback(void (*fn)(void*)) const;
  // Queues a task that hands the callback to the serving thread; with `block`, later tasks wait until it returned.
  Status launch_callback(Callback callback, bool block);
  // The same on the context's own thread, always blocking.
  Status launch_host_function(Callback callback);

  const std::shared_ptr<Context>& context() const { return context_; }
  int32_t id() const { return id_; }
  // The task id of an operator that runs outside models: they count from 0 on each stream, in the order of the calls.
  uint32_t next_operator_id() { return operators_++; }
  uint32_t flags() const { return flags_; }
  // Whether results are clipped: the device's mode when the stream was made.
  bool saturates() const { return saturates_; }
  // PERSISTENT, CPU_SCHEDULE and DEVICE_USE_ONLY streams are never waited for.
  bool unwaited() const;
  void* handle() const { return handle_; }
  void set_handle(void* handle) { handle_ = handle; }  // once, before the stream is shown to anyone

  std::atomic<uint32_t> priority;
  std::atomic<uint32_t> overflow_switch{0};
  std::atomic<uint32_t> custom_tag{0};
  std::atomic<uint32_t> cache_op_info{0};

 private:
  static constexpr uint64_t kNobodyWaits = UINT64_MAX;

  Result<std::unique_lock<std::mutex>> enter();
  void append(Task task, std::unique_lock<std::mutex> lock);
  uint64_t count_task();
  bool nothing_to_do() const;
  void attempt_here(Task task, const std::function<bool()>& attempt, std::unique_lock<std::mutex> lock);
  bool attempted(const std::function<bool()>& attempt, uint64_t number) const;
  void put_first(Task task);
  void wake_worker(std::unique_lock<std::mutex> lock);
  Place place_locked() const;
  Status check_can_wait_locked(const Place& place) const;
  void work();
  bool take_batch(std::vector<Task>& batch);
  void run(Task& task, uint64_t number);
  bool dropped(uint64_t number) const;
  void hold_while_stopped(uint64_t number);
  void fail(uint64_t number, Status status);
  void keep_error(uint64_t number, Status status);
  void finish(uint64_t number);
  void wait_for_room(std::unique_lock<std::mutex>& lock);
  Status wait_for(uint64_t number, uint64_t aborts, Timeout timeout);
  Status tell_synchronized();
  void drop_queued();
  void await_callback(Signal& returned);
  std::shared_ptr<Subscription> subscription() const;
  std::shared_ptr<Subscription> end_subscription();
  std::vector<std::shared_ptr<Subscription>> end_subscriptions();
  Status launch_report(std::shared_ptr<Subscription> subscription, Callback callback, bool block);

  const std::shared_ptr<Context> context_;
  const int32_t id_;
  const uint32_t flags_;
  const bool saturates_;
  void* handle_ = nullptr;

  mutable std::mutex mutex_;
  std::condition_variable ready_;     // the worker waits for work
  std::condition_variable progress_;  // others wait for the worker
  // Guarded by mutex_.
  std::vector<Task> queued_;
  bool sleeping_ = false;
  bool has_guest_ = false;  // a calling thread is at work on the last task
  Status error_;
  aclError abort_reason_ = ACL_SUCCESS;
  Signal* awaited_ = nullptr;
  Place blocked_at_;  // behind the callback that the worker waits for
  std::shared_ptr<Subscription> subscription_;
  std::vector<std::weak_ptr<Subscription>> former_;  // ended ones; those whose callbacks run are alive
  std::thread worker_;

  // Tasks are numbered from 1. Written under mutex_ or by the worker, read by anyone.
  std::atomic<uint64_t> submitted_{0};
  std::atomic<uint64_t> done_{0};
  std::atomic<uint64_t> dropped_to_{0};         // tasks up to this number do not run any more
  std::atomic<uint64_t> wanted_{kNobodyWaits};  // the first number that somebody sleeps for
  std::atomic<uint64_t> aborts_{0};
  std::atomic<bool> stopped_{false};
  std::atomic<bool> interrupted_{false};
  std::atomic<bool> closed_{false};
  std::atomic<bool> ending_{false};
  std::atomic<uint32_t> operators_{0};
  std::atomic<std::thread::id> worker_id_{};
};

// Called by every synchronize that has waited, on its thread. Memory pools set it when the first of them is made.
inline std::atomic<void (*)()> after_synchronize{nullptr};

// The id of the last task that the calling thread launched, on any stream; 107000 when there was none.
Result<uint32_t> last_task_id();

}  // namespace belay
