/* SPDX-License-Identifier: Apache-2.0 */
/* The public system test of callbacks: one thread without a context serves a stream and the default stream. */
#include <pthread.h>
#include <stdatomic.h>

#include "expect.h"

static atomic_bool stop;
static int calls[2];

static void* serve(void* unused) {
  (void)unused;
  while (!stop) (void)aclrtProcessReport(1000);
  return NULL;
}

static void count(void* which) { ++*(int*)which; }

int main(void) {
  pthread_t thread;
  aclrtStream stream;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  pthread_create(&thread, NULL, serve, NULL);

  OK(aclrtSubscribeReport((uint64_t)thread, stream));
  OK(aclrtLaunchCallback(count, &calls[0], ACL_CALLBACK_BLOCK, stream));
  OK(aclrtLaunchCallback(count, &calls[0], ACL_CALLBACK_BLOCK, stream));
  OK(aclrtSynchronizeStream(stream));
  EXPECT(calls[0], 2);

  OK(aclrtSubscribeReport((uint64_t)thread, NULL));
  OK(aclrtLaunchCallback(count, &calls[1], ACL_CALLBACK_BLOCK, NULL));
  OK(aclrtLaunchCallback(count, &calls[1], ACL_CALLBACK_BLOCK, NULL));
  OK(aclrtSynchronizeStream(NULL));
  EXPECT(calls[1], 2);

  OK(aclrtUnSubscribeReport((uint64_t)thread, stream));
  OK(aclrtUnSubscribeReport((uint64_t)thread, NULL));
  stop = true;
  pthread_join(thread, NULL);
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  return 0;
}
