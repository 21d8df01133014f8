// SPDX-License-Identifier: Apache-2.0
// The numbers and names of devices. User ids count the visible devices; logic and physical ids are the same here.
#include <unistd.h>

#include <cstring>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/text.h"
#include "runtime/device/attributes.h"
#include "runtime/device/devices.h"
#include "runtime/device/soc.h"

using namespace belay;
using namespace belay::api;

namespace {

Result<int> user_id_of(int physical) {
  if (const auto user = user_device(physical)) return *user;
  return Status{ACL_ERROR_RT_INVALID_DEVICEID,
                formatted("device {} does not exist or ASCEND_RT_VISIBLE_DEVICES hides it", physical)};
}

Result<int> checked_physical(int physical) {
  TRY(user_id_of(physical));
  return physical;
}

// The three kinds of ids and the six ways between them.
template <class Convert>
aclError convert_id(const char* function, int32_t from, int32_t* to, const char* parameter, Convert convert) {
  return entry(
      function,
      [&]() -> Status {
        TRY(not_null(to, parameter));
        *to = TRY(convert(from));
        return {};
      },
      from, to);
}

Result<uint64_t> link_between(uint32_t device, uint32_t other) {
  TRY(physical_device(static_cast<int>(device)));
  TRY(physical_device(static_cast<int>(other)));
  if (device == other) return 0;
  // Training cards are joined by HCCS, inference cards meet at the host bridge.
  const bool training = std::string_view(soc().name).starts_with("Ascend910");
  return training ? ACL_RT_DEVS_TOPOLOGY_HCCS : ACL_RT_DEVS_TOPOLOGY_PHB;
}

}  // namespace

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t* const logicDevId) {
  return convert_id(__func__, userDevid, logicDevId, "logicDevId", physical_device);
}

aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t* const userDevid) {
  return convert_id(__func__, logicDevId, userDevid, "userDevid", user_id_of);
}

aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t* const logicDevId) {
  return convert_id(__func__, phyDevId, logicDevId, "logicDevId", checked_physical);
}

aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t* const phyDevId) {
  return convert_id(__func__, logicDevId, phyDevId, "phyDevId", checked_physical);
}

aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t* const userDevId) {
  return convert_id(__func__, phyDevId, userDevId, "userDevId", user_id_of);
}

aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t* const phyDevId) {
  return convert_id(__func__, userDevId, phyDevId, "phyDevId", physical_device);
}

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(uuid, "uuid"));
        memcpy(uuid->bytes, device_uuid(TRY(physical_device(deviceId))).data(), sizeof uuid->bytes);
        return {};
      },
      deviceId, uuid);
}

aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char* pciBusId, int32_t len) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(pciBusId, "pciBusId"));
        const std::string text = pci_bus_id(TRY(physical_device(deviceId)));
        if (len <= static_cast<int>(text.size()))
          return {ACL_ERROR_RT_PARAM_INVALID, formatted("len is {}; it must be {} or more", len, text.size() + 1)};
        memcpy(pciBusId, text.c_str(), text.size() + 1);
        return {};
      },
      deviceId, pciBusId, len);
}

aclError aclrtDeviceGetByPCIBusId(const char* pciBusId, int32_t* deviceId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(pciBusId, "pciBusId"));
        TRY(not_null(deviceId, "deviceId"));
        const auto physical = device_at_pci_bus(pciBusId);
        const auto user = physical ? user_device(*physical) : std::nullopt;
        if (!user) return {ACL_ERROR_RT_PARAM_INVALID, formatted("no visible device has the address {}", pciBusId)};
        *deviceId = *user;
        return {};
      },
      pciBusId, deviceId);
}

aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t* value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        *value = TRY(link_between(deviceId, otherDeviceId));
        return {};
      },
      deviceId, otherDeviceId, value);
}

aclError aclrtDeviceGetBareTgid(int32_t* pid) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(pid, "pid"));
        *pid = getpid();
        return {};
      },
      pid);
}
