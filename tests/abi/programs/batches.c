/* SPDX-License-Identifier: Apache-2.0 */
/* A program that feeds batches to a stream, collects the results in callbacks on a thread of its own, and uses its
 * buffers again. Copies on the stream stand for the model: a batch is right when its result holds what was fed. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "expect.h"

#define BATCHES 1000
#define STEPS 3 /* executions for each callback */
#define POOL 4
#define WORDS 256
#define BYTES (WORDS * sizeof(uint32_t))

typedef struct {
  uint32_t number;
  void *input, *output; /* on the device, STEPS results */
  uint32_t* host;       /* pinned */
} Batch;

static aclrtContext context;
static aclrtStream stream;
static atomic_bool done;

/* Buffers that are free, and how many callbacks ran. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;
static Batch* pool[POOL];
static int free_count;
static uint32_t next_expected;

static void give_back(Batch* batch) {
  pthread_mutex_lock(&mutex);
  pool[free_count++] = batch;
  pthread_cond_signal(&freed);
  pthread_mutex_unlock(&mutex);
}

static Batch* take(void) {
  pthread_mutex_lock(&mutex);
  while (free_count == 0) pthread_cond_wait(&freed, &mutex);
  Batch* batch = pool[--free_count];
  pthread_mutex_unlock(&mutex);
  return batch;
}

static void collect(void* data) {
  Batch* batch = data;
  uint32_t result[STEPS * WORDS];
  void* extra = NULL;
  EXPECT(batch->number, next_expected);
  ++next_expected;
  OK(aclrtMemcpy(result, sizeof result, batch->output, STEPS * BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
  for (int i = 0; i < STEPS * WORDS; ++i) EXPECT(result[i], batch->number * 1000 + (uint32_t)(i % WORDS));
  OK(aclrtMallocHost(&extra, 4096)); /* what callbacks of real programs do */
  OK(aclrtMemcpy(extra, 4096, batch->output, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
  OK(aclrtFreeHost(extra));
  OK(aclrtMalloc(&extra, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtFree(extra));
  give_back(batch);
}

static void* serve(void* unused) {
  (void)unused;
  OK(aclrtSetCurrentContext(context));
  while (!done) (void)aclrtProcessReport(100);
  return NULL;
}

static Batch* make_batch(void) {
  Batch* batch = malloc(sizeof *batch);
  void* host = NULL;
  OK(aclrtMalloc(&batch->input, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMalloc(&batch->output, STEPS * BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMallocHost(&host, BYTES));
  batch->host = host;
  return batch;
}

int main(void) {
  pthread_t thread;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateContext(&context, 0));
  OK(aclrtCreateStream(&stream));
  for (int i = 0; i < POOL; ++i) give_back(make_batch());
  pthread_create(&thread, NULL, serve, NULL);
  OK(aclrtSubscribeReport((uint64_t)thread, stream));

  for (uint32_t number = 0; number < BATCHES; ++number) {
    Batch* batch = take();
    batch->number = number;
    for (uint32_t i = 0; i < WORDS; ++i) batch->host[i] = number * 1000 + i;
    OK(aclrtMemsetAsync(batch->output, STEPS * BYTES, 0xff, STEPS * BYTES, stream));
    OK(aclrtMemcpyAsync(batch->input, BYTES, batch->host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    for (int step = 0; step < STEPS; ++step)
      OK(aclrtMemcpyAsync((char*)batch->output + (size_t)step * BYTES, BYTES, batch->input, BYTES,
                          ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    OK(aclrtLaunchCallback(collect, batch, ACL_CALLBACK_BLOCK, stream));
  }
  OK(aclrtSynchronizeStream(stream));
  EXPECT(next_expected, BATCHES);

  done = true;
  pthread_join(thread, NULL);
  OK(aclrtUnSubscribeReport((uint64_t)thread, stream));
  for (int i = 0; i < POOL; ++i) {
    Batch* batch = take();
    OK(aclrtFree(batch->input));
    OK(aclrtFree(batch->output));
    OK(aclrtFreeHost(batch->host));
    free(batch);
  }
  OK(aclrtDestroyStream(stream));
  OK(aclrtDestroyContext(context));
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  return 0;
}
