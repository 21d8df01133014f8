// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/resource_limits.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>

#include "base/text.h"
#include "runtime/device/context.h"
#include "runtime/device/init_config.h"
#include "runtime/device/soc.h"

namespace belay {
namespace {

constexpr size_t most_stack = 192 << 10;
constexpr size_t least_fifo = 1 << 10, most_fifo = 64 << 20;

// By aclrtDevResLimitType.
using CoreLimits = std::array<std::optional<uint32_t>, 2>;

struct DeviceSizes {
  std::optional<size_t> stack, printf_fifo;
};

struct Limits {
  std::mutex mutex;
  std::map<int, CoreLimits> device_cores;
  std::map<const void*, CoreLimits> stream_cores;
  std::map<int, DeviceSizes> device_sizes;
  size_t usual_stack = InitConfig().aicore_stack_size;
  size_t usual_printf_fifo = InitConfig().simd_printf_fifo_size_per_core;
};

Limits& limits() {
  static Limits& limits = *new Limits;
  return limits;
}

thread_local const void* thread_stream = nullptr;

Result<uint32_t> cores_of_soc(aclrtDevResLimitType type) {
  switch (type) {
    case ACL_RT_DEV_RES_CUBE_CORE:
      return static_cast<uint32_t>(soc().cube_cores < 0 ? soc().ai_cores : soc().cube_cores);
    case ACL_RT_DEV_RES_VECTOR_CORE:
      return static_cast<uint32_t>(soc().vector_cores);
  }
  return Status{
      ACL_ERROR_RT_PARAM_INVALID,
      formatted("type is {}; it must be ACL_RT_DEV_RES_CUBE_CORE (0) or ACL_RT_DEV_RES_VECTOR_CORE (1)", type)};
}

Status check_count(aclrtDevResLimitType type, uint32_t count) {
  const uint32_t most = TRY(cores_of_soc(type));
  if (count >= 1 && count <= most) return {};
  return {ACL_ERROR_RT_PARAM_INVALID,
          formatted("value is {}; {} has 1 to {} cores of this kind", count, soc_name(), most)};
}

template <class Key>
std::optional<uint32_t> limit_in(const std::map<Key, CoreLimits>& all, Key key, aclrtDevResLimitType type) {
  const auto found = all.find(key);
  return found == all.end() ? std::nullopt : found->second[static_cast<size_t>(type)];
}

Status out_of_range(const char* name, size_t value, size_t least, size_t most) {
  return {ACL_ERROR_RT_PARAM_INVALID, formatted("value of {} is {}; it must be {} to {}", name, value, least, most)};
}

Status no_simt(aclrtDeviceLimit limit) {
  if (limit == ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE || limit == ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE ||
      limit == ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE)
    return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, formatted("limit {} is for SIMT cores; {} has none", limit, soc_name())};
  return {ACL_ERROR_RT_PARAM_INVALID, formatted("limit {} does not exist; see aclrtDeviceLimit", limit)};
}

}  // namespace

Result<uint32_t> device_cores(int device, aclrtDevResLimitType type) {
  const uint32_t most = TRY(cores_of_soc(type));
  std::lock_guard lock(limits().mutex);
  return limit_in(limits().device_cores, device, type).value_or(most);
}

Status limit_device_cores(int device, aclrtDevResLimitType type, uint32_t count) {
  TRY(check_count(type, count));
  std::lock_guard lock(limits().mutex);
  limits().device_cores[device][static_cast<size_t>(type)] = count;
  return {};
}

void unlimit_device_cores(int device) {
  std::lock_guard lock(limits().mutex);
  limits().device_cores.erase(device);
}

Result<uint32_t> stream_cores(int device, const void* stream, aclrtDevResLimitType type) {
  const uint32_t of_device = TRY(device_cores(device, type));
  std::lock_guard lock(limits().mutex);
  return limit_in(limits().stream_cores, stream, type).value_or(of_device);
}

Status limit_stream_cores(const void* stream, aclrtDevResLimitType type, uint32_t count) {
  TRY(check_count(type, count));
  std::lock_guard lock(limits().mutex);
  auto& all = limits().stream_cores;
  std::erase_if(all, [](const auto& entry) { return !stream_table().find(entry.first); });
  all[stream][static_cast<size_t>(type)] = count;
  return {};
}

void unlimit_stream_cores(const void* stream) {
  std::lock_guard lock(limits().mutex);
  limits().stream_cores.erase(stream);
}

const void* limiting_stream() { return thread_stream; }
void set_limiting_stream(const void* stream) { thread_stream = stream; }

Result<size_t> device_limit(int device, aclrtDeviceLimit limit) {
  std::lock_guard lock(limits().mutex);
  const DeviceSizes own = limits().device_sizes[device];
  if (limit == ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE) return own.stack.value_or(limits().usual_stack);
  if (limit == ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE)
    return own.printf_fifo.value_or(limits().usual_printf_fifo);
  return no_simt(limit);
}

Status set_device_limit(int device, aclrtDeviceLimit limit, size_t value) {
  std::lock_guard lock(limits().mutex);
  DeviceSizes& own = limits().device_sizes[device];
  switch (limit) {
    case ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE:
      if (value > most_stack) return out_of_range("ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE", value, 1, most_stack);
      own.stack = rounded_stack_size(value);
      return {};
    case ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE:
      if (value < least_fifo || value > most_fifo)
        return out_of_range("ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE", value, least_fifo, most_fifo);
      own.printf_fifo = value;
      return {};
    case ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE:
    case ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE:
    case ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE:
      break;
  }
  return no_simt(limit);
}

void set_usual_device_limits(const InitConfig& config) {
  std::lock_guard lock(limits().mutex);
  limits().usual_stack = config.aicore_stack_size;
  limits().usual_printf_fifo = config.simd_printf_fifo_size_per_core;
}

}  // namespace belay
