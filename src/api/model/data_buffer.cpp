// SPDX-License-Identifier: Apache-2.0
#include "api/model/data_buffer.h"

#include "acl/acl_base.h"
#include "api/core/entry.h"

using namespace belay;
using namespace belay::api;

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
  return entry_value<aclDataBuffer*>(
      __func__, nullptr,
      [&] {
        return new aclDataBuffer{data, size};
      },
      data, size);
}

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  return destroy(__func__, dataBuffer, "dataBuffer");
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(dataBuffer, "dataBuffer"));
        *dataBuffer = {data, size};
        return {};
      },
      dataBuffer, data, size);
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  return entry_value<void*>(
      __func__, nullptr, [&] { return dataBuffer ? dataBuffer->data : nullptr; }, dataBuffer);
}

uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
  return entry_value<uint32_t>(
      __func__, 0, [&] { return dataBuffer ? static_cast<uint32_t>(dataBuffer->size) : 0; }, dataBuffer);
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  return entry_value<size_t>(
      __func__, 0, [&] { return dataBuffer ? dataBuffer->size : 0; }, dataBuffer);
}
