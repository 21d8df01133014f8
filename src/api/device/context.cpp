// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/context.h"

#include <array>
#include <mutex>
#include <optional>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"

using namespace belay;
using namespace belay::api;

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(context, "context"));
        auto made = std::make_shared<Context>(*TRY(find_device(deviceId)), false);
        made->open();
        set_current_context(made);
        *context = made->handle();
        return {};
      },
      context, deviceId);
}

aclError aclrtDestroyContext(aclrtContext context) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(context, "context"));
        const auto target = context_table().find(context);
        if (!target)
          return {ACL_ERROR_RT_PARAM_INVALID, "context is not a live context: it was destroyed, or is something else",
                  "EE1017"};
        if (target->primary())
          return {ACL_ERROR_RT_CONTEXT_NULL,
                  "context is the default context of device " + std::to_string(target->device().id()) +
                      "; it ends with aclrtResetDevice",
                  "EE1018"};
        const bool current = peek_current_context() == target;
        TRY(target->close());
        if (current) set_current_context(nullptr);
        return {};
      },
      context);
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(context, "context"));
        auto target = context_table().find(context);
        if (!target)
          return {ACL_ERROR_RT_PARAM_INVALID, "context is not a live context: it was destroyed, or is something else",
                  "EE1017"};
        set_current_context(std::move(target));
        return {};
      },
      context);
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(context, "context"));
        *context = TRY(current_context())->handle();
        return {};
      },
      context);
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(stream, "stream"));
        *stream = TRY(find_stream(nullptr))->handle();
        return {};
      },
      stream);
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active) {
  return entry(
      __func__,
      [&]() -> Status {
        if (flags) return {ACL_ERROR_INVALID_PARAM, "flags is reserved and must be null", "EH0012"};
        TRY(not_null(active, "active"));
        *active = TRY(find_device(deviceId))->primary_context() ? 1 : 0;
        return {};
      },
      deviceId, flags, active);
}

namespace {

constexpr int kLastContextOption = 2;  // ACL_OPT_STRONG_CONSISTENCY, whose name is deprecated

Status check_option(aclSysParamOpt option, int last) {
  if (option >= 0 && option <= last) return {};
  return {ACL_ERROR_RT_PARAM_INVALID,
          "opt is " + std::to_string(option) + "; the options are 0 to " + std::to_string(last), "EE1003"};
}

// The options of the whole process, apart from those of each context.
struct SystemParams {
  std::mutex mutex;
  std::array<std::optional<int64_t>, 4> values;
};

SystemParams& system_params() {
  static auto& params = *new SystemParams;
  return params;
}

}  // namespace

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        TRY(check_option(opt, kLastContextOption));
        *value = TRY(TRY(current_context())->system_param(opt));
        return {};
      },
      opt, value);
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check_option(opt, kLastContextOption));
        TRY(current_context())->set_system_param(opt, value);
        return {};
      },
      opt, value);
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        TRY(check_option(opt, ACL_OPT_ENABLE_KERNEL_EARLY_START));
        std::lock_guard lock(system_params().mutex);
        const auto& set = system_params().values[opt];
        if (!set) return {ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "this option was not set; call aclrtSetSysParamOpt first"};
        *value = *set;
        return {};
      },
      opt, value);
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check_option(opt, ACL_OPT_ENABLE_KERNEL_EARLY_START));
        std::lock_guard lock(system_params().mutex);
        system_params().values[opt] = value;
        return {};
      },
      opt, value);
}
