// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/stream.h"

#include <algorithm>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "runtime/device/current.h"

using namespace belay;
using namespace belay::api;

namespace {

constexpr uint32_t kLowestPriority = 7;
constexpr uint32_t kKnownFlags = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_PERSISTENT |
                                 ACL_STREAM_HUGE | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;
constexpr uint32_t kStreamsPerDevice = 2048;  // what this class of device offers

Status create(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  const uint32_t flags = flag & kKnownFlags;
  if ((flags & ACL_STREAM_DEVICE_USE_ONLY) && flags != ACL_STREAM_DEVICE_USE_ONLY)
    return {ACL_ERROR_RT_PARAM_INVALID, "ACL_STREAM_DEVICE_USE_ONLY cannot be combined with other flags", "EE1011"};
  if (flags & ACL_STREAM_HUGE)
    return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "ACL_STREAM_HUGE is not supported on this SoC", "EE1006"};
  const auto made = TRY(TRY(current_context())->create_stream({std::min(priority, kLowestPriority), flags}));
  *stream = made->handle();
  return {};
}

Status destroy(aclrtStream stream, bool drain) {
  TRY(not_null(stream, "stream"));
  auto target = TRY(find_stream(stream));
  return target->context()->destroy_stream(target, drain);
}

}  // namespace

aclError aclrtCreateStream(aclrtStream* stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(stream, "stream"));
        return create(stream, 0, 0);
      },
      stream);
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(stream, "stream"));
        return create(stream, priority, flag);
      },
      stream, priority, flag);
}

aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(stream, "stream"));
        if (!handle) return create(stream, 0, 0);
        return create(stream, handle->priority, static_cast<uint32_t>(handle->flag));
      },
      stream, handle);
}

aclError aclrtDestroyStream(aclrtStream stream) {
  return entry(
      __func__, [&] { return destroy(stream, true); }, stream);
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return entry(
      __func__, [&] { return destroy(stream, false); }, stream);
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return entry(
      __func__, [&]() -> Status { return TRY(find_any_stream(stream))->synchronize(); }, stream);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  return entry(
      __func__,
      [&]() -> Status {
        const Timeout limit = TRY(parse_timeout(timeout));
        return TRY(find_any_stream(stream))->synchronize(limit);
      },
      stream, timeout);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(status, "status"));
        const bool idle = TRY(TRY(find_any_stream(stream))->idle());
        *status = idle ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
        return {};
      },
      stream, status);
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(streamId, "streamId"));
        *streamId = TRY(find_any_stream(stream))->id();
        return {};
      },
      stream, streamId);
}

aclError aclrtGetThreadLastTaskId(uint32_t* taskId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(taskId, "taskId"));
        *taskId = TRY(last_task_id());
        return {};
      },
      taskId);
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(priority, "priority"));
        *priority = TRY(find_any_stream(stream))->priority;
        return {};
      },
      stream, priority);
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(flags, "flags"));
        *flags = TRY(find_any_stream(stream))->flags();
        return {};
      },
      stream, flags);
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(leastPriority, "leastPriority"));
        TRY(not_null(greatestPriority, "greatestPriority"));
        *leastPriority = kLowestPriority;
        *greatestPriority = 0;
        return {};
      },
      leastPriority, greatestPriority);
}

aclError aclrtGetStreamAvailableNum(uint32_t* streamCount) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(streamCount, "streamCount"));
        const auto live = static_cast<uint32_t>(TRY(current_context())->streams().size());
        *streamCount = kStreamsPerDevice - std::min(live, kStreamsPerDevice);
        return {};
      },
      streamCount);
}

aclError aclrtStreamAbort(aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(stream, "stream"));
        TRY(find_stream(stream))->abort(ACL_ERROR_RT_STREAM_ABORT);
        return {};
      },
      stream);
}

aclError aclrtStreamStop(aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(stream, "stream"));
        TRY(find_stream(stream))->stop();
        return {};
      },
      stream);
}

namespace {

// Streams that switch one another on live in models that are built by hand (aclmdlRIBuildBegin), which we do not have.
Status not_in_a_model(const char* what) {
  return {ACL_ERROR_RT_PARAM_INVALID,
          std::string(what) + " works only on streams that are bound to a model by aclmdlRIBindStream; this one is not",
          "EE1011"};
}

}  // namespace

aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(activeStream, "activeStream"));
        TRY(find_any_stream(activeStream));
        TRY(find_stream(stream));
        return not_in_a_model("aclrtActiveStream");
      },
      activeStream, stream);
}

aclError aclrtSwitchStream(void* leftValue, aclrtCondition cond, void* rightValue, aclrtCompareDataType dataType,
                           aclrtStream trueStream, aclrtStream falseStream, aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(leftValue, "leftValue"));
        TRY(not_null(rightValue, "rightValue"));
        TRY(not_null(trueStream, "trueStream"));
        TRY(find_any_stream(trueStream));
        TRY(find_stream(stream));
        return not_in_a_model("aclrtSwitchStream");
      },
      leftValue, cond, rightValue, dataType, trueStream, falseStream, stream);
}
