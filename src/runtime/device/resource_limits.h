// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "acl/acl_rt.h"
#include "base/status.h"

namespace belay {

struct InitConfig;

// How many cores of a kind programs may plan with: what the SoC has, or fewer if the program asked for fewer on a
// device or a stream. The numbers are kept and answered; our kernels take their threads from BELAY_NUM_THREADS.
// `device` is a user id that exists, `stream` the handle of a live stream of that device. Safe from any thread.
// ACL_ERROR_RT_PARAM_INVALID for a kind that does not exist, and for a number that is 0 or more than the SoC has.
Result<uint32_t> device_cores(int device, aclrtDevResLimitType type);
Status limit_device_cores(int device, aclrtDevResLimitType type, uint32_t count);
void unlimit_device_cores(int device);

Result<uint32_t> stream_cores(int device, const void* stream, aclrtDevResLimitType type);
Status limit_stream_cores(const void* stream, aclrtDevResLimitType type, uint32_t count);
void unlimit_stream_cores(const void* stream);

// The stream whose limits count on the calling thread; null: those of the device.
const void* limiting_stream();
void set_limiting_stream(const void* stream);

// Sizes that kernels on a device may use. The SIMT ones are refused with 207000: no SoC of our table has SIMT cores.
Result<size_t> device_limit(int device, aclrtDeviceLimit limit);
Status set_device_limit(int device, aclrtDeviceLimit limit, size_t value);
// What aclInit's configuration says holds for devices without a limit of their own.
void set_usual_device_limits(const InitConfig& config);

}  // namespace belay
