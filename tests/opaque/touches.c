/* SPDX-License-Identifier: Apache-2.0 */
/* A program that touches device memory, as none should: touches HOW. What it is told has the lines that are marked. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"

enum { kCount = 256 };

static float* block;
static volatile float sink;

static void check(aclError code) {
  if (code) exit(3);
}

static float* make_block(void) {
  void* memory = NULL;
  check(aclrtMalloc(&memory, kCount * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST)); /* @made */
  return memory;
}

static void read_it(const float* values) { sink = values[4]; /* @read */ }

static void write_it(float* values) { values[255] = 1; /* @write */ }

static void* on_thread(void* values) {
  read_it(values); /* @thread */
  return NULL;
}

static void on_stream(void* values) { read_it(values); /* @callback */ }

static volatile int over;
static void* serve(void* unused) {
  while (!over) aclrtProcessReport(50); /* @serve */
  return unused;
}

static void on_signal(int number) {
  const char text[] = "the program's own handler\n";
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  signal(number, SIG_DFL);
  raise(number);
}

static void run_callback(void) {
  pthread_t server;
  aclrtStream stream;
  check(aclrtCreateStream(&stream));
  if (pthread_create(&server, NULL, serve, NULL)) exit(3);
  check(aclrtSubscribeReport((uint64_t)server, stream));
  check(aclrtLaunchCallback(on_stream, block, ACL_CALLBACK_BLOCK, stream));
  check(aclrtSynchronizeStream(stream));
  over = 1;
  pthread_join(server, NULL);
}

static void run_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, on_thread, block)) exit(3);
  pthread_join(thread, NULL);
}

static int is(const char* how, const char* what) { return strcmp(how, what) == 0; }

int main(int count, char** arguments) {
  const char* how = count > 1 ? arguments[1] : "";
  char text[64];
  memset(text, 'x', sizeof text);
  if (is(how, "handler")) signal(SIGSEGV, on_signal);
  check(aclInit(NULL));
  check(aclrtSetDevice(0));
  block = make_block(); /* @make */
  check(aclrtMemset(block, kCount * sizeof(float), 0, kCount * sizeof(float)));
  if (is(how, "read") || is(how, "handler")) read_it(block); /* @main_read */
  if (is(how, "write")) write_it(block);                     /* @main_write */
  if (is(how, "past")) read_it(block + kCount);              /* @main_past */
  if (is(how, "freed")) {
    check(aclrtFree(block)); /* @free */
    read_it(block);          /* @main_freed */
  }
  if (is(how, "thread")) run_thread();
  if (is(how, "callback")) run_callback();
  if (is(how, "memcpy")) memcpy(block + 2, text, (size_t)count * 20); /* @memcpy */
  if (is(how, "printf")) printf("%s\n", (const char*)block + 7);      /* @printf */
  if (is(how, "load")) {
    uint32_t model = 0;
    (void)aclmdlLoadFromMem(block, kCount, &model); /* @load */
  }
  if (is(how, "wild")) read_it((const float*)((const char*)block + (1ll << 40))); /* @main_wild */
  check(aclrtFree(block));
  check(aclrtResetDevice(0));
  check(aclFinalize());
  puts("it never touched anything");
  return 0;
}
