// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/event.h"

#include "acl/acl_rt.h"
#include "runtime/stream/held_up.h"

namespace belay {
namespace {

// With the plain forms of a wait, the process-wide limit of aclrtSetOpWaitTimeout holds.
Timeout as_timeout(std::chrono::seconds timeout) {
  if (timeout.count() == 0) return std::nullopt;
  return timeout;
}

}  // namespace

HandleTable<Event>& event_table() {
  static auto& table = *new HandleTable<Event>(3);
  return table;
}

Result<std::shared_ptr<Event>> find_event(aclrtEvent handle) {
  if (auto event = event_table().find(handle)) return event;
  return Status{ACL_ERROR_RT_INVALID_HANDLE, "event is not a live event: it was destroyed, or is something else",
                "EE1017"};
}

uint32_t next_event_id() {
  static std::atomic<uint32_t> next{0};
  return next++;
}

uint64_t device_clock() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// Marks a point as reached when the record task has run, or was dropped: nobody is left waiting for ever.
class Event::Arrival {
 public:
  explicit Arrival(std::shared_ptr<Point> point) : point_(std::move(point)) {}
  Arrival(Arrival&&) noexcept = default;
  ~Arrival() {
    if (point_) arrive();
  }
  void arrive() {
    point_->time = device_clock();
    std::exchange(point_, nullptr)->reached.set();
  }

 private:
  std::shared_ptr<Point> point_;
};

// Counts as a pending wait of the event until the wait task is over or dropped.
class Event::PendingWait {
 public:
  explicit PendingWait(std::shared_ptr<Event> event) : event_(std::move(event)) { ++event_->pending_waits_; }
  PendingWait(PendingWait&&) noexcept = default;
  ~PendingWait() {
    if (event_) --event_->pending_waits_;
  }

 private:
  std::shared_ptr<Event> event_;
};

Status Event::check_can_sync(const char* what) const {
  if (flags_ & ACL_EVENT_SYNC) return {};
  return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, std::string(what) + " needs an event that was created with ACL_EVENT_SYNC",
          "EE1006"};
}

// The new point is shown when its task is queued, neither before nor after: a wait that was queued ahead of it does not
// mean it, and a record that was refused has changed nothing.
Status Event::record(Stream& stream) {
  std::shared_ptr<Point> before;  // ends after all locks are given back
  return stream.launch_made([&](const Stream::Place& place) -> Result<Task> {
    std::lock_guard lock(mutex_);
    Coming next;
    if (coming_.empty()) {
      next.point = std::make_shared<Point>();
    } else {
      next = std::move(coming_.front());
      coming_.pop_front();
    }
    next.point->stream = stream.weak_from_this();
    next.point->place = place;
    before = std::exchange(latest_, next.point);
    open_ = next.reset ? nullptr : next.point;
    return Task([arrival = Arrival(std::move(next.point))]() mutable { arrival.arrive(); });
  });
}

// Extended events have nothing to wait for before the first record; plain ones must have been recorded.
std::shared_ptr<Event::Point> Event::point_to_wait_for() {
  std::lock_guard lock(mutex_);
  if (open_ || kind_ != EventKind::Flagged) return open_;
  if (coming_.empty() || coming_.back().reset) coming_.push_back({std::make_shared<Point>()});
  return coming_.back().point;
}

Status Event::wait(Stream& stream, std::chrono::seconds timeout) {
  TRY(check_can_sync("waiting"));
  auto point = point_to_wait_for();
  if (!point && kind_ == EventKind::Extended) return {};
  if (!point)
    return {ACL_ERROR_RT_PARAM_INVALID, "the event has not been recorded; call aclrtRecordEvent first", "EE1011"};
  return stream.launch([this, &stream, point = std::move(point), timeout,
                        pending = PendingWait(shared_from_this())]() -> Status {
    if (point->reached.is_set()) return {};
    const HeldUp::Waiting waiting(&stream, as_timeout(timeout) ? nullptr : recorded_on(*point).get());
    if (stream.await(point->reached, as_timeout(timeout))) return {};
    return {ACL_ERROR_RT_WAIT_TIMEOUT, "a wait for an event timed out after " + std::to_string(timeout.count()) + " s"};
  });
}

std::shared_ptr<Stream> Event::recorded_on(const Point& point) const {
  std::lock_guard lock(mutex_);
  return point.stream.lock();
}

Status Event::reset(Stream& stream) {
  TRY(check_can_sync("aclrtResetEvent"));
  if (kind_ != EventKind::Flagged)
    return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "only events of aclrtCreateEventWithFlag can be reset", "EE1006"};
  std::shared_ptr<Point> point;
  {
    std::lock_guard lock(mutex_);
    point = std::exchange(open_, nullptr);
    if (!point && !coming_.empty()) {
      point = coming_.back().point;
      coming_.back().reset = true;
    }
  }
  return stream.launch([self = shared_from_this(), point = std::move(point)] { self->forget(point); });
}

void Event::forget(const std::shared_ptr<Point>& point) {
  std::lock_guard lock(mutex_);
  if (latest_ == point) latest_ = nullptr;
}

Status Event::synchronize(Timeout timeout) {
  std::shared_ptr<Point> point;
  std::shared_ptr<Stream> stream;
  Stream::Place place;
  {
    std::lock_guard lock(mutex_);
    if (!latest_) return {};
    point = latest_;
    stream = point->stream.lock();
    place = point->place;
  }
  if (!point->reached.is_set() && stream) TRY(stream->check_can_wait(place));
  if (!point->reached.wait(nullptr, timeout))
    return {ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
            "the event was not reached within " + std::to_string(timeout->count()) + " ms", "EE1002"};
  return stream ? stream->take_error() : Status{};
}

bool Event::reached(bool unrecorded) const {
  std::lock_guard lock(mutex_);
  return latest_ ? latest_->reached.is_set() : unrecorded;
}

Result<uint64_t> Event::time() const {
  std::lock_guard lock(mutex_);
  if (!latest_) return Status{ACL_ERROR_RT_INTERNAL_ERROR, "the event has not been recorded"};
  if (!latest_->reached.is_set())
    return Status{ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                  "the event has been recorded but its stream has not reached it; synchronize first"};
  return latest_->time.load();
}

}  // namespace belay
