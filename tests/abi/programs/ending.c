/* SPDX-License-Identifier: Apache-2.0 */
/* Ends while everything is still at work: streams that wait, callbacks nobody serves, threads inside
 * aclrtProcessReport, threads that launch. `ending return` returns from main, `ending exit` calls exit on another
 * thread, `ending finalize` finalizes first. Each must end with status 0. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

#define STREAMS 4

static aclrtContext context;
static aclrtStream streams[STREAMS];
static atomic_int calls;

static void count(void* unused) {
  (void)unused;
  ++calls;
}

static void never_ends(void* unused) {
  (void)unused;
  ++calls;
  for (;;) pause();
}

static void* serve(void* unused) {
  (void)unused;
  for (;;) (void)aclrtProcessReport(-1);
  return NULL;
}

static void* launch(void* stream) {
  OK(aclrtSetCurrentContext(context));
  for (;;) (void)aclrtLaunchCallback(count, NULL, ACL_CALLBACK_NO_BLOCK, stream);
  return NULL;
}

static void* synchronize(void* stream) {
  (void)aclrtSynchronizeStream(stream);
  return NULL;
}

static void* leave(void* unused) {
  (void)unused;
  exit(0);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "return";
  pthread_t server, stuck_server, thread;
  aclrtNotify notify;
  aclrtEvent event;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtGetCurrentContext(&context));
  for (int i = 0; i < STREAMS; ++i) OK(aclrtCreateStream(&streams[i]));
  pthread_create(&server, NULL, serve, NULL);
  pthread_create(&stuck_server, NULL, serve, NULL);
  OK(aclrtSubscribeReport((uint64_t)server, streams[0]));
  OK(aclrtSubscribeReport((uint64_t)stuck_server, streams[1]));
  OK(aclrtSubscribeReport(4711, streams[2])); /* nobody */

  pthread_create(&thread, NULL, launch, streams[0]);
  OK(aclrtLaunchCallback(never_ends, NULL, ACL_CALLBACK_BLOCK, streams[1]));
  OK(aclrtLaunchCallback(count, NULL, ACL_CALLBACK_BLOCK, streams[1]));
  OK(aclrtLaunchCallback(count, NULL, ACL_CALLBACK_BLOCK, streams[2]));
  OK(aclrtCreateNotify(&notify, 0));
  OK(aclrtWaitAndResetNotify(notify, streams[3], 0));
  OK(aclrtCreateEvent(&event));
  OK(aclrtRecordEvent(event, streams[3]));
  OK(aclrtStreamWaitEvent(NULL, event));
  OK(aclrtLaunchHostFunc(NULL, count, NULL));
  for (int i = 1; i < STREAMS; ++i) pthread_create(&thread, NULL, synchronize, streams[i]);
  while (calls < 10) usleep(100);

  if (strcmp(how, "finalize") == 0) OK(aclFinalize());
  if (strcmp(how, "exit") == 0) {
    pthread_create(&thread, NULL, leave, NULL);
    for (;;) pause();
  }
  return 0;
}
