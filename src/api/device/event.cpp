// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/event.h"

#include <cstring>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "runtime/device/current.h"
#include "runtime/device/timeouts.h"
#include "runtime/stream/ipc_event.h"

using namespace belay;
using namespace belay::api;

namespace {

constexpr uint32_t kEventsPerDevice = 65536;
constexpr uint32_t kAnyFlag = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE |
                              ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL;

// Unknown bits, no bits, and two flags that stand only alone.
Status check_flags(uint32_t flag, uint32_t allowed) {
  const bool lonely = flag & (ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL);
  if (flag != 0 && (flag & ~allowed) == 0 && (!lonely || (flag & (flag - 1)) == 0)) return {};
  return {ACL_ERROR_RT_PARAM_INVALID,
          "flag is " + std::to_string(flag) +
              ": it must be one or more ACL_EVENT_* bits that this call takes; "
              "DEVICE_USE_ONLY and EXTERNAL stand alone",
          "EE1003"};
}

Status create(aclrtEvent* event, EventKind kind, uint32_t flags) {
  TRY(current_context());
  const uint32_t id = next_event_id();
  if (flags & ACL_EVENT_IPC)
    *event = event_table().insert(std::make_shared<IpcEvent>(flags | ACL_EVENT_SYNC, id, TRY(SharedCell::make())));
  else
    *event = event_table().insert(std::make_shared<Event>(kind, flags, id));
  return {};
}

Status wait(aclrtStream stream, aclrtEvent event, std::chrono::seconds timeout) {
  TRY(not_null(event, "event"));
  auto target = TRY(find_event(event));
  return target->wait(*TRY(find_stream(stream)), timeout);
}

std::chrono::seconds usual_wait() { return std::chrono::seconds(op_wait_timeout()); }

Status check_plain_flag(uint32_t flag) {
  if (flag > 1) return {ACL_ERROR_INVALID_PARAM, "flag must be 0 or 1 (EXTERNAL)", "EH0007"};
  if (flag == 1)
    return {ACL_ERROR_RT_STREAM_NOT_CAPTURED,
            "the EXTERNAL flag is for streams that are being captured; this one is not", "EE1018"};
  return {};
}

}  // namespace

aclError aclrtCreateEvent(aclrtEvent* event) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        return create(event, EventKind::Plain, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
      },
      event);
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        TRY(check_flags(flag, kAnyFlag));
        return create(event, EventKind::Flagged, flag);
      },
      event, flag);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        TRY(check_flags(flag, kAnyFlag | ACL_EVENT_IPC));
        return create(event, EventKind::Extended, flag);
      },
      event, flag);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        TRY(find_event(event));
        event_table().remove(event);  // tasks that need it hold it
        return {};
      },
      event);
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        auto target = TRY(find_event(event));
        return target->record(*TRY(find_stream(stream)));
      },
      event, stream);
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        TRY(check_plain_flag(flag));
        auto target = TRY(find_event(event));
        return target->record(*TRY(find_stream(stream)));
      },
      event, stream, flag);
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        auto target = TRY(find_event(event));
        return target->reset(*TRY(find_stream(stream)));
      },
      event, stream);
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return entry(
      __func__, [&] { return wait(stream, event, usual_wait()); }, stream, event);
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check_plain_flag(flag));
        return wait(stream, event, std::chrono::seconds(timeout));
      },
      stream, event, timeout, flag);
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout) {
  return entry(
      __func__,
      [&]() -> Status {
        if (timeout < 0)
          return {ACL_ERROR_RT_PARAM_INVALID, "timeout must be 0 (forever) or a number of seconds", "EE1003"};
        return wait(stream, event, std::chrono::seconds(timeout));
      },
      stream, event, timeout);
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        return TRY(find_event(event))->synchronize(std::nullopt);
      },
      event);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        const Timeout limit = TRY(parse_timeout(timeout));
        return TRY(find_event(event))->synchronize(limit);
      },
      event, timeout);
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        TRY(not_null(status, "status"));
        auto target = TRY(find_event(event));
        if (target->kind() == EventKind::Extended)
          return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "use aclrtQueryEventStatus for this event", "EE1006"};
        *status = target->reached(true) ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
        return {};
      },
      event, status);
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        TRY(not_null(status, "status"));
        auto target = TRY(find_event(event));
        const bool reached = target->reached(target->kind() == EventKind::Extended);
        *status = reached ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
        return {};
      },
      event, status);
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        TRY(not_null(status, "status"));
        auto target = TRY(find_event(event));
        if (target->kind() == EventKind::Extended)
          return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the waits of this kind of event cannot be queried", "EE1006"};
        *status = target->all_waits_passed() ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
        return {};
      },
      event, status);
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(ms, "ms"));
        TRY(not_null(startEvent, "startEvent"));
        TRY(not_null(endEvent, "endEvent"));
        const uint64_t start = TRY(TRY(find_event(startEvent))->time());
        const uint64_t end = TRY(TRY(find_event(endEvent))->time());
        *ms = static_cast<float>(static_cast<double>(static_cast<int64_t>(end - start)) / 1e6);
        return {};
      },
      ms, startEvent, endEvent);
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        TRY(not_null(timestamp, "timestamp"));
        *timestamp = TRY(TRY(find_event(event))->time()) / 1000;
        return {};
      },
      event, timestamp);
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        TRY(not_null(eventId, "eventId"));
        *eventId = TRY(find_event(event))->id();
        return {};
      },
      event, eventId);
}

aclError aclrtGetEventAvailNum(uint32_t* eventCount) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(eventCount, "eventCount"));
        TRY(current_context());
        *eventCount = kEventsPerDevice;  // ours are only bounded by memory
        return {};
      },
      eventCount);
}

aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle* handle) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        TRY(not_null(handle, "handle"));
        const auto shared = std::dynamic_pointer_cast<IpcEvent>(TRY(find_event(event)));
        if (!shared)
          return {ACL_ERROR_RT_PARAM_INVALID,
                  "the event was not made for other processes; create it with aclrtCreateEventExWithFlag and "
                  "ACL_EVENT_IPC",
                  "EE1011"};
        std::memset(handle, 0, sizeof(*handle));
        std::memcpy(handle->reserved, shared->key().data(),
                    std::min(shared->key().size(), sizeof(handle->reserved) - 1));
        return {};
      },
      event, handle);
}

aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent* event) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(event, "event"));
        TRY(current_context());
        const std::string key(handle.reserved, strnlen(handle.reserved, sizeof(handle.reserved)));
        auto cell = TRY(SharedCell::open(key));
        *event = event_table().insert(
            std::make_shared<IpcEvent>(ACL_EVENT_IPC | ACL_EVENT_SYNC, next_event_id(), std::move(cell)));
        return {};
      },
      event);
}
