// SPDX-License-Identifier: Apache-2.0
// Every overload of acl_rt_api.h, called as C++ programs call it, compiles and links. The calls are not run.
#include "acl/acl_rt_api.h"

namespace {

aclError timeouts_and_flags(aclrtStream stream, aclrtEvent event) {
  uint64_t actual = 0;
  return aclrtSynchronizeDevice(1) + aclrtSynchronizeStream(stream, 1) + aclrtSynchronizeEvent(event, 1) +
         aclrtStreamWaitEvent(stream, event, 1) + aclrtCreateStream(&stream, 0U, 0U) +
         aclrtSetOpExecuteTimeOut(1, &actual) + aclrtCreateEvent(&event, 0U);
}

aclError allocation(float* device, int* host) {
  aclrtPtrAttributes attributes;
  aclrtMallocConfig config = {};
  return aclrtMalloc(&device, 4) + aclrtMalloc(&device, 4, &config) +
         aclrtMalloc(&device, 4, ACL_MEM_MALLOC_HUGE_FIRST) +
         aclrtMalloc(&device, 4, ACL_MEM_MALLOC_HUGE_FIRST, &config) + aclrtMallocHost(&host, 4) +
         aclrtMemAllocManaged(&device, 4) + aclrtPointerGetAttributes(device, &attributes) +
         aclrtHostRegister(host, 4, ACL_HOST_REGISTER_MAPPED, &host) + aclrtHostRegister(host, 4, 2U) +
         aclrtHostGetDevicePointer(host, &host, 0U) + aclrtHostUnregister(host);
}

aclError copies(float* device, const int* host, aclrtStream stream) {
  const auto kind = ACL_MEMCPY_HOST_TO_DEVICE;
  return aclrtMemcpy(device, 4, host, 4, kind) + aclrtMemcpyAsync(device, 4, host, 4, kind, stream) +
         aclrtMemcpy2d(device, 4, host, 4, 4, 1, kind) + aclrtMemcpy2dAsync(device, 4, host, 4, 4, 1, kind, stream);
}

aclError batches(float* device, int* host, aclrtStream stream) {
  size_t size = 4, index = 0;
  aclrtMemcpyBatchAttr attr = {};
  float** to = &device;
  int** from = &host;
  return aclrtMemcpyBatch(to, &size, from, &size, 1, attr) +
         aclrtMemcpyBatch(to, &size, from, &size, 1, &attr, &index, 1) +
         aclrtMemcpyBatchAsync(to, &size, from, &size, 1, attr, stream) +
         aclrtMemcpyBatchAsync(to, &size, from, &size, 1, &attr, &index, 1, stream) +
         aclrtMemcpyBatchAsync(to, &size, from, &size, 1, attr, &index, stream) +
         aclrtMemcpyBatchAsync(to, &size, from, &size, 1, &attr, &index, 1, &index, stream);
}

aclError managed_and_symbols(const float* managed, aclrtStream stream) {
  static int symbol = 0;
  size_t size = 4, index = 0;
  void* address = nullptr;
  aclrtMemManagedLocation place = {ACL_MEM_LOCATIONTYPE_DEVICE, 0};
  const auto kind = ACL_MEMCPY_DEVICE_TO_HOST;
  return aclrtMemManagedPrefetchAsync(managed, 4, place, 0U, stream) +
         aclrtMemManagedPrefetchBatchAsync(&managed, &size, 1, place, 0UL, stream) +
         aclrtMemManagedPrefetchBatchAsync(&managed, &size, 1, &place, &index, 1, 0UL, stream) +
         aclrtGetSymbolAddress(symbol, &address) + aclrtGetSymbolSize(symbol, &size) +
         aclrtMemcpyFromSymbol(address, 4, symbol, 4, 0, kind) +
         aclrtMemcpyFromSymbolAsync(address, 4, symbol, 4, 0, kind, stream) +
         aclrtMemcpyToSymbol(symbol, address, 4, 0, kind) +
         aclrtMemcpyToSymbolAsync(symbol, address, 4, 0, kind, stream);
}

}  // namespace

int main(int count, char**) {
  if (count < 100) return 0;
  int host = 0;
  return timeouts_and_flags(nullptr, nullptr) + allocation(nullptr, &host) + copies(nullptr, &host, nullptr) +
         batches(nullptr, &host, nullptr) + managed_and_symbols(nullptr, nullptr);
}
