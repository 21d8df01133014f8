// SPDX-License-Identifier: Apache-2.0
#include "acl/acl_base.h"
#include "api/core/entry.h"
#include "base/half.h"

using namespace belay;
using namespace belay::api;

float aclFloat16ToFloat(aclFloat16 value) {
  return entry_value<float>(
      __func__, 0, [&] { return half_to_float(value); }, value);
}

aclFloat16 aclFloatToFloat16(float value) {
  return entry_value<aclFloat16>(
      __func__, 0, [&] { return float_to_half(value); }, value);
}

namespace {

// Bytes of one element. Types that are not named here give 8, as the original does.
size_t element_size(aclDataType type) {
  switch (type) {
    case ACL_DT_UNDEFINED:
    case ACL_STRING:
      return 0;
    case ACL_BOOL:
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_INT4:
    case ACL_UINT1:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0:
      return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16:
      return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32:
      return 4;
    case ACL_COMPLEX128:
      return 16;
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_DOUBLE:
    case ACL_COMPLEX64:
    case ACL_FLOAT6_E3M2:
    case ACL_FLOAT6_E2M3:
    case ACL_FLOAT4_E2M1:
    case ACL_FLOAT4_E1M2:
      return 8;
  }
  return 8;
}

}  // namespace

size_t aclDataTypeSize(aclDataType dataType) {
  return entry_value<size_t>(
      __func__, 0, [&] { return element_size(dataType); }, dataType);
}
