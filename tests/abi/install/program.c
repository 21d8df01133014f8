// SPDX-License-Identifier: Apache-2.0
// A user program in C: copies numbers to a device and back through a stream, then prints the name of the chip.
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"

#define CHECK(call)                                                         \
  do {                                                                      \
    const aclError code = (call);                                           \
    if (code != ACL_SUCCESS) {                                              \
      const char* message = aclGetRecentErrMsg();                           \
      fprintf(stderr, "%s: %d\n%s\n", #call, code, message ? message : ""); \
      return 1;                                                             \
    }                                                                       \
  } while (0)

int main(void) {
  const int sent[4] = {1, 2, 3, 4};
  int received[4] = {0};
  void* device = NULL;
  aclrtStream stream = NULL;
  CHECK(aclInit(NULL));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtCreateStream(&stream));
  CHECK(aclrtMalloc(&device, sizeof(sent), ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpyAsync(device, sizeof(sent), sent, sizeof(sent), ACL_MEMCPY_HOST_TO_DEVICE, stream));
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtMemcpy(received, sizeof(received), device, sizeof(sent), ACL_MEMCPY_DEVICE_TO_HOST));
  CHECK(aclrtFree(device));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  if (memcmp(sent, received, sizeof(sent)) != 0) return 1;
  puts(aclrtGetSocName());
  return 0;
}
