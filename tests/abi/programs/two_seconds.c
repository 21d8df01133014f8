/* SPDX-License-Identifier: Apache-2.0 */
/* A BLOCK callback that sleeps two seconds, served by a thread that looks every 200 ms: launch and synchronize take as
 * long as the callback. How much longer is printed, not judged: the machine may be busy. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "expect.h"

static atomic_bool stop, ended;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void* serve(void* unused) {
  (void)unused;
  while (!stop) (void)aclrtProcessReport(200);
  return NULL;
}

static void sleep_two_seconds(void* slept) {
  const double start = now();
  const struct timespec two = {2, 0};
  nanosleep(&two, NULL);
  *(double*)slept = now() - start;
  ended = true;
}

int main(void) {
  pthread_t thread;
  aclrtStream stream;
  double slept = 0;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  pthread_create(&thread, NULL, serve, NULL);
  OK(aclrtSubscribeReport((uint64_t)thread, stream));

  const double start = now();
  OK(aclrtLaunchCallback(sleep_two_seconds, &slept, ACL_CALLBACK_BLOCK, stream));
  TRUE_(!ended); /* the launch does not wait */
  OK(aclrtSynchronizeStream(stream));
  const double took = now() - start;
  TRUE_(ended); /* synchronize does */
  TRUE_(took >= slept);
  printf("the callback slept %.6f s; launch and synchronize took %.6f s: %.3f ms more\n", slept, took,
         (took - slept) * 1e3);

  stop = true;
  pthread_join(thread, NULL);
  OK(aclrtUnSubscribeReport((uint64_t)thread, stream));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  return 0;
}
