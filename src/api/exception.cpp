// SPDX-License-Identifier: Apache-2.0
// Callbacks that hear of failed tasks, and what they may ask.
#include "runtime/exception.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

using namespace belay;
using namespace belay::api;

namespace {

constexpr uint32_t kNoInfo = 0xFFFFFFFF;

Status check_callback(aclrtExceptionInfoCallback callback) {
  if (callback) return {};
  return {ACL_ERROR_RT_PARAM_INVALID, "callback must not be null", "EE1004"};
}

}  // namespace

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback) {
  return entry(
      __func__,
      [&]() -> Status {
        set_exception_callback(callback);
        return {};
      },
      callback);
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check_callback(callback));
        add_exception_callback(callback);
        return {};
      },
      callback);
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check_callback(callback));
        remove_exception_callback(callback);
        return {};
      },
      callback);
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return entry_value(
      __func__, kNoInfo, [&] { return info ? info->task_id : kNoInfo; }, info);
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return entry_value(
      __func__, kNoInfo, [&] { return info ? info->stream_id : kNoInfo; }, info);
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return entry_value(
      __func__, kNoInfo, [&] { return info ? info->thread_id : kNoInfo; }, info);
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return entry_value(
      __func__, kNoInfo, [&] { return info ? info->device_id : kNoInfo; }, info);
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info) {
  return entry_value(
      __func__, kNoInfo, [&] { return info ? info->error_code : kNoInfo; }, info);
}

aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo* info, void** devArgsPtr, uint32_t* devArgsLen) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(info, "info"));
        TRY(not_null(devArgsPtr, "devArgsPtr"));
        TRY(not_null(devArgsLen, "devArgsLen"));
        *devArgsPtr = nullptr;  // our kernels are functions of the library: they have no argument block on the device
        *devArgsLen = 0;
        return {};
      },
      info, devArgsPtr, devArgsLen);
}

aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo* info, aclrtFuncHandle* func) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(info, "info"));
        TRY(not_null(func, "func"));
        *func = nullptr;  // no kernel binary of the user's failed
        return {};
      },
      info, func);
}
