// SPDX-License-Identifier: Apache-2.0
// What can be said of a tensor after its descriptor was made.
#include <cstring>

#include "acl/acl_base_mdl.h"
#include "api/core/entry.h"
#include "api/operators/tensor_desc.h"

using namespace belay;
using namespace belay::api;

namespace {

Status set_format(aclTensorDesc* desc, aclFormat aclTensorDesc::*field, aclFormat format) {
  TRY(not_null(desc, "desc"));
  desc->*field = format;
  return {};
}

Status set_shape(aclTensorDesc* desc, graph::Shape aclTensorDesc::*field, int count, const int64_t* dims) {
  TRY(not_null(desc, "desc"));
  if (count < 0) return {ACL_ERROR_INVALID_PARAM, "numDims must not be negative", "EH0009"};
  if (count > 0) TRY(not_null(dims, "dims"));
  (desc->*field).assign(dims, dims + count);
  return {};
}

}  // namespace

aclError aclSetTensorStorageFormat(aclTensorDesc* desc, aclFormat format) {
  return entry(
      __func__, [&] { return set_format(desc, &aclTensorDesc::storage_format, format); }, desc, format);
}

aclError aclSetTensorStorageShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  return entry(
      __func__, [&] { return set_shape(desc, &aclTensorDesc::storage_dims, numDims, dims); }, desc, numDims, dims);
}

aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format) {
  return entry(
      __func__, [&] { return set_format(desc, &aclTensorDesc::storage_format, format); }, desc, format);
}

aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  return entry(
      __func__, [&] { return set_shape(desc, &aclTensorDesc::storage_dims, numDims, dims); }, desc, numDims, dims);
}

aclError aclSetTensorOriginFormat(aclTensorDesc* desc, aclFormat format) {
  return entry(
      __func__, [&] { return set_format(desc, &aclTensorDesc::origin_format, format); }, desc, format);
}

aclError aclSetTensorOriginShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  return entry(
      __func__, [&] { return set_shape(desc, &aclTensorDesc::origin_dims, numDims, dims); }, desc, numDims, dims);
}

aclError aclSetTensorDynamicInput(aclTensorDesc* desc, const char* dynamicInputName) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(desc, "desc"));
        TRY(not_null(dynamicInputName, "dynamicInputName"));
        desc->dynamic_input = dynamicInputName;
        return {};
      },
      desc, dynamicInputName);
}

aclError aclSetTensorConst(aclTensorDesc* desc, void* dataBuffer, size_t length) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(desc, "desc"));
        TRY(not_null(dataBuffer, "dataBuffer"));
        if (length == 0) return {ACL_ERROR_INVALID_PARAM, "length must be above 0", "EH0009"};
        desc->constant.resize(length);
        std::memcpy(desc->constant.data(), dataBuffer, length);
        desc->is_constant = true;
        return {};
      },
      desc, dataBuffer, length);
}

aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(desc, "desc"));
        if (memType < ACL_MEMTYPE_DEVICE || memType > ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT)
          return {ACL_ERROR_INVALID_PARAM, "memType must be one of aclMemType's three values", "EH0007"};
        desc->placement = memType;
        return {};
      },
      desc, memType);
}
