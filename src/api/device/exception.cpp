// SPDX-License-Identifier: Apache-2.0
// Callbacks that hear of failed tasks, and what they may ask.
#include "api/device/exception.h"

#include <pthread.h>

#include <cstring>

#include "acl/acl_mdl.h"
#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "api/operators/tensor_desc.h"
#include "base/device_memory.h"
#include "base/text.h"
#include "executor/faults/failure.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/device/exception.h"

using namespace belay;
using namespace belay::api;

namespace {

constexpr uint32_t kNoInfo = 0xFFFFFFFF;

Status check_callback(aclrtExceptionInfoCallback callback) {
  if (callback) return {};
  return {ACL_ERROR_RT_PARAM_INVALID, "callback must not be null", "EE1004"};
}

aclTensorDesc describe(const executor::FailedTensor& tensor) {
  aclTensorDesc desc;
  desc.type = to_acl(tensor.type);
  desc.format = to_acl(tensor.format);
  desc.dims = tensor.shape;
  desc.address = device_address(tensor.address);
  return desc;
}

// One array, freed as a whole; null for no tensors.
std::unique_ptr<aclTensorDesc> describe(const std::vector<executor::FailedTensor>& tensors) {
  if (tensors.empty()) return nullptr;
  auto first = std::make_unique<aclTensorDesc>(describe(tensors[0]));
  for (size_t i = 1; i < tensors.size(); ++i) first->rest.push_back(describe(tensors[i]));
  return first;
}

Result<std::shared_ptr<const executor::FailedOperator>> find_failed(uint32_t device, uint32_t stream, uint32_t task) {
  if (auto found = executor::find_failed_operator(static_cast<int>(device), stream, task)) return found;
  return Status{ACL_ERROR_INVALID_PARAM,
                formatted("no operator failed as task {} of stream {} on device {}; call this in an exception "
                          "callback, with the ids it is given",
                          task, stream, device),
                "EH0012"};
}

}  // namespace

void belay::api::raise_operator_failure(const Stream& stream, const Status& status) {
  const auto failed = executor::take_failed_operator();
  if (!failed) return;
  raise_exception({failed->run.task_id, static_cast<uint32_t>(stream.id()), static_cast<uint32_t>(pthread_self()),
                   static_cast<uint32_t>(stream.context()->device().id()), static_cast<uint32_t>(status.code)},
                  status);
}

aclError aclmdlCreateAndGetOpDesc(uint32_t deviceId, uint32_t streamId, uint32_t taskId, char* opName, size_t opNameLen,
                                  aclTensorDesc** inputDesc, size_t* numInputs, aclTensorDesc** outputDesc,
                                  size_t* numOutputs) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(opName, "opName"));
        TRY(not_null(inputDesc, "inputDesc"));
        TRY(not_null(numInputs, "numInputs"));
        TRY(not_null(outputDesc, "outputDesc"));
        TRY(not_null(numOutputs, "numOutputs"));
        const auto failed = TRY(find_failed(deviceId, streamId, taskId));
        if (failed->name.size() + 1 > opNameLen)
          return {ACL_ERROR_INVALID_PARAM,
                  formatted("the name needs {} bytes, opNameLen is {}", failed->name.size() + 1, opNameLen), "EH0012"};
        auto inputs = describe(failed->inputs), outputs = describe(failed->outputs);
        std::memcpy(opName, failed->name.c_str(), failed->name.size() + 1);
        *inputDesc = inputs.release();
        *numInputs = failed->inputs.size();
        *outputDesc = outputs.release();
        *numOutputs = failed->outputs.size();
        return {};
      },
      deviceId, streamId, taskId, opName, opNameLen, inputDesc, numInputs, outputDesc, numOutputs);
}

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
