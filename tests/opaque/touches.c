/* SPDX-License-Identifier: Apache-2.0 */
/* A program that touches device memory, as none should: touches HOW [PLUGIN]. What it is told has the lines that are
   marked. */
#include <dlfcn.h>
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

/* The library's constructor waits until it may read, and holds the loader's lock meanwhile. */
static void* load_plugin(void* path) { return dlopen(path, RTLD_NOW); }

static void touch_beside_dlopen(char* plugin) {
  int ends[2];
  char number[16], started = 0;
  pthread_t loader;
  if (pipe(ends)) exit(3);
  snprintf(number, sizeof number, "%d", ends[1]);
  setenv("TOUCHES_PLUGIN_WAITS", number, 1);
  if (pthread_create(&loader, NULL, load_plugin, plugin)) exit(3);
  if (read(ends[0], &started, 1) != 1) exit(3);
  read_it(block); /* @beside */
}

/* PLUGIN is opened by its last part from its own directory, which is left then. */
static void touch_in_plugin(const char* plugin) {
  char path[1024] = "./";
  const char* name = strrchr(plugin, '/') + 1;
  snprintf(path, sizeof path, "%.*s", (int)(name - plugin), plugin);
  if (chdir(path)) exit(3);
  snprintf(path, sizeof path, "./%s", name);
  void* library = dlopen(path, RTLD_NOW);
  if (!library || chdir("/")) exit(3);
  float (*read_there)(const float*);
  *(void**)&read_there = dlsym(library, "plugin_read");
  sink = read_there(block); /* @plugin */
}

static void touch_reserved(int released) {
  void* addresses = NULL;
  check(aclrtReserveMemAddress(&addresses, 1 << 20, 0, NULL, 0)); /* @reserve */
  if (released) check(aclrtReleaseMemAddress(addresses));         /* @release */
  read_it(addresses);                                             /* @main_reserved */
}

static void touch_forgotten(void) {
  void* memory = NULL;
  check(aclrtFree(block));
  for (int i = 0; i < (1 << 18) + 1; ++i) {
    check(aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    check(aclrtFree(memory));
  }
  read_it(block); /* @main_forgotten */
}

static void touch_after_late_handler(void) {
  signal(SIGSEGV, on_signal);
  check(aclrtMemset(block, 4, 0, 4));
  read_it(block); /* @main_late */
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
  if (is(how, "below")) read_it(block - 5);                                            /* @main_below */
  if (is(how, "far_below")) read_it(block - 5000);                                     /* @main_far_below */
  if (is(how, "reserved") || is(how, "released")) touch_reserved(is(how, "released")); /* @main_addresses */
  if (is(how, "forgotten")) touch_forgotten();                                         /* @main_long_ago */
  if (is(how, "late_handler")) touch_after_late_handler();                             /* @main_handler */
  if (is(how, "dlopen")) touch_beside_dlopen(arguments[2]);                            /* @main_dlopen */
  if (is(how, "plugin")) touch_in_plugin(arguments[2]);                                /* @main_plugin */
  if (is(how, "wild")) read_it((const float*)((const char*)block + (1ll << 40)));      /* @main_wild */
  check(aclrtFree(block));
  check(aclrtResetDevice(0));
  check(aclFinalize());
  puts("it never touched anything");
  return 0;
}
