// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/report_queue.h"

#include <pthread.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/log/log.h"
#include "base/threads/fork.h"
#include "base/timeline.h"
#include "runtime/stream/spin.h"

namespace belay {
namespace {

constexpr size_t kMaxServingThreads = 1024;
constexpr std::chrono::seconds kLongestCancel{5};

// The queues by pthread id. Queues that nobody is subscribed to make room when the limit is reached.
struct Registry {
  std::mutex mutex;
  std::unordered_map<uint64_t, std::shared_ptr<ReportQueue>> queues;

  void drop_unused() {
    std::erase_if(queues, [](const auto& entry) { return entry.second.use_count() == 1 && entry.second->unused(); });
  }
};

Registry& registry() {
  static auto& registry = *new Registry;  // left to the system at exit: threads may still be inside
  return registry;
}

}  // namespace

Result<std::shared_ptr<ReportQueue>> report_queue_of(uint64_t thread_id) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  if (const auto found = all.queues.find(thread_id); found != all.queues.end()) return found->second;
  if (all.queues.size() >= kMaxServingThreads) all.drop_unused();
  if (all.queues.size() >= kMaxServingThreads)
    return Status{ACL_ERROR_RT_INTERNAL_ERROR,
                  "there are already " + std::to_string(kMaxServingThreads) +
                      " threads that serve callbacks; let one thread serve several streams",
                  "EE1021"};
  return all.queues.emplace(thread_id, std::make_shared<ReportQueue>(thread_id)).first->second;
}

std::shared_ptr<ReportQueue> own_report_queue() {
  if (orphaned()) return nullptr;  // it is that of the parent's thread
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  const auto found = all.queues.find(pthread_self());
  return found == all.queues.end() ? nullptr : found->second;
}

Result<std::shared_ptr<Subscription>> ReportQueue::subscribe(std::shared_ptr<ReportQueue> queue, int device,
                                                             bool by_runtime) {
  std::lock_guard lock(queue->mutex_);
  if (queue->subscriptions_ > 0 && queue->device_ != device)
    return Status{ACL_ERROR_RT_THREAD_SUBSCRIBE,
                  "thread " + std::to_string(queue->thread_id_) + " already serves streams of device " +
                      std::to_string(queue->device_) + "; a thread serves one device only (this stream is on device " +
                      std::to_string(device) + ")",
                  "EE1016"};
  auto subscription = std::make_shared<Subscription>(queue, by_runtime);
  queue->device_ = device;
  ++queue->subscriptions_;
  return subscription;
}

size_t ReportQueue::cancel(Subscription& subscription) {
  std::unique_lock lock(mutex_);
  size_t dropped = 0;
  if (std::exchange(subscription.active, false)) {
    --subscriptions_;
    dropped = std::erase_if(reports_, [&](Report& report) {
      if (report.subscription.get() != &subscription) return false;
      finish(report);
      return true;
    });
    ready_count_ = reports_.size();
    if (subscriptions_ == 0) ready_.notify_all();
  }
  if (pthread_self() == thread_id_) return dropped;  // from inside a callback: waiting for it would never end
  const bool over = finished_.wait_for(lock, kLongestCancel, [&] { return subscription.running == 0; });
  lock.unlock();
  if (!over)
    log_warning(LogModule::Runtime, "a callback still runs {} s after its stream was unsubscribed or destroyed",
                kLongestCancel.count());
  return dropped;
}

bool ReportQueue::withdraw(const Signal& returned) {
  std::lock_guard lock(mutex_);
  const auto found = std::find_if(reports_.begin(), reports_.end(),
                                  [&](const Report& report) { return report.returned.get() == &returned; });
  if (found == reports_.end()) return false;
  finish(*found);
  reports_.erase(found);
  ready_count_ = reports_.size();
  return true;
}

void ReportQueue::post(std::shared_ptr<Subscription> subscription, Callback callback,
                       std::shared_ptr<Signal> returned) {
  Report report{std::move(subscription), callback, std::move(returned)};
  std::unique_lock lock(mutex_);
  if (!report.subscription->active) return finish(report);
  reports_.push_back(std::move(report));
  ready_count_.store(reports_.size(), std::memory_order_release);
  const bool wake = waiting_;
  lock.unlock();  // else the woken thread would have to wait for it
  if (wake) ready_.notify_one();
}

Status ReportQueue::process(Timeout timeout) {
  std::unique_lock lock(mutex_);
  TRY(await_report(lock, timeout));
  for (size_t left = reports_.size(); left > 0 && !reports_.empty(); --left) run_front(lock);
  return {};
}

Status ReportQueue::await_report(std::unique_lock<std::mutex>& lock, Timeout timeout) {
  const Status not_subscribed{ACL_ERROR_RT_THREAD_SUBSCRIBE,
                              "no stream is subscribed to this thread; call aclrtSubscribeReport first", nullptr, true};
  if (subscriptions_ == 0) return not_subscribed;
  if (!reports_.empty()) return {};

  spin_for_report(lock);
  auto over = [this] { return !reports_.empty() || subscriptions_ == 0; };
  bool in_time = true;
  waiting_ = true;
  if (timeout)
    in_time = ready_.wait_for(lock, *timeout, over);
  else
    ready_.wait(lock, over);
  waiting_ = false;
  if (!reports_.empty()) return {};
  if (in_time) return not_subscribed;  // the last stream was unsubscribed while we waited
  return {ACL_ERROR_RT_REPORT_TIMEOUT, "no callback became ready within the timeout", nullptr, true};
}

void ReportQueue::spin_for_report(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  spin_until([this] { return ready_count_.load(std::memory_order_acquire) > 0; });
  lock.lock();
}

void ReportQueue::finish(Report& report) {
  if (!report.returned) return;
  ++report.subscription->blocks_over;
  report.returned->set();
}

void ReportQueue::run_front(std::unique_lock<std::mutex>& lock) {
  Report report = std::move(reports_.front());
  reports_.pop_front();
  ready_count_.store(reports_.size(), std::memory_order_relaxed);
  ++report.subscription->running;
  lock.unlock();
  struct Ending {  // also when the callback throws
    ReportQueue& queue;
    Report& report;
    std::unique_lock<std::mutex>& lock;
    ~Ending() {
      finish(report);
      lock.lock();
      --report.subscription->running;
      if (!report.subscription->active) queue.finished_.notify_all();
    }
  } ending{*this, report, lock};
  const timeline::Scope timed(timeline::Kind::Callback, [](timeline::Span&) {});
  report.callback.fn(report.callback.user_data);
}

void ReportQueue::serve() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    spin_for_report(lock);
    waiting_ = true;
    ready_.wait(lock, [this] { return !reports_.empty() || ended_; });
    waiting_ = false;
    while (!reports_.empty()) run_front(lock);
  }
}

void ReportQueue::end() {
  std::lock_guard lock(mutex_);
  ended_ = true;
  ready_.notify_all();
}

bool ReportQueue::unused() const {
  std::lock_guard lock(mutex_);
  return subscriptions_ == 0;
}

}  // namespace belay
