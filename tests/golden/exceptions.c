/* SPDX-License-Identifier: Apache-2.0 */
/* A user program that is ready for failures: it listens for exceptions, asks which operator it was, saves something of
 * its own beside the dump, and goes on.
 *
 *   exceptions CONFIG MODEL INPUT HOW...
 *
 * CONFIG is an acl.json, MODEL a model with one input and one output, INPUT a file, "nowhere" (memory that is not
 * there) or "readonly" (nobody can write to the output); each may be "-". HOW, in their order: sync and async run the
 * model, aclnn and aclop an Add, save=NAME keeps tensors, path prints where exception dumps go, device sets the device,
 * load=MODEL, malloc=TIMES, initdump, setdump=FILE, finalizedump. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "acl/acl.h"
#include "acl/acl_dump.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* aclrtSetExceptionInfoCallback */

aclError add_two(int aclnn, float last);

static uint32_t model;
static aclmdlDataset *inputs, *outputs;
static int heard;

static void die(const char* what) {
  const char* why = aclGetRecentErrMsg();
  fprintf(stderr, "exceptions: %s\n%s\n", what, why ? why : "");
  exit(2);
}

static void print_tensors(const char* what, aclTensorDesc* descs, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    aclTensorDesc* desc = aclGetTensorDescByIndex(descs, i);
    printf("  %s %zu: type %d, %zu bytes, %s\n", what, i, aclGetTensorDescType(desc), aclGetTensorDescSize(desc),
           aclGetTensorDescAddress(desc) ? "somewhere" : "nowhere");
  }
  aclDestroyTensorDesc(descs);
}

static void on_exception(aclrtExceptionInfo* info) {
  const uint32_t device = aclrtGetDeviceIdFromExceptionInfo(info), stream = aclrtGetStreamIdFromExceptionInfo(info);
  const uint32_t task = aclrtGetTaskIdFromExceptionInfo(info);
  char name[256], little[1];
  aclTensorDesc *in = NULL, *out = NULL;
  size_t in_count = 0, out_count = 0;
  ++heard;
  printf("heard of device %u, stream %u, task %u, code %u\n", device, stream, task,
         aclrtGetErrorCodeFromExceptionInfo(info));
  if (aclmdlCreateAndGetOpDesc(device, stream, task + 1000, name, sizeof name, &in, &in_count, &out, &out_count) !=
          ACL_ERROR_INVALID_PARAM ||
      aclmdlCreateAndGetOpDesc(device, stream, task, little, sizeof little, &in, &in_count, &out, &out_count) !=
          ACL_ERROR_INVALID_PARAM ||
      aclmdlCreateAndGetOpDesc(device, stream, task, NULL, 0, &in, &in_count, &out, &out_count) !=
          ACL_ERROR_INVALID_PARAM)
    die("bad arguments of aclmdlCreateAndGetOpDesc are accepted");
  (void)aclGetRecentErrMsg(); /* of these */
  if (aclmdlCreateAndGetOpDesc(device, stream, task, name, sizeof name, &in, &in_count, &out, &out_count))
    die("aclmdlCreateAndGetOpDesc");
  printf("it is %s\n", name);
  print_tensors("input", in, in_count);
  print_tensors("output", out, out_count);
}

static void add_buffer(aclmdlDataset* dataset, size_t bytes, const char* from) {
  void* memory = NULL;
  if (!strcmp(from, "nowhere")) {
    memory = (void*)0x1000;
  } else if (!strcmp(from, "readonly")) {
    memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  } else {
    if (aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST)) die("aclrtMalloc");
    FILE* file = strcmp(from, "-") ? fopen(from, "rb") : NULL;
    char* host = calloc(bytes, 1);
    if (file && fread(host, 1, bytes, file) != bytes) die(from);
    if (aclrtMemcpy(memory, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE)) die("aclrtMemcpy");
    free(host);
    if (file) fclose(file);
  }
  aclmdlAddDatasetBuffer(dataset, aclCreateDataBuffer(memory, bytes));
}

static void load(const char* path, const char* input) {
  aclmdlDesc* desc = aclmdlCreateDesc();
  if (aclmdlLoadFromFile(path, &model) || aclmdlGetDesc(desc, model)) die(path);
  inputs = aclmdlCreateDataset();
  outputs = aclmdlCreateDataset();
  add_buffer(inputs, aclmdlGetInputSizeByIndex(desc, 0), input);
  add_buffer(outputs, aclmdlGetOutputSizeByIndex(desc, 0), strcmp(input, "readonly") ? "-" : "readonly");
  aclmdlDestroyDesc(desc);
}

static aclError run_async(void) {
  aclrtStream stream;
  if (aclrtCreateStream(&stream)) die("aclrtCreateStream");
  if (aclmdlExecuteAsync(model, inputs, outputs, stream)) die("aclmdlExecuteAsync");
  const aclError code = aclrtSynchronizeStream(stream);
  if (aclrtSynchronizeStream(stream)) die("the error is told twice");
  aclrtDestroyStream(stream);
  return code;
}

static aclError save(const char* name) {
  static float values[6] = {1, 2, 3, 4, 5, 6};
  acldumpTensorInfo tensors[3];
  memset(tensors, 0, sizeof tensors);
  for (int i = 0; i < 3; ++i) {
    tensors[i].type = (acldumpTensorType)(2 - i); /* workspace, output, input */
    tensors[i].tensorSize = 8;
    tensors[i].format = ACL_FORMAT_ND;
    tensors[i].dataType = ACL_FLOAT;
    tensors[i].tensorAddr = (int64_t*)(values + 2 * i);
    tensors[i].addrType = ACL_DUMP_ADDR_RAW;
    tensors[i].shapeNum = 1;
    tensors[i].shape[0] = 2;
  }
  const aclError code = acldumpSaveExceptionInfo(name, "mine", tensors, 3);
  if (code) return code;
  acldumpTensorInfo wrong[8];
  for (int i = 0; i < 8; ++i) wrong[i] = tensors[0];
  wrong[0].shapeNum = 26;
  wrong[1].originShapeNum = 26;
  wrong[2].type = (acldumpTensorType)3;
  wrong[3].addrType = ACL_DUMP_ADDR_PTR;
  wrong[4].placement = ACL_DUMP_PLACEMENT_HOST;
  wrong[5].tensorAddr = NULL;
  wrong[6].tensorSize = 0;
  wrong[7].type = (acldumpTensorType)-1;
  for (int i = 0; i < 8; ++i)
    if (acldumpSaveExceptionInfo("x", NULL, &wrong[i], 1) != ACL_ERROR_INVALID_PARAM) die("a bad tensor is accepted");
  if (acldumpSaveExceptionInfo(NULL, NULL, tensors, 1) != ACL_ERROR_INVALID_PARAM ||
      acldumpSaveExceptionInfo("", NULL, tensors, 1) != ACL_ERROR_INVALID_PARAM ||
      acldumpSaveExceptionInfo("a/../../x", NULL, tensors, 1) != ACL_ERROR_INVALID_PARAM ||
      acldumpSaveExceptionInfo("x", NULL, NULL, 1) != ACL_ERROR_INVALID_PARAM ||
      acldumpSaveExceptionInfo("x", NULL, tensors, 0) != ACL_ERROR_INVALID_PARAM)
    die("bad arguments of acldumpSaveExceptionInfo are accepted");
  return 0;
}

static aclError print_path(void) {
  char path[4096] = "", little[4];
  const aclError code = acldumpGetExceptionInfoPath(path, sizeof path);
  if (acldumpGetExceptionInfoPath(NULL, 10) != ACL_ERROR_INVALID_PARAM ||
      acldumpGetExceptionInfoPath(path, 1) != ACL_ERROR_INVALID_PARAM ||
      (!code && acldumpGetExceptionInfoPath(little, sizeof little) != ACL_ERROR_INVALID_PARAM))
    die("bad arguments of acldumpGetExceptionInfoPath are accepted");
  if (!code) printf("path %s\n", path);
  const char* whole = acldumpGetPath(AIC_ERR_NORM_DUMP);
  if (!code) printf("root %s\n", whole ? whole : "null");
  return code;
}

static aclError call(const char* how) {
  if (!strcmp(how, "sync")) return aclmdlExecute(model, inputs, outputs);
  if (!strcmp(how, "async")) return run_async();
  if (!strcmp(how, "aclnn")) return add_two(1, 0);
  if (!strcmp(how, "aclop")) return add_two(0, 0);
  if (!strncmp(how, "save=", 5)) return save(how + 5);
  if (!strcmp(how, "path")) return print_path();
  if (!strcmp(how, "initdump")) return aclmdlInitDump();
  if (!strncmp(how, "setdump=", 8)) return aclmdlSetDump(how + 8);
  if (!strcmp(how, "finalizedump")) return aclmdlFinalizeDump();
  if (!strcmp(how, "device")) return aclrtSetDevice(0);
  if (!strncmp(how, "load=", 5)) return load(how + 5, "-"), 0;
  if (!strncmp(how, "malloc=", 7)) {
    void* memory = NULL;
    aclError code = 0;
    for (int i = 0; i < atoi(how + 7) && !code; ++i) code = aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    return code;
  }
  die(how);
  return 1;
}

int main(int count, char** arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (count < 4) die("exceptions CONFIG MODEL INPUT HOW...");
  const aclError started = aclInit(strcmp(arguments[1], "-") ? arguments[1] : NULL);
  if (started) {
    const char* why = aclGetRecentErrMsg();
    printf("aclInit: %d\n%s\n", started, why ? why : "");
    return 3;
  }
  aclrtSetExceptionInfoCallback(on_exception);
  if (strcmp(arguments[2], "-")) {
    if (aclrtSetDevice(0)) die("aclrtSetDevice");
    load(arguments[2], arguments[3]);
  }
  for (int i = 4; i < count; ++i) {
    const aclError code = call(arguments[i]);
    const char* why = code ? aclGetRecentErrMsg() : NULL;
    printf("%s: %d\n", arguments[i], code);
    if (why) printf("said %s\n", why);
  }
  printf("heard %d\n", heard);
  if (aclFinalize()) die("aclFinalize");
  return 0;
}
