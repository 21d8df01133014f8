// SPDX-License-Identifier: Apache-2.0
#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/device_memory.h"
#include "base/text.h"
#include "runtime/device/current.h"
#include "runtime/memory/blocks.h"
#include "runtime/stream/value_task.h"

using namespace belay;
using namespace belay::api;

namespace {

Status check_address(const void* address, Use use) {
  if (reinterpret_cast<uintptr_t>(address) % sizeof(uint64_t) != 0)
    return {ACL_ERROR_RT_PARAM_INVALID, formatted("devAddr {} is not a multiple of 8", address)};
  const Site site = blocks().locate(address);
  if (site.place != Place::Device && site.place != Place::Pinned)
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("devAddr {} is {}, not memory that a device reaches", address, blocks().describe(address))};
  return blocks().check_range(site, address, sizeof(uint64_t), "devAddr", use);
}

Status write_value(void* address, uint64_t value, uint32_t flag, aclrtStream stream) {
  TRY(not_null(address, "devAddr"));
  const auto target = TRY(find_stream(stream));
  if (flag != 0) return {ACL_ERROR_RT_PARAM_INVALID, formatted("flag is {}; it is reserved and must be 0", flag)};
  TRY(check_address(address, Use::Write));
  return launch_value_write(*target, host_view(static_cast<uint64_t*>(address)), value);
}

Status wait_for_value(const void* address, uint64_t value, uint32_t flag, aclrtStream stream) {
  TRY(not_null(address, "devAddr"));
  const auto target = TRY(find_stream(stream));
  if (flag > ACL_STREAM_WAIT_VALUE_NOR)
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("flag is {}; it must be one of ACL_STREAM_WAIT_VALUE_*, 0 to 3", flag)};
  TRY(check_address(address, Use::Read));
  return launch_value_wait(*target, host_view(static_cast<const uint64_t*>(address)), value,
                           static_cast<ValueCondition>(flag));
}

}  // namespace

aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  return entry(
      __func__, [&] { return write_value(devAddr, value, flag, stream); }, devAddr, value, flag, stream);
}

aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  return entry(
      __func__, [&] { return wait_for_value(devAddr, value, flag, stream); }, devAddr, value, flag, stream);
}
