// SPDX-License-Identifier: Apache-2.0
// Physical memory between processes.
#include <cstring>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/text.h"
#include "runtime/bad_parameter.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"
#include "runtime/memory/physical_memory.h"

using namespace belay;
using namespace belay::api;

namespace {

Result<bool> for_everybody(uint64_t flags) {
  if (flags == ACL_RT_VMM_EXPORT_FLAG_DEFAULT) return false;
  if (flags == ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION) return true;
  return bad_parameter(formatted("flags is {}; it must be 0, or 1 to disable the validation of pids", flags));
}

Result<uint64_t> share(aclrtDrvMemHandle handle, uint64_t flags) {
  const auto memory = TRY(find_physical_memory(handle));
  return memory->share(TRY(for_everybody(flags)));
}

Status export_v1(aclrtDrvMemHandle handle, aclrtMemHandleType type, uint64_t flags, uint64_t* shareable) {
  TRY(not_null(handle, "handle"));
  TRY(not_null(shareable, "shareableHandle"));
  if (type != ACL_MEM_HANDLE_TYPE_NONE && type != ACL_MEM_HANDLE_TYPE_POSIX)
    return {ACL_ERROR_INVALID_PARAM, formatted("handleType is {}; it must be one of aclrtMemHandleType", type),
            "EH0007"};
  *shareable = TRY(share(handle, flags));
  return {};
}

Status import_as(uint64_t shareable, int device, aclrtDrvMemHandle* handle) {
  *handle = physical_memory_table().insert(TRY(PhysicalMemory::import(shareable, device)));
  return {};
}

Status import_v1(uint64_t shareable, int32_t device, aclrtDrvMemHandle* handle) {
  TRY(not_null(handle, "handle"));
  return import_as(shareable, TRY(find_device(device))->id(), handle);
}

// In the second form a handle is the number, or 128 bytes that begin with it.
Result<size_t> bytes_of(aclrtMemSharedHandleType type) {
  switch (type) {
    case ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT:
      return sizeof(uint64_t);
    case ACL_MEM_SHARE_HANDLE_TYPE_FABRIC:
      return sizeof(aclrtMemFabricHandle);
  }
  return Status{ACL_ERROR_INVALID_PARAM, formatted("shareType is {}; it must be 1 (a number) or 2 (fabric)", type),
                "EH0007"};
}

Result<uint64_t> read_shareable(const void* shareable, aclrtMemSharedHandleType type) {
  TRY(not_null(shareable, "shareableHandle"));
  TRY(bytes_of(type));
  uint64_t number = 0;
  std::memcpy(&number, shareable, sizeof number);
  return number;
}

Status export_v2(aclrtDrvMemHandle handle, uint64_t flags, aclrtMemSharedHandleType type, void* shareable) {
  TRY(not_null(handle, "handle"));
  TRY(not_null(shareable, "shareableHandle"));
  const size_t bytes = TRY(bytes_of(type));
  const uint64_t number = TRY(share(handle, flags));
  std::memset(shareable, 0, bytes);
  std::memcpy(shareable, &number, sizeof number);
  return {};
}

Status import_v2(const void* shareable, aclrtMemSharedHandleType type, uint64_t flags, aclrtDrvMemHandle* handle) {
  const uint64_t number = TRY(read_shareable(shareable, type));
  TRY(not_null(handle, "handle"));
  if (flags != 0) return bad_parameter(formatted("flags is {}; it must be 0", flags));
  const auto context = TRY(current_context());
  return import_as(number, context->device().id(), handle);
}

Status admit(uint64_t shareable, const int32_t* pids, size_t count) {
  TRY(not_null(pids, "pid"));
  if (count == 0) return bad_parameter("pidNum is 0; it must be at least 1");
  return admit_to_shareable(shareable, {pids, count});
}

}  // namespace

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType, uint64_t flags,
                                         uint64_t* shareableHandle) {
  return entry(
      __func__, [&] { return export_v1(handle, handleType, flags, shareableHandle); }, handle, handleType, flags,
      shareableHandle);
}

aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags, aclrtMemSharedHandleType shareType,
                                           void* shareableHandle) {
  return entry(
      __func__, [&] { return export_v2(handle, flags, shareType, shareableHandle); }, handle, flags, shareType,
      shareableHandle);
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle* handle) {
  return entry(
      __func__, [&] { return import_v1(shareableHandle, deviceId, handle); }, shareableHandle, deviceId, handle);
}

aclError aclrtMemImportFromShareableHandleV2(void* shareableHandle, aclrtMemSharedHandleType shareType, uint64_t flags,
                                             aclrtDrvMemHandle* handle) {
  return entry(
      __func__, [&] { return import_v2(shareableHandle, shareType, flags, handle); }, shareableHandle, shareType, flags,
      handle);
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid, size_t pidNum) {
  return entry(
      __func__, [&] { return admit(shareableHandle, pid, pidNum); }, shareableHandle, pid, pidNum);
}

aclError aclrtMemSetPidToShareableHandleV2(void* shareableHandle, aclrtMemSharedHandleType shareType, int32_t* pid,
                                           size_t pidNum) {
  return entry(
      __func__, [&]() -> Status { return admit(TRY(read_shareable(shareableHandle, shareType)), pid, pidNum); },
      shareableHandle, shareType, pid, pidNum);
}
