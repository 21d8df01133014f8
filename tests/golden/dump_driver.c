/* SPDX-License-Identifier: Apache-2.0 */
/* A user program whose calls are its arguments, in their order, so that a test can try any sequence:
 *
 *   init[=acl.json] finalize initdump setdump=acl.json finalizedump reg[=code] unreg path
 *   load=model loadmem=model loadroom=model scribble=offset,bytes unload run[=times] out=file input=file refill=file
 *   parallel=threads,times,model aclnnadd[=last] aclopadd[=last] sat=mode switch=flag status=flag clear
 *   chdir=directory chunks=directory system=command
 *
 * aclnnadd and aclopadd put `last` into the last element of both tensors. sat, switch, status and clear are for
 * overflow: the device's mode, the default stream's switch, what the device's flag must be. loadroom brings a mebibyte
 * more than is asked for; scribble writes over that memory from a callback on a stream. run executes the model that was
 * loaded last; out writes its outputs, refill puts others into its inputs. A call may end in !code, the code it must
 * return (0 without it). Chunks of the callback are appended to files in the directory given by chunks. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"
#include "acl/acl_dump.h"

enum { kMostModels = 64 };

struct model {
  uint32_t id;
  void* work_memory;
  aclmdlDesc* desc;
  aclmdlDataset *inputs, *outputs;
};

static struct model models[kMostModels];
static int model_count;
static char* input_bytes;
static const char* chunk_directory;
static int32_t callback_code;
static int callback_unregisters;
static pthread_t record_thread;
static int record_thread_known;

static void die(const char* what) {
  const char* why = aclGetRecentErrMsg();
  fprintf(stderr, "dump_driver: %s\n%s\n", what, why ? why : "");
  exit(1);
}

static int32_t on_chunk(const acldumpChunk* chunk, int32_t length) {
  if (record_thread_known && !pthread_equal(record_thread, pthread_self())) die("chunks come from two threads");
  record_thread = pthread_self();
  record_thread_known = 1;
  printf("chunk %s %u %u %lld %d %d\n", chunk->fileName, chunk->bufLen, chunk->isLastChunk, (long long)chunk->offset,
         chunk->flag, length);
  if (chunk_directory) {
    char path[8192];
    const char* slash = strrchr(chunk->fileName, '/');
    snprintf(path, sizeof path, "%s/%s", chunk_directory, slash ? slash + 1 : chunk->fileName);
    FILE* file = fopen(path, "ab");
    if (!file || fwrite(chunk->dataBuf, 1, chunk->bufLen, file) != chunk->bufLen) die(path);
    fclose(file);
  }
  if (callback_unregisters) acldumpUnregCallback();
  return callback_code;
}

static void add_buffer(aclmdlDataset* dataset, size_t bytes, char** from) {
  void* memory = NULL;
  if (aclrtMalloc(&memory, bytes ? bytes : 1, ACL_MEM_MALLOC_HUGE_FIRST)) die("aclrtMalloc");
  if (from && *from) {
    if (aclrtMemcpy(memory, bytes, *from, bytes, ACL_MEMCPY_HOST_TO_DEVICE)) die("aclrtMemcpy");
    *from += bytes;
  } else if (aclrtMemset(memory, bytes, 0, bytes)) {
    die("aclrtMemset");
  }
  aclmdlAddDatasetBuffer(dataset, aclCreateDataBuffer(memory, bytes));
}

/* with_memory: the program brings the memory that aclmdlQuerySize asks for, and with 2 a mebibyte more. */
static aclError load(const char* path, struct model* model, int with_memory) {
  size_t work = 0, weight = 0;
  void *work_memory = NULL, *weight_memory = NULL;
  if (with_memory && (aclmdlQuerySize(path, &work, &weight) ||
                      aclrtMalloc(&work_memory, work += with_memory == 2 ? 1 << 20 : 0, ACL_MEM_MALLOC_HUGE_FIRST) ||
                      aclrtMalloc(&weight_memory, weight, ACL_MEM_MALLOC_HUGE_FIRST)))
    die("aclmdlQuerySize");
  const aclError code = with_memory
                            ? aclmdlLoadFromFileWithMem(path, &model->id, work_memory, work, weight_memory, weight)
                            : aclmdlLoadFromFile(path, &model->id);
  if (code) return code;
  if (with_memory == 2) printf("work %llu\n", (unsigned long long)(uintptr_t)work_memory);
  model->work_memory = work_memory;
  model->desc = aclmdlCreateDesc();
  if (aclmdlGetDesc(model->desc, model->id)) die("aclmdlGetDesc");
  model->inputs = aclmdlCreateDataset();
  model->outputs = aclmdlCreateDataset();
  char* from = input_bytes;
  for (size_t i = 0; i < aclmdlGetNumInputs(model->desc); ++i)
    add_buffer(model->inputs, aclmdlGetInputSizeByIndex(model->desc, i), &from);
  for (size_t i = 0; i < aclmdlGetNumOutputs(model->desc); ++i)
    add_buffer(model->outputs, aclmdlGetOutputSizeByIndex(model->desc, i), NULL);
  return 0;
}

static void free_dataset(aclmdlDataset* dataset) {
  for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(dataset); ++i) {
    aclDataBuffer* buffer = aclmdlGetDatasetBuffer(dataset, i);
    aclrtFree(aclGetDataBufferAddr(buffer));
    aclDestroyDataBuffer(buffer);
  }
  aclmdlDestroyDataset(dataset);
}

static aclError unload(struct model* model) {
  free_dataset(model->inputs);
  free_dataset(model->outputs);
  aclmdlDestroyDesc(model->desc);
  return aclmdlUnload(model->id);
}

static aclError run(struct model* model, int times) {
  aclError code = 0;
  for (int i = 0; i < times && !code; ++i) code = aclmdlExecute(model->id, model->inputs, model->outputs);
  return code;
}

static void write_outputs(const struct model* model, const char* path) {
  FILE* file = fopen(path, "wb");
  for (size_t i = 0; file && i < aclmdlGetDatasetNumBuffers(model->outputs); ++i) {
    aclDataBuffer* buffer = aclmdlGetDatasetBuffer(model->outputs, i);
    const size_t bytes = aclGetDataBufferSizeV2(buffer);
    char* host = malloc(bytes + 1);
    if (aclrtMemcpy(host, bytes, aclGetDataBufferAddr(buffer), bytes, ACL_MEMCPY_DEVICE_TO_HOST)) die("aclrtMemcpy");
    fwrite(host, 1, bytes, file);
    free(host);
  }
  if (!file || fclose(file)) die(path);
}

static char* read_file(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) die(path);
  fseek(file, 0, SEEK_END);
  const long bytes = ftell(file);
  rewind(file);
  char* content = malloc((size_t)bytes + 1);
  if (fread(content, 1, (size_t)bytes, file) != (size_t)bytes) die(path);
  fclose(file);
  return content;
}

static aclError refill(const struct model* model, const char* path) {
  char* const content = read_file(path);
  const char* from = content;
  aclError code = 0;
  for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(model->inputs) && !code; ++i) {
    aclDataBuffer* buffer = aclmdlGetDatasetBuffer(model->inputs, i);
    const size_t bytes = aclGetDataBufferSizeV2(buffer);
    code = aclrtMemcpy(aclGetDataBufferAddr(buffer), bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    from += bytes;
  }
  free(content);
  return code;
}

/* In dump_driver_add.cpp: the sum of two tensors, by an aclnn call or as an operator. */
aclError add_two(int aclnn, float last);

static aclError check_status(uint32_t wanted) {
  uint32_t status[16];
  const aclError code = aclrtGetOverflowStatus(status, sizeof status, NULL);
  if (code || aclrtSynchronizeStream(NULL)) return code;
  if (status[0] != wanted) die("the overflow flag is not as it should be");
  return 0;
}

struct share {
  const char* path;
  int times;
};

static void* run_share(void* argument) {
  const struct share* share = argument;
  struct model model;
  aclrtStream stream;
  if (aclrtSetDevice(0) || aclrtCreateStream(&stream) || load(share->path, &model, 0)) die("a thread cannot begin");
  for (int i = 0; i < share->times; ++i)
    if (aclmdlExecuteAsync(model.id, model.inputs, model.outputs, stream)) die("aclmdlExecuteAsync");
  if (aclrtSynchronizeStream(stream) || unload(&model) || aclrtDestroyStream(stream)) die("a thread cannot end");
  return NULL;
}

static aclError run_parallel(const char* text) {
  int threads = 0, times = 0, at = 0;
  if (sscanf(text, "%d,%d,%n", &threads, &times, &at) != 2 || threads > kMostModels) die(text);
  struct share share = {text + at, times};
  pthread_t ids[kMostModels];
  for (int i = 0; i < threads; ++i) pthread_create(&ids[i], NULL, run_share, &share);
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
  return 0;
}

struct scrawl {
  char* at;
  size_t bytes;
};

static void on_stream(void* argument) {
  const struct scrawl* scrawl = argument;
  if (aclrtMemset(scrawl->at, scrawl->bytes, 0xa5, scrawl->bytes)) die("aclrtMemset");
}

static void* serve(void* done) {
  if (aclrtSetDevice(0)) die("aclrtSetDevice");
  while (!*(volatile int*)done) aclrtProcessReport(10);
  return NULL;
}

static aclError scribble(const struct model* model, const char* text) {
  size_t offset = 0;
  struct scrawl scrawl = {NULL, 0};
  if (sscanf(text, "%zu,%zu", &offset, &scrawl.bytes) != 2) die(text);
  scrawl.at = (char*)model->work_memory + offset;
  aclrtStream stream;
  pthread_t server;
  int done = 0;
  if (aclrtCreateStream(&stream) || pthread_create(&server, NULL, serve, &done)) die("no stream");
  aclError code = aclrtSubscribeReport((uint64_t)server, stream);
  if (!code) code = aclrtLaunchCallback(on_stream, &scrawl, ACL_CALLBACK_BLOCK, stream);
  if (!code) code = aclrtSynchronizeStream(stream);
  done = 1;
  pthread_join(server, NULL);
  aclrtDestroyStream(stream);
  return code;
}

static aclError call(const char* name, const char* value) {
  struct model* last = model_count > 0 ? &models[model_count - 1] : NULL;
  if (!strcmp(name, "init")) {
    const aclError code = aclInit(*value ? value : NULL);
    return code ? code : aclrtSetDevice(0);
  }
  if (!strcmp(name, "finalize")) {
    aclrtResetDevice(0);
    return aclFinalize();
  }
  if (!strcmp(name, "initdump")) return aclmdlInitDump();
  if (!strcmp(name, "setdump")) return aclmdlSetDump(value);
  if (!strcmp(name, "finalizedump")) return aclmdlFinalizeDump();
  if (!strcmp(name, "reg")) {
    callback_code = atoi(value);
    callback_unregisters = !strcmp(value, "unreg");
    return acldumpRegCallback(on_chunk, 0);
  }
  if (!strcmp(name, "unreg")) return acldumpUnregCallback(), 0;
  if (!strcmp(name, "path")) {
    const char* path = acldumpGetPath(DATA_DUMP);
    if (path != acldumpGetPath(OVERFLOW_DUMP)) die("the paths of data and overflow dumps differ");
    printf("path %s\n", path ? path : "null");
    return 0;
  }
  if (!strcmp(name, "load") || !strcmp(name, "loadmem") || !strcmp(name, "loadroom")) {
    const int with_memory = !strcmp(name, "load") ? 0 : !strcmp(name, "loadmem") ? 1 : 2;
    const aclError code = load(value, &models[model_count], with_memory);
    model_count += !code;
    return code;
  }
  if (!strcmp(name, "unload")) return --model_count, unload(last);
  if (!strcmp(name, "run")) return run(last, *value ? atoi(value) : 1);
  if (!strcmp(name, "scribble")) return scribble(last, value);
  if (!strcmp(name, "out")) return write_outputs(last, value), 0;
  if (!strcmp(name, "refill")) return refill(last, value);
  if (!strcmp(name, "input")) return free(input_bytes), input_bytes = read_file(value), 0;
  if (!strcmp(name, "parallel")) return run_parallel(value);
  if (!strcmp(name, "aclnnadd")) return add_two(1, (float)atof(value));
  if (!strcmp(name, "aclopadd")) return add_two(0, (float)atof(value));
  if (!strcmp(name, "sat")) return aclrtSetDeviceSatMode((aclrtFloatOverflowMode)atoi(value));
  if (!strcmp(name, "switch")) return aclrtSetStreamOverflowSwitch(NULL, (uint32_t)atoi(value));
  if (!strcmp(name, "status")) return check_status((uint32_t)atoi(value));
  if (!strcmp(name, "clear")) { /* other streams follow, which do not wait for this one */
    const aclError code = aclrtResetOverflowStatus(NULL);
    return code ? code : aclrtSynchronizeStream(NULL);
  }
  if (!strcmp(name, "chdir")) return chdir(value);
  if (!strcmp(name, "chunks")) return chunk_directory = value, 0;
  if (!strcmp(name, "system")) return system(value);
  die(name);
  return 1;
}

int main(int count, char** arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 1; i < count; ++i) {
    char text[8192];
    snprintf(text, sizeof text, "%s", arguments[i]);
    char* mark = strrchr(text, '!');
    const int wanted = mark ? atoi(mark + 1) : 0;
    if (mark) *mark = 0;
    char* equals = strchr(text, '=');
    if (equals) *equals = 0;
    char value[8192];
    snprintf(value, sizeof value, "%s", equals ? equals + 1 : "");
    /* chunks and input keep what they were given */
    const aclError code = call(text, !strcmp(text, "chunks") ? strchr(arguments[i], '=') + 1 : value);
    const char* said = wanted ? aclGetRecentErrMsg() : NULL;
    if (said) printf("said %s\n", said);
    if (code == wanted) continue;
    fprintf(stderr, "dump_driver: %s returned %d, not %d\n", arguments[i], code, wanted);
    die("");
  }
  return 0;
}
