// SPDX-License-Identifier: Apache-2.0
// Stream callbacks and host functions.
#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "api/core/refuse.h"
#include "runtime/device/current.h"
#include "runtime/device/soc.h"
#include "runtime/stream/report_queue.h"

using namespace belay;
using namespace belay::api;

namespace {

// The Atlas 200/300/500 inference products have no callbacks that leave the stream running.
Status check_no_block() {
  const std::string_view soc = soc_name();
  if (!soc.starts_with("Ascend310") || soc.starts_with("Ascend310P") || soc.starts_with("Ascend310B")) return {};
  return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
          "ACL_CALLBACK_NO_BLOCK is not supported on " + std::string(soc) + "; use ACL_CALLBACK_BLOCK", "EE1006"};
}

}  // namespace

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        return TRY(find_any_stream(stream))->subscribe(threadId);  // it need not belong to the current context
      },
      threadId, stream);
}

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType, aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK)
          return {ACL_ERROR_INVALID_PARAM, "blockType must be ACL_CALLBACK_NO_BLOCK or ACL_CALLBACK_BLOCK", "EH0007"};
        if (stream) TRY(find_any_stream(stream));  // a dead handle is told before all else
        if (!fn) return {ACL_ERROR_RT_PARAM_INVALID, "fn must not be null", "EE1004"};
        if (stream) TRY(TRY(find_any_stream(stream))->check_callback(fn));
        auto target = TRY(find_stream(stream));  // null: the default stream of this thread's context
        if (blockType == ACL_CALLBACK_NO_BLOCK) TRY(check_no_block());
        return target->launch_callback({fn, userData}, blockType == ACL_CALLBACK_BLOCK);
      },
      fn, userData, blockType, stream);
}

aclError aclrtProcessReport(int32_t timeout) {
  return entry(
      __func__,
      [&]() -> Status {
        if (timeout != -1 && timeout <= 0)
          return {ACL_ERROR_INVALID_PARAM,
                  "timeout is " + std::to_string(timeout) + "; it must be -1 (wait forever) or milliseconds above 0",
                  "EH0007"};
        const auto queue = own_report_queue();
        if (!queue) return {ACL_ERROR_RT_THREAD_SUBSCRIBE, "no stream is subscribed to this thread", nullptr, true};
        return queue->process(TRY(parse_timeout(timeout)));
      },
      timeout);
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return entry(
      __func__, [&]() -> Status { return TRY(find_any_stream(stream))->unsubscribe(threadId); }, threadId, stream);
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return entry(
      __func__,
      [&]() -> Status {
        if (!fn) return {ACL_ERROR_RT_PARAM_INVALID, "fn must not be null", "EE1004"};
        return TRY(find_stream(stream))->launch_host_function({fn, args});
      },
      stream, fn, args);
}
