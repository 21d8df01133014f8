// SPDX-License-Identifier: Apache-2.0
#include "runtime/ipc_event.h"

#include "acl/acl_rt.h"

namespace belay {

Status IpcEvent::record(Stream& stream) {
  const uint64_t number = ++recorded();
  return stream.launch([cell = cell_, number] {
    cell->word(2) = device_clock();
    auto& passed = cell->word(1);
    for (uint64_t before = passed; before < number && !passed.compare_exchange_weak(before, number);) {
    }
    cell->announce();
  });
}

Status IpcEvent::wait(Stream& stream, std::chrono::seconds timeout) {
  const uint64_t number = recorded();
  if (number == 0) return {};
  ++pending_waits_;
  return stream.launch([&stream, self = shared_from_this(), this, number, timeout]() -> Status {
    const Timeout limit = timeout.count() ? Timeout(timeout) : std::nullopt;
    const bool in_time = cell_->wait([&] { return passed() >= number; }, &stream.interrupted(), limit);
    --pending_waits_;
    if (in_time) return {};
    return {ACL_ERROR_RT_WAIT_TIMEOUT,
            "a wait for an IPC event gave up after " + std::to_string(timeout.count()) + " s"};
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
