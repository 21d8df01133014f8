// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/random.h"

#include <algorithm>
#include <cstring>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/device_memory.h"
#include "base/text.h"
#include "runtime/device/current.h"
#include "runtime/memory/blocks.h"

using namespace belay;
using namespace belay::api;

namespace {

// The eight bytes of a parameter: given in place, or read from memory when the task runs.
Result<uint64_t> read_raw(const aclrtRandomParaInfo& info, size_t bytes, const char* name) {
  uint64_t raw = 0;
  std::memcpy(&raw, info.valueOrAddr, sizeof raw);
  if (info.isAddr) {
    const auto* address = reinterpret_cast<const void*>(raw);
    if (!address) return Status{ACL_ERROR_RT_PARAM_INVALID, formatted("the address of {} is null", name)};
    TRY(blocks().check_range(address, bytes, name));
    raw = 0;
    copy_memory(&raw, address, bytes);
  }
  return bytes == sizeof raw ? raw : raw & ((uint64_t{1} << (8 * bytes)) - 1);
}

// An unsigned number of info.size bytes (0: eight).
Result<uint64_t> read_number(const aclrtRandomParaInfo& info, const char* name) {
  return read_raw(info, info.size == 0 ? 8 : info.size, name);
}

Result<RandomParameter> read_parameter(const aclrtRandomParaInfo& info, aclDataType type, const char* name) {
  const uint64_t raw = TRY(read_raw(info, random_element_size(type), name));
  return read_random_parameter(&raw, type);
}

Status generate(const aclrtRandomNumTaskInfo& task) {
  const aclDataType type = task.dataType;
  const auto& function = task.randomNumFuncParaInfo;
  const uint64_t count = TRY(read_number(task.randomNum, "randomNum"));
  uint64_t counter = 0;
  if (task.randomCounterAddr) counter = read_memory<uint64_t>(task.randomCounterAddr);
  const RandomBits bits(TRY(read_number(task.randomSeed, "randomSeed")), counter);
  const bool mask = function.funcType == ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK;
  const auto bytes = static_cast<unsigned __int128>(count) * (mask ? 1 : 8 * random_element_size(type)) / 8;
  if (bytes > SIZE_MAX / 2) return {ACL_ERROR_RT_PARAM_INVALID, formatted("randomNum {} is too large", count)};
  void* out = task.randomResultAddr;
  TRY(blocks().check_range(out, static_cast<size_t>(bytes) + (mask && count % 8 ? 1 : 0), "randomResultAddr",
                           Use::Write));
  out = host_view(out);
  switch (function.funcType) {
    case ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK: {
      const auto& given = function.paramInfo.dropoutBitmaskInfo;
      return fill_dropout_mask(bits, out, count, TRY(read_parameter(given.dropoutRation, type, "dropoutRation")).real);
    }
    case ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS: {
      const auto& given = function.paramInfo.uniformDisInfo;
      const auto min = TRY(read_parameter(given.min, type, "min"));
      return fill_uniform(bits, out, count, type, min, TRY(read_parameter(given.max, type, "max")));
    }
    case ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS:
    case ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS: {
      const auto& given = function.paramInfo.normalDisInfo;
      const double mean = TRY(read_parameter(given.mean, type, "mean")).real;
      const double deviation = TRY(read_parameter(given.stddev, type, "stddev")).real;
      const bool truncated = function.funcType == ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS;
      return (truncated ? fill_truncated_normal : fill_normal)(bits, out, count, type, mean, deviation);
    }
  }
  return {};
}

bool needs_real_type(aclrtRandomNumFuncType function) { return function != ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS; }

Status check_task(const aclrtRandomNumTaskInfo& task) {
  const auto function = task.randomNumFuncParaInfo.funcType;
  if (function < ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK ||
      function > ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS)
    return {ACL_ERROR_INVALID_PARAM,
            formatted("funcType is {}; it must be 0 (dropout mask), 1 (uniform), 2 (normal) or 3 (truncated normal)",
                      function),
            "EH0007"};
  TRY(not_null(task.randomResultAddr, "randomResultAddr"));
  const aclDataType type = task.dataType;
  const bool real = type == ACL_FLOAT || type == ACL_FLOAT16 || type == ACL_BF16;
  if (random_element_size(type) == 0 || (needs_real_type(function) && !real))
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("dataType is {}; uniform numbers can be int32, int64, uint32, uint64, float16, bfloat16 and "
                      "float32, the others only float types",
                      type)};
  for (const auto* info : {&task.randomSeed, &task.randomNum})
    if (info->size > 8) return {ACL_ERROR_RT_PARAM_INVALID, formatted("size is {}; it must be up to 8", info->size)};
  if (task.randomCounterAddr) TRY(blocks().check_range(task.randomCounterAddr, sizeof(uint64_t), "randomCounterAddr"));
  return {};
}

Status random_async(const aclrtRandomNumTaskInfo* task, aclrtStream stream, const void* reserve) {
  TRY(not_null(task, "taskInfo"));
  if (reserve) return {ACL_ERROR_INVALID_PARAM, "reserve must be null", "EH0009"};
  const auto target = TRY(find_stream(stream));
  TRY(check_task(*task));
  return target->launch([copy = *task] { return generate(copy); });
}

}  // namespace

aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo* taskInfo, const aclrtStream stream, void* reserve) {
  return entry(
      __func__, [&] { return random_async(taskInfo, stream, reserve); }, taskInfo, stream, reserve);
}
