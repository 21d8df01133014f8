// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/ipc_event.h"

#include "acl/acl_rt.h"
#include "runtime/stream/write_gate.h"

namespace belay {

// Tells all processes that a record was reached when its task has run, or was dropped: nobody waits for ever.
class IpcEvent::Arrival {
 public:
  Arrival(std::shared_ptr<SharedCell> cell, uint64_t number) : cell_(std::move(cell)), number_(number) {}
  Arrival(Arrival&&) noexcept = default;
  ~Arrival() {
    if (cell_) arrive();
  }
  void arrive() {
    const auto cell = std::exchange(cell_, nullptr);
    cell->word(2) = device_clock();
    auto& passed = cell->word(1);
    for (uint64_t before = passed; before < number_ && !passed.compare_exchange_weak(before, number_);) {
    }
    cell->announce();
  }

 private:
  std::shared_ptr<SharedCell> cell_;
  uint64_t number_;
};

// The record is counted when its task is queued, as Event::record does it.
Status IpcEvent::record(Stream& stream) {
  return stream.launch_made([this](const Stream::Place&) -> Result<Task> {
    return Task([arrival = Arrival(cell_, ++recorded())]() mutable { arrival.arrive(); });
  });
}

Status IpcEvent::wait(Stream& stream, std::chrono::seconds timeout) {
  const uint64_t number = recorded();
  if (number == 0) return {};
  return stream.launch([&stream, self = shared_from_this(), this, number, timeout]() -> Status {
    const Timeout limit = timeout.count() ? Timeout(timeout) : std::nullopt;
    write_gate().step_out();
    if (cell_->wait([&] { return passed() >= number; }, &stream.interrupted(), limit)) return {};
    return {ACL_ERROR_RT_WAIT_TIMEOUT,
            "a wait for an IPC event timed out after " + std::to_string(timeout.count()) + " s"};
  });
}

Status IpcEvent::reset(Stream&) {
  return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "only events of aclrtCreateEventWithFlag can be reset", "EE1006"};
}

Status IpcEvent::synchronize(Timeout timeout) {
  const uint64_t number = recorded();
  if (cell_->wait([&] { return passed() >= number; }, nullptr, timeout)) return {};
  return {ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
          "the event was not reached within " + std::to_string(timeout->count()) + " ms", "EE1002"};
}

bool IpcEvent::reached(bool unrecorded) const { return recorded() == 0 ? unrecorded : passed() >= recorded(); }

Result<uint64_t> IpcEvent::time() const {
  if (recorded() == 0) return Status{ACL_ERROR_RT_INTERNAL_ERROR, "the event has not been recorded"};
  if (passed() < recorded())
    return Status{ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                  "the event has been recorded but its stream has not reached it; synchronize first"};
  return when().load();
}

}  // namespace belay
