/* SPDX-License-Identifier: Apache-2.0 */
/* A program that looks at no return code, cleans up in the wrong order and forgets half of it. */
#include "expect.h"

static void nothing(void* unused) { (void)unused; }

int main(void) {
  aclrtStream stream = NULL;
  aclrtEvent event = NULL;
  aclrtContext context = NULL;
  void* memory = NULL;
  aclrtDestroyStream(stream);
  aclrtDestroyEvent(event);
  aclrtDestroyContext(context);
  aclrtFree(memory);
  aclrtResetDevice(0);
  aclrtProcessReport(1);
  aclInit(NULL);
  aclrtSetDevice(0);
  aclrtCreateContext(&context, 0);
  aclrtCreateStream(&stream);
  aclrtCreateEvent(&event);
  aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_BLOCK, stream);
  aclrtSubscribeReport(12345, stream);
  aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_NO_BLOCK, stream);
  aclrtDestroyContext(context);
  aclrtDestroyStream(stream);
  aclrtRecordEvent(event, stream);
  aclrtResetDevice(0);
  aclrtFree(memory);
  aclFinalize();
  aclrtDestroyEvent(event);
  aclrtDestroyStream(stream);
  aclrtDestroyContext(context);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
