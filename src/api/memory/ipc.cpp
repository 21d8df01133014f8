// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/text.h"
#include "runtime/bad_parameter.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"
#include "runtime/memory/ipc_memory.h"

using namespace belay;
using namespace belay::api;

namespace {

Status export_key(void* pointer, size_t size, char* key, size_t room, uint64_t flags) {
  TRY(not_null(pointer, "devPtr"));
  TRY(not_null(key, "key"));
  if (size == 0) return bad_parameter("size is 0; it must be at least 1");
  if (room < kIpcKeyBytes) return bad_parameter(formatted("len is {}; a key needs {} bytes", room, kIpcKeyBytes));
  if (flags > ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION)
    return bad_parameter(formatted("flags is {}; it must be 0, or 1 to disable the validation of pids", flags));
  TRY(current_context());
  const std::string made =
      TRY(export_memory(pointer, size, flags == ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
  std::memset(key, 0, room);
  made.copy(key, room - 1);
  return {};
}

Status import_key(void** pointer, const char* key, uint64_t flags) {
  TRY(not_null(pointer, "devPtr"));
  TRY(not_null(key, "key"));
  if (flags > ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS)
    return bad_parameter(formatted("flags is {}; it must be 0, or 1 to enable peer access", flags));
  const auto context = TRY(current_context());
  *pointer = TRY(import_memory(key, context->device().id()));
  return {};
}

Status set_import_pids(const char* key, const int32_t* pids, size_t count) {
  TRY(not_null(key, "key"));
  TRY(not_null(pids, "pid"));
  if (count == 0) return bad_parameter("num is 0; it must be at least 1");
  return admit_to_key(key, {pids, count});
}

// There is one way between simulated devices: any link that exists is as good.
Status set_attribute(const char* key, aclrtIpcMemAttrType type, uint64_t value) {
  TRY(not_null(key, "key"));
  if (type != ACL_RT_IPC_MEM_ATTR_ACCESS_LINK)
    return {ACL_ERROR_INVALID_PARAM, formatted("type is {}; it must be 0 (the access link)", type), "EH0007"};
  if (value > ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH)
    return bad_parameter(formatted("attr is {}; links are ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_*, 0 to 3", value));
  if (!knows_key(key))
    return bad_parameter(formatted("this process has neither exported nor imported the key \"{}\"", key));
  return {};
}

}  // namespace

aclError aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key, size_t len, uint64_t flags) {
  return entry(
      __func__, [&] { return export_key(devPtr, size, key, len, flags); }, devPtr, size, key, len, flags);
}

aclError aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t flags) {
  return entry(
      __func__, [&] { return import_key(devPtr, key, flags); }, devPtr, key, flags);
}

aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num) {
  return entry(
      __func__, [&] { return set_import_pids(key, pid, num); }, key, pid, num);
}

aclError aclrtIpcMemSetAttr(const char* key, aclrtIpcMemAttrType type, uint64_t attr) {
  return entry(
      __func__, [&] { return set_attribute(key, type, attr); }, key, type, attr);
}

aclError aclrtIpcMemClose(const char* key) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(key, "key"));
        return close_key(key);
      },
      key);
}
