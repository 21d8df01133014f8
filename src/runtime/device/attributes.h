// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "acl/acl_rt.h"
#include "base/status.h"

namespace belay {

// What aclrtGetDeviceInfo answers for the device with this physical id. ACL_ERROR_RT_PARAM_INVALID for an attribute
// that does not exist or that this SoC does not have.
Result<int64_t> device_attribute(int physical_id, aclrtDevAttr attribute);

// The address of a simulated device on a PCI bus that does not exist either: 0000:03:00.0.
std::string pci_bus_id(int physical_id);
// The physical id of that address; nothing when it is no address of ours.
std::optional<int> device_at_pci_bus(std::string_view bus_id);

// Sixteen bytes that differ between the devices and are the same in every process.
std::string device_uuid(int physical_id);

}  // namespace belay
