/* SPDX-License-Identifier: Apache-2.0 */
/* A program that dumps a model until it ends, in one of many ways, at a moment that somebody else chose:
 *
 *   dying acl.json model.onnx count-file ending microseconds [handlers]
 *
 * The count file holds the number of executions that have returned, as 8 bytes; it is written before the next begins.
 * Endings: exit, return, quick_exit, _exit, abort, segv, bus, fpe, ill, overflow (of the stack), wait (for a signal). A
 * thread that sleeps so many microseconds after the first execution brings it about, except for exit and return, which
 * the main thread does after an execution. "handlers": the program has handlers of its own, installed before aclInit
 * and after the first execution by turns, which say so in the count file's second number and then end the process as
 * the signal would have. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"

enum { MOST_EXECUTIONS = 20000 }; /* some GB of files */

static volatile int due, divisor;
static int count_file;
static const char* ending;
static long delay;

static void die(const char* what) {
  const char* why = aclGetRecentErrMsg();
  fprintf(stderr, "dying: %s\n%s\n", what, why ? why : "");
  _exit(99);
}

static void note(int place, uint64_t value) {
  if (pwrite(count_file, &value, sizeof value, place * (off_t)sizeof value) != sizeof value) _exit(98);
}

static void on_signal(int number) {
  note(1, (uint64_t)number);
  signal(number, SIG_DFL);
  raise(number);
}

static void handle(const int* numbers) {
  for (; *numbers; ++numbers) signal(*numbers, on_signal);
}

static int deeper(volatile char* above) {
  volatile char here[4096];
  here[0] = above[0];
  return divisor ? 0 : deeper(here) + here[1];
}

static void end(void) {
  if (!strcmp(ending, "quick_exit")) quick_exit(7);
  if (!strcmp(ending, "_exit")) _exit(7);
  if (!strcmp(ending, "abort")) abort();
  if (!strcmp(ending, "segv")) *(volatile int*)16 = 1;
  if (!strcmp(ending, "fpe")) divisor = 1000 / divisor;
  if (!strcmp(ending, "ill")) __builtin_trap();
  if (!strcmp(ending, "bus")) {
    char name[] = "/tmp/belay-bus-XXXXXX";
    const int file = mkstemp(name);
    unlink(name);
    *(volatile char*)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) = 1;
  }
}

static void* wait_and_end(void* unused) {
  const struct timespec time = {delay / 1000000, delay % 1000000 * 1000};
  nanosleep(&time, NULL);
  due = 1;
  end();
  return unused;
}

static aclmdlDataset* buffers(size_t count, size_t (*size)(aclmdlDesc*, size_t), aclmdlDesc* desc) {
  aclmdlDataset* made = aclmdlCreateDataset();
  for (size_t i = 0; i < count; ++i) {
    void* memory = NULL;
    if (aclrtMalloc(&memory, size(desc, i), ACL_MEM_MALLOC_HUGE_FIRST)) die("aclrtMalloc");
    if (aclrtMemset(memory, size(desc, i), 0, size(desc, i))) die("aclrtMemset");
    aclmdlAddDatasetBuffer(made, aclCreateDataBuffer(memory, size(desc, i)));
  }
  return made;
}

int main(int count, char** arguments) {
  static const int before[] = {SIGABRT, SIGBUS, SIGTERM, 0}, after[] = {SIGSEGV, SIGFPE, SIGILL, SIGINT, 0};
  if (count < 6) return 97;
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* without the test nobody ends it, and it fills the disk */
  ending = arguments[4];
  delay = atol(arguments[5]);
  count_file = open(arguments[3], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  note(0, 0);
  if (count > 6) handle(before);
  uint32_t model = 0;
  if (aclInit(arguments[1]) || aclrtSetDevice(0) || aclmdlLoadFromFile(arguments[2], &model)) die("aclInit");
  aclmdlDesc* desc = aclmdlCreateDesc();
  if (aclmdlGetDesc(desc, model)) die("aclmdlGetDesc");
  aclmdlDataset* inputs = buffers(aclmdlGetNumInputs(desc), aclmdlGetInputSizeByIndex, desc);
  aclmdlDataset* outputs = buffers(aclmdlGetNumOutputs(desc), aclmdlGetOutputSizeByIndex, desc);
  for (uint64_t i = 1;; ++i) {
    if (i > MOST_EXECUTIONS) die("nobody ended it");
    if (aclmdlExecute(model, inputs, outputs)) die("aclmdlExecute");
    note(0, i);
    if (i == 1 && count > 6) handle(after);
    if (i == (count > 6 ? 2 : 1)) { /* handlers are seen from the next execution on: docs/dump.md */
      pthread_t thread;
      if (strcmp(ending, "wait") && pthread_create(&thread, NULL, wait_and_end, NULL)) die("pthread_create");
      puts("running");
      fflush(stdout);
    }
    if (due && !strcmp(ending, "exit")) exit(7);
    if (due && !strcmp(ending, "return")) return 7;
    if (due && !strcmp(ending, "overflow")) return deeper("");
    if (i > 1) { /* something that takes malloc's lock, for signals to interrupt */
      void* taken[32];
      for (int k = 0; k < 32; ++k) taken[k] = malloc(2000 + 100 * (size_t)k);
      for (int k = 0; k < 32; ++k) free(taken[k]);
    }
  }
}
