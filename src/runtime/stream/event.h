// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.h"
#include "runtime/handle_table.h"
#include "runtime/stream/signal.h"
#include "runtime/stream/stream.h"

namespace belay {

// How an event was created, which decides what a wait means.
enum class EventKind {
  Plain,     // aclrtCreateEvent: cannot be reset; waiting before the first record is an error
  Flagged,   // aclrtCreateEventWithFlag: a wait before the record waits for it; can be reset
  Extended,  // aclrtCreateEventExWithFlag: a wait sees the latest record, and nothing when there is none
};

// A point on a stream that others can wait for and read the time of. Each record makes a new point; who waits has
// decided for one of them when it called. Safe from any thread.
class Event : public std::enable_shared_from_this<Event> {
 public:
  Event(EventKind kind, uint32_t flags, uint32_t id) : kind_(kind), flags_(flags), id_(id) {}
  virtual ~Event() = default;

  virtual Status record(Stream& stream);
  // Zero: for ever. When the time is over, the stream fails with 107019.
  virtual Status wait(Stream& stream, std::chrono::seconds timeout);
  virtual Status reset(Stream& stream);
  // Waits for the latest record; then hands out the error that a task of its stream left, as synchronizing that would.
  virtual Status synchronize(Timeout timeout);
  // Whether the latest record has been reached; `unrecorded` when there is none.
  virtual bool reached(bool unrecorded) const;
  // On the clock of the device, in nanoseconds: 507000 never recorded, 107006 not reached yet.
  virtual Result<uint64_t> time() const;

  bool all_waits_passed() const { return pending_waits_ == 0; }
  EventKind kind() const { return kind_; }
  uint32_t flags() const { return flags_; }
  uint32_t id() const { return id_; }

 protected:
  // 207000 for an event that was created without ACL_EVENT_SYNC.
  Status check_can_sync(const char* what) const;
  const EventKind kind_;
  const uint32_t flags_;
  const uint32_t id_;
  std::atomic<int> pending_waits_{0};

 private:
  // One point: where it was set, whether it has been reached, when.
  struct Point {
    Signal reached;
    std::atomic<uint64_t> time{0};
    // Guarded by the event's mutex.
    std::weak_ptr<Stream> stream;
    Stream::Place place;
  };
  // A point that is waited for and not recorded yet, and whether it is to be reset once it was.
  struct Coming {
    std::shared_ptr<Point> point;
    bool reset = false;
  };
  class Arrival;
  class PendingWait;

  std::shared_ptr<Point> point_to_wait_for();
  void forget(const std::shared_ptr<Point>& point);
  std::shared_ptr<Stream> recorded_on(const Point& point) const;  // null: nowhere yet

  mutable std::mutex mutex_;  // taken under a stream's lock: no stream is asked anything while it is held
  // Guarded by mutex_.
  std::shared_ptr<Point> latest_;  // null: not recorded, or a stream has reset it since
  std::shared_ptr<Point> open_;    // what the next wait waits for; null: the next record
  std::deque<Coming> coming_;      // what waits before the next records wait for, one after the other
};

HandleTable<Event>& event_table();
// 107017 for a handle that is not a live event.
Result<std::shared_ptr<Event>> find_event(aclrtEvent handle);
uint32_t next_event_id();
uint64_t device_clock();

}  // namespace belay
