// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/stream.h"

#include <pthread.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "acl/acl_rt.h"
#include "base/exception_words.h"
#include "base/log/log.h"
#include "base/timeline.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/device/exception.h"
#include "runtime/stream/spin.h"
#include "runtime/stream/write_gate.h"

namespace belay {
namespace {

// A launch on a fuller queue waits, as on the device. Workers never wait: they are what empties queues.
constexpr size_t kQueueLimit = 65536;

thread_local std::optional<uint32_t> t_last_task_id;
thread_local bool t_is_worker = false;

// Codes that synchronize tells without a task having failed: nobody is called, nothing stops (runtime.md 2.4).
bool only_informs(aclError code) {
  return code == ACL_ERROR_RT_AICORE_OVER_FLOW || code == ACL_ERROR_RT_AIVEC_OVER_FLOW ||
         code == ACL_ERROR_RT_OVER_FLOW;
}

// Nothing that a task throws gets out of the worker.
Status call(Task& task) {
  try {
    return task();
  } catch (const std::bad_alloc&) {
    return {ACL_ERROR_RT_INTERNAL_ERROR, "a task ran out of host memory"};
  } catch (const std::exception& e) {
    return {ACL_ERROR_RT_INTERNAL_ERROR, exception_words(e)};
  }
}

}  // namespace

Result<uint32_t> last_task_id() {
  if (t_last_task_id) return *t_last_task_id;
  return Status{ACL_ERROR_RT_PARAM_INVALID, "this thread has not launched a task yet"};
}

Stream::Stream(std::shared_ptr<Context> context, int32_t id, StreamOptions options)
    : priority(options.priority),
      context_(std::move(context)),
      id_(id),
      flags_(options.flags),
      saturates_(context_->device().saturation_mode == ACL_RT_OVERFLOW_MODE_SATURATION) {}

Stream::~Stream() { close(); }

bool Stream::unwaited() const {
  return flags_ & (ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY);
}

Status Stream::launch(Task task) {
  auto lock = TRY(enter());
  append(std::move(task), std::move(lock));
  return {};
}

Status Stream::launch_made(const std::function<Result<Task>(const Place& place)>& make) {
  auto lock = TRY(enter());
  Task task = TRY(make(place_locked()));
  append(std::move(task), std::move(lock));
  return {};
}

Status Stream::launch_or_do(const std::function<Result<Task>(const Place& place)>& make,
                            const std::function<bool()>& attempt) {
  auto lock = TRY(enter());
  Task task = TRY(make(place_locked()));
  if (nothing_to_do())
    attempt_here(std::move(task), attempt, std::move(lock));
  else
    append(std::move(task), std::move(lock));
  return {};
}

Status Stream::launch_and_synchronize(const std::function<Task()>& make, Timeout timeout) {
  uint64_t number = 0, aborts = 0;
  TRY(launch_made([&](const Place& place) -> Result<Task> {
    if (!unwaited()) TRY(check_can_wait_locked(place));
    number = submitted_.load(std::memory_order_relaxed) + 1;
    aborts = aborts_;
    return make();
  }));
  if (!unwaited()) TRY(wait_for(number, aborts, timeout));
  return tell_synchronized();
}

// Locked, with room for a task.
Result<std::unique_lock<std::mutex>> Stream::enter() {
  if (context_->has_failed()) return context_->failure();
  std::unique_lock lock(mutex_);
  if (queued_.size() >= kQueueLimit && !t_is_worker) wait_for_room(lock);
  if (closed_) return Status{ACL_ERROR_RT_INVALID_HANDLE, "the stream has been destroyed"};
  if (!worker_.joinable()) worker_ = std::thread(&Stream::work, shared_from_this());
  return lock;
}

void Stream::append(Task task, std::unique_lock<std::mutex> lock) {
  queued_.push_back(std::move(task));
  (void)count_task();
  wake_worker(std::move(lock));
}

// Under the lock. The number of the task that is launched.
uint64_t Stream::count_task() {
  const uint64_t number = submitted_.load(std::memory_order_relaxed) + 1;
  submitted_.store(number, std::memory_order_release);
  t_last_task_id = static_cast<uint32_t>(number - 1);
  return number;
}

void Stream::wake_worker(std::unique_lock<std::mutex> lock) {
  const bool wake = !has_guest_ && (!queued_.empty() || closed_) && std::exchange(sleeping_, false);
  lock.unlock();
  if (wake) ready_.notify_one();
}

// Under the lock.
bool Stream::nothing_to_do() const {
  return !has_guest_ && queued_.empty() && !stopped_ && !interrupted_ &&
         done_.load(std::memory_order_acquire) == submitted_.load(std::memory_order_relaxed);
}

// The worker takes nothing meanwhile: this task comes before all that others queue.
void Stream::attempt_here(Task task, const std::function<bool()>& attempt, std::unique_lock<std::mutex> lock) {
  const uint64_t number = count_task();
  has_guest_ = true;
  lock.unlock();
  const bool done = attempted(attempt, number);
  if (done) {
    { const Task ended = std::move(task); }
    finish(number);
  }
  lock.lock();
  has_guest_ = false;
  if (!done) put_first(std::move(task));
  wake_worker(std::move(lock));
}

bool Stream::attempted(const std::function<bool()>& attempt, uint64_t number) const {
  const WriteGate::Writing writing;
  const int64_t start = timeline::on() ? timeline::now() : 0;
  try {
    if (!attempt()) return false;
  } catch (const std::exception&) {
    return false;  // the worker meets it again, and says so
  }
  if (timeline::on()) {
    timeline::Span span{timeline::Kind::Task, start, timeline::now(), id_};
    span.run = number;
    timeline::add(span);
  }
  return true;
}

void Stream::put_first(Task task) {
  std::vector<Task> all;
  all.reserve(queued_.size() + 1);
  all.push_back(std::move(task));
  std::ranges::move(queued_, std::back_inserter(all));
  queued_.swap(all);
}

void Stream::wait_for_room(std::unique_lock<std::mutex>& lock) {
  if (subscription_ && subscription_->queue->thread_id() == pthread_self()) return;  // its callbacks empty the queue
  progress_.wait(lock, [this] { return queued_.size() < kQueueLimit || closed_; });
}

void Stream::work() {
  t_is_worker = true;
  worker_id_ = std::this_thread::get_id();
  std::vector<Task> batch;
  while (take_batch(batch)) {
    uint64_t number = done_.load(std::memory_order_relaxed);
    for (Task& task : batch) run(task, ++number);
    batch.clear();
  }
}

bool Stream::take_batch(std::vector<Task>& batch) {
  const uint64_t done = done_.load(std::memory_order_relaxed);
  spin_until([&] { return submitted_.load(std::memory_order_acquire) != done; });
  std::unique_lock lock(mutex_);
  while (has_guest_ || (queued_.empty() && !closed_)) {
    sleeping_ = true;
    ready_.wait(lock);
  }
  sleeping_ = false;
  batch.swap(queued_);
  if (batch.size() >= kQueueLimit) progress_.notify_all();
  return !batch.empty();
}

bool Stream::dropped(uint64_t number) const {
  return number <= dropped_to_.load(std::memory_order_acquire) || context_->has_failed();
}

void Stream::hold_while_stopped(uint64_t number) {
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [&] { return !stopped_ || closed_ || dropped(number); });
}

void Stream::run(Task& task, uint64_t number) {
  if (stopped_.load(std::memory_order_relaxed)) hold_while_stopped(number);
  if (!dropped(number)) {
    if (interrupted_.load(std::memory_order_relaxed)) {  // left over from an abort of earlier tasks
      std::lock_guard lock(mutex_);
      if (!dropped(number)) interrupted_ = false;
    }
    Status status = [&] {
      const WriteGate::Writing writing;
      const timeline::Scope timed(timeline::Kind::Task, [&](timeline::Span& span) {
        span.stream = id_;
        span.run = number;
      });
      return call(task);
    }();
    if (!status.ok() && !dropped(number)) fail(number, std::move(status));
  }
  { const Task ended = std::move(task); }  // what the task held is released before anybody hears that it is done
  finish(number);
}

void Stream::fail(uint64_t number, Status status) {
  if (only_informs(status.code)) return keep_error(number, std::move(status));
  const auto task_id = static_cast<uint32_t>(number - 1);
  const rtExceptionInfo info{task_id, static_cast<uint32_t>(id_), static_cast<uint32_t>(pthread_self()),
                             static_cast<uint32_t>(context_->device().id()), static_cast<uint32_t>(status.code)};
  raise_exception(info, status);
  log_error(LogModule::Runtime, "task {} of stream {} failed with {}: {}", task_id, id_, status.code, status.message);
  context_->note_failure(status);
  keep_error(number, std::move(status));
}

// Unless the task was aborted meanwhile: what is called after an abort does not hear of it.
void Stream::keep_error(uint64_t number, Status status) {
  std::lock_guard lock(mutex_);
  if (number > dropped_to_) error_ = std::move(status);
}

void Stream::finish(uint64_t number) {
  done_.store(number);  // sequentially consistent with wanted_: either we see the waiter or it sees this number
  if (number < wanted_.load()) return;
  std::lock_guard lock(mutex_);
  wanted_ = kNobodyWaits;  // those who go on waiting say so again
  progress_.notify_all();
}

Status Stream::synchronize(Timeout timeout) {
  TRY(drain(timeout));
  return tell_synchronized();
}

Status Stream::tell_synchronized() {
  if (auto* notify = after_synchronize.load(std::memory_order_acquire)) notify();
  return take_error();
}

Status Stream::drain(Timeout timeout) {
  if (unwaited()) return {};
  if (context_->has_failed()) return context_->failure();
  const uint64_t aborts = aborts_;
  const uint64_t target = submitted_.load(std::memory_order_acquire);
  if (done_.load(std::memory_order_acquire) >= target) return {};
  TRY(check_can_wait());
  return wait_for(target, aborts, timeout);
}

Status Stream::wait_for(uint64_t number, uint64_t aborts, Timeout timeout) {
  if (stopped_) return {ACL_ERROR_RT_STREAM_ABORT, "the stream was stopped; aclrtStreamAbort makes it usable again"};
  auto done = [&] { return done_.load() >= number; };
  spin_until(done);
  std::unique_lock lock(mutex_);
  auto over = [&] {
    if (aborts_ != aborts || stopped_) return true;
    wanted_ = std::min(wanted_.load(), number);
    return done();
  };
  bool in_time = true;
  if (timeout)
    in_time = progress_.wait_for(lock, *timeout, over);
  else
    progress_.wait(lock, over);
  if (aborts_ != aborts) return {abort_reason_, "the stream was aborted while this call waited for it"};
  if (stopped_) return {ACL_ERROR_RT_STREAM_ABORT, "the stream was stopped while this call waited for it"};
  if (in_time) return {};
  return {ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
          "stream " + std::to_string(id_) + " did not finish within " + std::to_string(timeout->count()) +
              " ms; its tasks keep running",
          "EE1002"};
}

Status Stream::take_error() {
  if (unwaited()) return {};
  if (context_->has_failed()) return context_->failure();
  std::lock_guard lock(mutex_);
  return std::exchange(error_, Status{});
}

Result<bool> Stream::idle() const {
  if (unwaited()) return true;
  if (context_->has_failed()) return context_->failure();
  return done_.load() >= submitted_.load();
}

// Dropped tasks stay queued: the worker skips them one by one, so that numbers and queue keep in step.
void Stream::drop_queued() {
  dropped_to_.store(submitted_.load());
  interrupted_ = true;
  if (blocked_at_.subscription) blocked_at_.subscription->queue->withdraw(*awaited_);
  if (awaited_) awaited_->nudge();
  sleeping_ = false;
  ready_.notify_all();
}

void Stream::abort(aclError reason) {
  std::lock_guard lock(mutex_);
  abort_reason_ = reason;
  ++aborts_;  // before anything is dropped: who waits for a dropped task hears that it was
  drop_queued();
  error_ = {};
  stopped_ = false;
  progress_.notify_all();
}

void Stream::stop() {
  std::lock_guard lock(mutex_);
  stopped_ = true;
  progress_.notify_all();
}

void Stream::close() {
  std::thread worker;
  std::vector<std::shared_ptr<Subscription>> ended;
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    drop_queued();
    progress_.notify_all();
    worker = std::move(worker_);
    ended = end_subscriptions();
  }
  size_t dropped = 0;
  for (const auto& subscription : ended) dropped += subscription->queue->cancel(*subscription);
  if (dropped > 0)
    log_notice(LogModule::Runtime, "stream {} was destroyed before {} of its callbacks ran", id_, dropped);
  if (!worker.joinable()) return;
  if (worker.get_id() == std::this_thread::get_id())
    worker.detach();  // destroyed from inside one of its own tasks
  else
    worker.join();
}

bool Stream::await(Signal& signal, Timeout timeout) {
  write_gate().step_out();
  {
    std::lock_guard lock(mutex_);
    awaited_ = &signal;
  }
  const bool set = signal.wait(&interrupted_, timeout);
  std::lock_guard lock(mutex_);
  awaited_ = nullptr;
  return set;
}

Status Stream::check_can_wait(const Place& place) const {
  std::lock_guard lock(mutex_);
  return check_can_wait_locked(place);
}

Status Stream::check_can_wait_locked(const Place& place) const {
  if (worker_id_.load() == std::this_thread::get_id())
    return {ACL_ERROR_RT_PARAM_INVALID,
            "stream " + std::to_string(id_) +
                " is waited for on its own thread (from an exception callback?): this "
                "would never end",
            "EE1018"};
  if (place.needs_this_thread() || blocked_at_.needs_this_thread())
    return {ACL_ERROR_RT_PARAM_INVALID,
            "stream " + std::to_string(id_) +
                " is blocked by a callback that only this thread can run or is running: "
                "waiting for the stream here would never end",
            "EE1018"};
  return {};
}

}  // namespace belay
