// SPDX-License-Identifier: Apache-2.0
// Failure modes and attributes of streams, and the configuration handle that creates them.
#include <bit>
#include <cstring>
#include <limits>
#include <new>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "runtime/device/current.h"

using namespace belay;
using namespace belay::api;

namespace {

static_assert(std::endian::native == std::endian::little);

Status set_failure_mode(Stream& stream, uint64_t mode) {
  Context& context = *stream.context();
  if (mode != ACL_CONTINUE_ON_FAILURE && mode != ACL_STOP_ON_FAILURE)
    return {
        ACL_ERROR_RT_PARAM_INVALID,
        "the failure mode is " + std::to_string(mode) + "; it must be ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE",
        "EE1003"};
  if (mode == ACL_CONTINUE_ON_FAILURE && context.stops_on_failure())
    return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "ACL_STOP_ON_FAILURE cannot be undone; use another context", "EE1006"};
  if (mode == ACL_STOP_ON_FAILURE) context.stop_on_failure();
  return {};
}

Status set_overflow_switch(Stream& stream, uint32_t flag) {
  if (flag > 1) return {ACL_ERROR_RT_PARAM_INVALID, "the overflow switch must be 0 or 1", "EE1003"};
  stream.overflow_switch = flag;
  return {};
}

Status bad_attribute(aclrtStreamAttr attribute) {
  return {ACL_ERROR_RT_PARAM_INVALID, "there is no stream attribute " + std::to_string(attribute), "EE1003"};
}

Status bad_size(size_t size, const char* wanted) {
  return {ACL_ERROR_INVALID_PARAM, "valueSize is " + std::to_string(size) + "; this attribute has " + wanted + " bytes",
          "EH0009"};
}

template <class Field>
Status take(Field& field, const void* value, size_t size) {
  static_assert(sizeof(Field) == 8);
  if (size != sizeof(Field)) return bad_size(size, "8");
  std::memcpy(&field, value, size);
  return {};
}

// Programs pass numbers as uint32_t and as size_t.
template <class Field>
Status take_number(Field& field, const void* value, size_t size) {
  uint64_t number = 0;
  if (size != sizeof(uint32_t) && size != sizeof(uint64_t)) return bad_size(size, "4 or 8");
  std::memcpy(&number, value, size);  // the low bytes come first
  if (number > std::numeric_limits<Field>::max())
    return {ACL_ERROR_INVALID_PARAM, "the value is " + std::to_string(number) + ", which is out of range", "EH0009"};
  field = static_cast<Field>(number);
  return {};
}

}  // namespace

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  return entry(
      __func__, [&]() -> Status { return set_failure_mode(*TRY(find_any_stream(stream)), mode); }, stream, mode);
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
  return entry(
      __func__, [&]() -> Status { return set_overflow_switch(*TRY(find_any_stream(stream)), flag); }, stream, flag);
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(flag, "flag"));
        *flag = TRY(find_any_stream(stream))->overflow_switch;
        return {};
      },
      stream, flag);
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        Stream& target = *TRY(find_any_stream(stream));
        switch (stmAttrType) {
          case ACL_STREAM_ATTR_FAILURE_MODE:
            return set_failure_mode(target, value->failureMode);
          case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
            return set_overflow_switch(target, value->overflowSwitch);
          case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
            target.custom_tag = value->userCustomTag;
            return {};
          case ACL_STREAM_ATTR_CACHE_OP_INFO:
            target.cache_op_info = value->cacheOpInfoSwitch;
            return {};
          case ACL_STREAM_ATTR_PRIORITY:
            target.priority = std::min(value->streamPriority, 7u);
            return {};
        }
        return bad_attribute(stmAttrType);
      },
      stream, stmAttrType, value);
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        const Stream& target = *TRY(find_any_stream(stream));
        switch (stmAttrType) {
          case ACL_STREAM_ATTR_FAILURE_MODE:
            value->failureMode = target.context()->stops_on_failure();
            return {};
          case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
            value->overflowSwitch = target.overflow_switch;
            return {};
          case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
            value->userCustomTag = target.custom_tag;
            return {};
          case ACL_STREAM_ATTR_CACHE_OP_INFO:
            value->cacheOpInfoSwitch = target.cache_op_info;
            return {};
          case ACL_STREAM_ATTR_PRIORITY:
            value->streamPriority = target.priority;
            return {};
        }
        return bad_attribute(stmAttrType);
      },
      stream, stmAttrType, value);
}

aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle() {
  return entry_value<aclrtStreamConfigHandle*>(__func__, nullptr, [] { return new aclrtStreamConfigHandle{}; });
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle) {
  return destroy(__func__, handle, "handle");
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr, const void* attrValue,
                                 size_t valueSize) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(handle, "handle"));
        TRY(not_null(attrValue, "attrValue"));
        switch (attr) {
          case ACL_RT_STREAM_WORK_ADDR_PTR:
            return take(handle->workptr, attrValue, valueSize);
          case ACL_RT_STREAM_WORK_SIZE:
            return take(handle->workSize, attrValue, valueSize);
          case ACL_RT_STREAM_FLAG:
            return take_number(handle->flag, attrValue, valueSize);
          case ACL_RT_STREAM_PRIORITY:
            return take_number(handle->priority, attrValue, valueSize);
        }
        return {ACL_ERROR_INVALID_PARAM, "there is no stream option " + std::to_string(attr), "EH0007"};
      },
      handle, attr, attrValue, valueSize);
}
