/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong use of devices, contexts, streams, events, notifies and callbacks: every code that they document, once, and
 * each with a text that names the function. Nothing may crash or hang. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

static int refusals;

#define REFUSED(call, code)                                                   \
  do {                                                                        \
    const char* said_;                                                        \
    aclGetRecentErrMsg();                                                     \
    const aclError refusal_ = (call);                                         \
    said_ = aclGetRecentErrMsg();                                             \
    EXPECT(refusal_, code);                                                   \
    if (!said_ || strlen(said_) < 40) {                                       \
      fprintf(stderr, "%s:%d: %s says nothing\n", __FILE__, __LINE__, #call); \
      exit(1);                                                                \
    }                                                                         \
    ++refusals;                                                               \
  } while (0)

static void nothing(void* unused) { (void)unused; }
static aclError on_init(const char* text, size_t length, void* data) {
  (void)text, (void)length, (void)data;
  return 0;
}

static const char* file_with(const char* content) {
  static char path[64];
  snprintf(path, sizeof path, "/tmp/belay-wrong-use-%d.json", (int)getpid());
  FILE* file = fopen(path, "w");
  fputs(content, file);
  fclose(file);
  return path;
}

static void initialise(void) {
  REFUSED(aclInit("/nowhere/acl.json"), ACL_ERROR_INVALID_FILE);
  REFUSED(aclInit(file_with("{")), ACL_ERROR_PARSE_FILE);
  REFUSED(aclInit(file_with("{\"err_msg_mode\": 3}")), ACL_ERROR_INVALID_PARAM);
  const char* path = file_with("{\"defaultDevice\": {\"default_device\": 1}}");
  REFUSED(aclInit(path), ACL_ERROR_FAILURE);
  remove(path);
  REFUSED(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, on_init), ACL_ERROR_INTERNAL_ERROR);
  OK(aclInit(NULL));
  REFUSED(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
}

static void without_context(void) {
  aclrtStream stream;
  aclrtEvent event;
  aclrtContext context;
  REFUSED(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
  REFUSED(aclrtCreateEvent(&event), ACL_ERROR_RT_CONTEXT_NULL);
  REFUSED(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
  REFUSED(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
  REFUSED(aclrtSetDevice(1000), ACL_ERROR_RT_INVALID_DEVICEID);
  REFUSED(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
  REFUSED(aclrtSetCurrentContext(&stream), ACL_ERROR_RT_PARAM_INVALID);
  REFUSED(aclrtSetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM);
  EXPECT(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
  REFUSED(aclrtProcessReport(0), ACL_ERROR_INVALID_PARAM);
}

static void streams(void) {
  aclrtContext own, other;
  aclrtStream stream, dead;
  int64_t value;
  uint32_t state;
  OK(aclrtSetDevice(0));
  OK(aclrtGetCurrentContext(&own));
  REFUSED(aclrtDestroyContext(own), ACL_ERROR_RT_CONTEXT_NULL);
  OK(aclrtCreateStream(&stream));
  OK(aclrtCreateStream(&dead));
  OK(aclrtDestroyStream(dead));
  REFUSED(aclrtDestroyStream(dead), ACL_ERROR_RT_INVALID_HANDLE);
  REFUSED(aclrtDestroyStream(NULL), ACL_ERROR_INVALID_PARAM);
  REFUSED(aclrtSynchronizeStreamWithTimeout(stream, 0), ACL_ERROR_RT_PARAM_INVALID);
  REFUSED(aclrtCreateStreamWithConfig(&dead, 0, ACL_STREAM_HUGE), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  REFUSED(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
  REFUSED(aclrtGetPrimaryCtxState(0, &state, NULL), ACL_ERROR_INVALID_PARAM);
  OK(aclrtCreateContext(&other, 0));
  REFUSED(aclrtDestroyStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
  OK(aclrtDestroyContext(other));
  OK(aclrtSetCurrentContext(own));
  OK(aclrtDestroyStream(stream));
}

static void* wait_for(void* stream) { return (void*)(intptr_t)aclrtSynchronizeStream(stream); }

/* The code that a thread gets which waits for `stream` when `disturb` is called. */
static aclError disturbed(aclrtStream stream, aclError (*disturb)(aclrtStream)) {
  pthread_t thread;
  void* code;
  pthread_create(&thread, NULL, wait_for, stream);
  usleep(50000);
  OK(disturb(stream));
  pthread_join(thread, &code);
  return (aclError)(intptr_t)code;
}

static aclError abort_device(aclrtStream unused) {
  (void)unused;
  return aclrtDeviceTaskAbort(0, 1000);
}

static void waits(void) {
  aclrtStream stream;
  aclrtEvent plain, flagged, timeline;
  aclrtNotify notify;
  float ms;
  OK(aclrtCreateStream(&stream));
  OK(aclrtCreateEvent(&plain));
  OK(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_SYNC));
  OK(aclrtCreateEventWithFlag(&timeline, ACL_EVENT_TIME_LINE));
  OK(aclrtCreateNotify(&notify, 0));
  REFUSED(aclrtCreateEventWithFlag(&plain, 0), ACL_ERROR_RT_PARAM_INVALID);
  REFUSED(aclrtStreamWaitEvent(stream, timeline), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  REFUSED(aclrtStreamWaitEvent(stream, plain), ACL_ERROR_RT_PARAM_INVALID);
  REFUSED(aclrtEventElapsedTime(&ms, plain, plain), ACL_ERROR_RT_INTERNAL_ERROR);
  REFUSED(aclrtRecordEventWithFlag(plain, stream, 1), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
  OK(aclrtWaitAndResetNotify(notify, stream, 0));
  OK(aclrtRecordEvent(plain, stream));
  REFUSED(aclrtEventElapsedTime(&ms, plain, plain), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
  REFUSED(aclrtSynchronizeEventWithTimeout(plain, 5), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  REFUSED(aclrtSynchronizeStreamWithTimeout(stream, 5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  REFUSED(aclrtSynchronizeDeviceWithTimeout(5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT(disturbed(stream, aclrtStreamAbort), ACL_ERROR_RT_STREAM_ABORT);
  OK(aclrtWaitAndResetNotify(notify, stream, 0));
  EXPECT(disturbed(stream, abort_device), ACL_ERROR_RT_DEVICE_TASK_ABORT);
  OK(aclrtStreamWaitEventWithTimeout(stream, flagged, 1));
  REFUSED(aclrtSynchronizeStream(stream), ACL_ERROR_RT_WAIT_TIMEOUT);
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtDestroyEvent(plain));
  REFUSED(aclrtRecordEvent(plain, stream), ACL_ERROR_RT_INVALID_HANDLE);
  OK(aclrtDestroyNotify(notify));
  REFUSED(aclrtRecordNotify(notify, stream), ACL_ERROR_RT_INVALID_HANDLE);
  OK(aclrtDestroyStream(stream));
}

static void callbacks(void) {
  const uint64_t self = (uint64_t)pthread_self();
  aclrtContext own, other;
  aclrtStream stream, elsewhere, hosted;
  OK(aclrtGetCurrentContext(&own));
  OK(aclrtCreateStream(&stream));
  OK(aclrtCreateStream(&hosted));
  OK(aclrtLaunchHostFunc(hosted, nothing, NULL));
  OK(aclrtSynchronizeStream(hosted));
  REFUSED(aclrtLaunchCallback(nothing, NULL, (aclrtCallbackBlockType)7, stream), ACL_ERROR_INVALID_PARAM);
  REFUSED(aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_BLOCK, (aclrtStream)&stream), ACL_ERROR_RT_INVALID_HANDLE);
  REFUSED(aclrtLaunchCallback(NULL, NULL, ACL_CALLBACK_BLOCK, stream), ACL_ERROR_RT_PARAM_INVALID);
  REFUSED(aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_BLOCK, hosted), ACL_ERROR_RT_STREAM_SUBSCRIBE);
  REFUSED(aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_BLOCK, stream), ACL_ERROR_RT_STREAM_NO_CB_REG);
  REFUSED(aclrtUnSubscribeReport(self, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE);
  OK(aclrtSubscribeReport(self, stream));
  REFUSED(aclrtSubscribeReport(self, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE);
  REFUSED(aclrtUnSubscribeReport(1, stream), ACL_ERROR_RT_THREAD_SUBSCRIBE);
  REFUSED(aclrtLaunchHostFunc(stream, nothing, NULL), ACL_ERROR_RT_STREAM_SUBSCRIBE);
  REFUSED(aclrtLaunchHostFunc(hosted, NULL, NULL), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT(aclrtProcessReport(5), ACL_ERROR_RT_REPORT_TIMEOUT);
  OK(aclrtCreateContext(&other, 1));
  OK(aclrtCreateStream(&elsewhere));
  REFUSED(aclrtSubscribeReport(self, elsewhere), ACL_ERROR_RT_THREAD_SUBSCRIBE);
  REFUSED(aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_BLOCK, stream), ACL_ERROR_RT_STREAM_CONTEXT);
  OK(aclrtDestroyContext(other));
  OK(aclrtSetCurrentContext(own));
  OK(aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_BLOCK, stream));
  REFUSED(aclrtSynchronizeStream(stream), ACL_ERROR_RT_PARAM_INVALID); /* only this thread could serve it */
  OK(aclrtProcessReport(-1));
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtDestroyStream(stream));
  REFUSED(aclrtRegStreamStateCallback(NULL, NULL, NULL), ACL_ERROR_INVALID_PARAM);
  REFUSED(aclrtExceptionInfoCallbackRegister(NULL), ACL_ERROR_RT_PARAM_INVALID);
}

int main(void) {
  initialise();
  without_context();
  streams();
  waits();
  callbacks();
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  REFUSED(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
  printf("%d refusals, each with its code and a text\n", refusals);
  return 0;
}
