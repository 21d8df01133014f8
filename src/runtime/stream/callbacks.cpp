// SPDX-License-Identifier: Apache-2.0
// The part of Stream that hands callbacks to serving threads.
#include <pthread.h>

#include <string>

#include "base/log/log.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/stream/stream.h"
#include "runtime/stream/write_gate.h"

namespace belay {
namespace {

// A BLOCK callback on its way to the serving thread. Dropped on the way, it is over.
class PendingBlock {
 public:
  explicit PendingBlock(Subscription* subscription) : subscription_(subscription) {
    if (subscription_) ++subscription_->blocks_launched;
  }
  PendingBlock(PendingBlock&& other) noexcept : subscription_(std::exchange(other.subscription_, nullptr)) {}
  ~PendingBlock() {
    if (subscription_) ++subscription_->blocks_over;
  }
  bool handed_over() { return std::exchange(subscription_, nullptr); }

 private:
  Subscription* subscription_;
};

std::string name_of(const Stream& stream) { return "stream " + std::to_string(stream.id()); }

Status taken_by_runtime(const Stream& stream) {
  return {ACL_ERROR_RT_STREAM_SUBSCRIBE,
          name_of(stream) + " belongs to the runtime since aclrtLaunchHostFunc was used on it; use another stream",
          "EE1016"};
}

}  // namespace

std::shared_ptr<Subscription> Stream::subscription() const {
  std::lock_guard lock(mutex_);
  return subscription_;
}

std::shared_ptr<Subscription> Stream::end_subscription() {
  std::erase_if(former_, [](const auto& former) { return former.expired(); });
  former_.push_back(subscription_);
  return std::move(subscription_);
}

// All that a stream which ends must wait for: somebody may be unsubscribing it at this moment, or may have done so from
// inside a callback that still runs.
std::vector<std::shared_ptr<Subscription>> Stream::end_subscriptions() {
  std::vector<std::shared_ptr<Subscription>> alive;
  for (const auto& former : former_)
    if (auto subscription = former.lock()) alive.push_back(std::move(subscription));
  if (subscription_) alive.push_back(end_subscription());
  return alive;
}

Stream::Place Stream::place() const {
  std::lock_guard lock(mutex_);
  return place_locked();
}

Stream::Place Stream::place_locked() const {
  return {subscription_, subscription_ ? subscription_->blocks_launched.load() : 0};
}

bool Stream::Place::needs_this_thread() const {
  return subscription && subscription->queue->thread_id() == pthread_self() && subscription->blocks_over < blocks;
}

Status Stream::subscribe(uint64_t thread_id) {
  std::lock_guard lock(mutex_);
  if (closed_) return {ACL_ERROR_RT_INVALID_HANDLE, "the stream has been destroyed"};
  if (subscription_ && subscription_->by_runtime) return taken_by_runtime(*this);
  if (subscription_)
    return {ACL_ERROR_RT_STREAM_SUBSCRIBE,
            name_of(*this) + " is already served by thread " + std::to_string(subscription_->queue->thread_id()) +
                "; call aclrtUnSubscribeReport first",
            "EE1016"};
  subscription_ = TRY(ReportQueue::subscribe(TRY(report_queue_of(thread_id)), context_->device().id(), false));
  return {};
}

Status Stream::unsubscribe(uint64_t thread_id) {
  std::shared_ptr<Subscription> ended;
  {
    std::lock_guard lock(mutex_);
    if (!subscription_)
      return {ACL_ERROR_RT_STREAM_SUBSCRIBE, name_of(*this) + " is not subscribed to any thread", "EE1016"};
    if (subscription_->by_runtime) return taken_by_runtime(*this);
    if (subscription_->queue->thread_id() != thread_id)
      return {ACL_ERROR_RT_THREAD_SUBSCRIBE,
              name_of(*this) + " is served by thread " + std::to_string(subscription_->queue->thread_id()) +
                  ", not by thread " + std::to_string(thread_id),
              "EE1016"};
    ended = end_subscription();
  }
  const size_t dropped = ended->queue->cancel(*ended);
  if (dropped > 0)
    log_notice(LogModule::Runtime, "stream {} was unsubscribed before {} of its callbacks ran", id_, dropped);
  return {};
}

Status Stream::check_callback(void (*fn)(void*)) const {
  if (!fn) return {ACL_ERROR_RT_PARAM_INVALID, "fn must not be null", "EE1004"};
  const auto serving = subscription();
  if (serving && serving->by_runtime) return taken_by_runtime(*this);
  return {};
}

Status Stream::launch_callback(Callback callback, bool block) {
  TRY(check_callback(callback.fn));
  auto serving = subscription();
  if (!serving)
    return {ACL_ERROR_RT_STREAM_NO_CB_REG, "no thread serves this stream; call aclrtSubscribeReport first", "EE1018"};
  return launch_report(std::move(serving), callback, block);
}

Status Stream::launch_host_function(Callback callback) {
  auto queue = context_->host_function_queue();
  std::shared_ptr<Subscription> serving;
  {
    std::lock_guard lock(mutex_);
    if (closed_) return {ACL_ERROR_RT_INVALID_HANDLE, "the stream has been destroyed"};
    if (subscription_ && !subscription_->by_runtime)
      return {ACL_ERROR_RT_STREAM_SUBSCRIBE,
              name_of(*this) +
                  " is served by a thread of yours (aclrtSubscribeReport); host functions need a stream "
                  "that is not",
              "EE1016"};
    if (!subscription_) subscription_ = TRY(ReportQueue::subscribe(queue, context_->device().id(), true));
    serving = subscription_;
  }
  return launch_report(std::move(serving), callback, true);
}

Status Stream::launch_report(std::shared_ptr<Subscription> serving, Callback callback, bool block) {
  PendingBlock pending(block ? serving.get() : nullptr);
  return launch([this, serving = std::move(serving), callback, pending = std::move(pending)]() mutable {
    std::shared_ptr<Signal> returned;
    {
      std::lock_guard lock(mutex_);
      if (interrupted_) return;  // aborted: from now on nothing more is handed over
      if (pending.handed_over()) {
        returned = std::make_shared<Signal>();
        awaited_ = returned.get();
        blocked_at_ = {serving, serving->blocks_over + 1};
      }
      serving->queue->post(serving, callback, returned);
    }
    if (returned) await_callback(*returned);
  });
}

// An abort takes back a callback that has not started. One that runs is waited for all the same, so that later tasks
// find it ended; but not when the stream ends, for the callback may be what ends it.
void Stream::await_callback(Signal& returned) {
  write_gate().step_out();
  if (!returned.wait(&interrupted_)) returned.wait(&closed_);
  std::lock_guard lock(mutex_);
  awaited_ = nullptr;
  blocked_at_ = {};
}

}  // namespace belay
