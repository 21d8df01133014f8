/* SPDX-License-Identifier: Apache-2.0
   Loads a model once and does what a plan says, line by line: several datasets, shapes and gears on one model.

   replay MODEL PLAN
     set D                         a new dataset D (0 to 9), in place of the one before
     input D I FILE DIMS ROOM      input I: the bytes of FILE, in a buffer of ROOM bytes (0: as long as they are). DIMS is told
                                   to the dataset ("2,3"; "()" for a scalar), or "-" when the model knows it
     gear D batch N | gear D image H W | gear D dims N,N,...
     room D I BYTES                the length of output I's buffer; without, what the model says
     run D PREFIX                  executes; the outputs become PREFIX.0, PREFIX.1..., and PREFIX.txt has their types and dims
     launch D PREFIX, wait         the same on a stream; the outputs are written by wait
   Memory behind each output is watched. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/c_program.h"
#include "acl/acl.h"

enum { kSets = 10, kOutputs = 64, kGuard = 64, kMark = 0xa5 };

struct set {
  aclmdlDataset *in, *out;
  size_t room[kOutputs];
  aclmdlIODims gear_dims[kOutputs]; /* of the outputs, when a gear was set */
  int has_gear;
  char prefix[512]; /* of what was launched */
};

static uint32_t model;
static aclmdlDesc* desc;
static aclrtStream stream;
static struct set sets[kSets];

static int parse_dims(char* text, int64_t* dims) {
  int count = 0;
  char* part;
  if (strcmp(text, "()") == 0) return 0;
  for (part = strtok(text, ","); part; part = strtok(NULL, ",")) dims[count++] = atoll(part);
  return count;
}

/* The input that tells the gear; past the last when there is none. */
static size_t gear_input(void) {
  size_t i = 0;
  while (i < aclmdlGetNumInputs(desc) && strcmp(aclmdlGetInputNameByIndex(desc, i), ACL_DYNAMIC_TENSOR_NAME) != 0) ++i;
  return i;
}

/* Memory of the given size, with marks behind it; none when it is empty. */
static void* guarded(size_t size) {
  void* memory = NULL;
  if (size == 0) return NULL;
  CHECK(aclrtMalloc(&memory, size + kGuard, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemset(memory, size + kGuard, kMark, size + kGuard));
  return memory;
}

static void drop(struct set* set) {
  if (set->in) release(set->in);
  if (set->out) release(set->out);
  memset(set, 0, sizeof *set);
}

static void begin(struct set* set) {
  size_t i;
  drop(set);
  set->in = aclmdlCreateDataset();
  for (i = 0; i < aclmdlGetNumInputs(desc); ++i) {
    void* memory = NULL;
    const size_t size = i == gear_input() ? aclmdlGetInputSizeByIndex(desc, i) : 0;
    if (size > 0) CHECK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclmdlAddDatasetBuffer(set->in, aclCreateDataBuffer(memory, size)));
  }
  for (i = 0; i < aclmdlGetNumOutputs(desc); ++i) set->room[i] = aclmdlGetOutputSizeByIndex(desc, i);
}

static void take_input(struct set* set, size_t index, const char* path, char* dims_text, size_t room) {
  size_t used;
  void* device = NULL;
  char* host = read_file(path, &used);
  aclDataBuffer* buffer = aclmdlGetDatasetBuffer(set->in, index);
  if (room < used) room = used;
  if (aclGetDataBufferAddr(buffer)) CHECK(aclrtFree(aclGetDataBufferAddr(buffer)));
  if (room > 0) {
    CHECK(aclrtMalloc(&device, room, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemset(device, room, kMark, room));
  }
  if (used > 0) CHECK(aclrtMemcpy(device, room, host, used, ACL_MEMCPY_HOST_TO_DEVICE));
  CHECK(aclUpdateDataBuffer(buffer, device, room));
  free(host);
  if (strcmp(dims_text, "-") != 0) {
    int64_t dims[ACL_MAX_DIM_CNT];
    const int count = parse_dims(dims_text, dims);
    aclTensorDesc* tensor = aclCreateTensorDesc(aclmdlGetInputDataType(desc, index), count, dims, ACL_FORMAT_ND);
    CHECK(aclmdlSetDatasetTensorDesc(set->in, tensor, index));
    aclDestroyTensorDesc(tensor);
  }
}

static void set_gear(struct set* set, const char* kind, char* rest) {
  const size_t index = gear_input();
  size_t i;
  unsigned long first = 0, second = 0;
  if (strcmp(kind, "batch") == 0) {
    CHECK(aclmdlSetDynamicBatchSize(model, set->in, index, strtoul(rest, NULL, 10)));
  } else if (strcmp(kind, "image") == 0) {
    if (sscanf(rest, "%lu %lu", &first, &second) != 2) fail("no image size", rest);
    CHECK(aclmdlSetDynamicHWSize(model, set->in, index, first, second));
  } else {
    aclmdlIODims dims;
    memset(&dims, 0, sizeof dims);
    dims.dimCount = (size_t)parse_dims(rest, dims.dims);
    CHECK(aclmdlSetInputDynamicDims(model, set->in, index, &dims));
  }
  for (i = 0; i < aclmdlGetNumOutputs(desc); ++i) CHECK(aclmdlGetCurOutputDims(desc, i, &set->gear_dims[i]));
  set->has_gear = 1;
}

static void make_room(struct set* set) {
  size_t i;
  if (set->out) release(set->out);
  set->out = aclmdlCreateDataset();
  for (i = 0; i < aclmdlGetNumOutputs(desc); ++i)
    CHECK(aclmdlAddDatasetBuffer(set->out, aclCreateDataBuffer(guarded(set->room[i]), set->room[i])));
}

/* The dims of an output: what the run described, else what was so when the gear was set, else the model's. */
static int output_dims(const struct set* set, size_t index, int64_t* dims) {
  const aclTensorDesc* tensor = aclmdlGetDatasetTensorDesc(set->out, index);
  aclmdlIODims known = set->gear_dims[index];
  size_t i;
  if (tensor) {
    for (i = 0; i < aclGetTensorDescNumDims(tensor); ++i) CHECK(aclGetTensorDescDimV2(tensor, i, &dims[i]));
    return (int)aclGetTensorDescNumDims(tensor);
  }
  if (!set->has_gear) CHECK(aclmdlGetCurOutputDims(desc, index, &known));
  memcpy(dims, known.dims, sizeof known.dims);
  return (int)known.dimCount;
}

static void check_guard(const struct set* set, size_t index, const char* memory) {
  int i;
  if (set->room[index] == 0) return;
  for (i = 0; i < kGuard; ++i)
    if ((unsigned char)memory[set->room[index] + (size_t)i] != kMark) {
      fprintf(stderr, "output %zu: byte %d behind its buffer of %zu was written\n", index, i, set->room[index]);
      exit(1);
    }
}

static void write_outputs(struct set* set, const char* prefix) {
  char path[600];
  size_t i;
  snprintf(path, sizeof path, "%s.txt", prefix);
  FILE* list = fopen(path, "w");
  if (!list) fail("cannot write", path);
  for (i = 0; i < aclmdlGetNumOutputs(desc); ++i) {
    const aclDataType type = aclmdlGetOutputDataType(desc, i);
    const char* memory = aclGetDataBufferAddr(aclmdlGetDatasetBuffer(set->out, i));
    int64_t dims[ACL_MAX_DIM_CNT];
    const int count = output_dims(set, i, dims);
    size_t size = aclDataTypeSize(type);
    int d;
    fprintf(list, "%d", (int)type);
    for (d = 0; d < count; ++d) {
      fprintf(list, " %lld", (long long)dims[d]);
      size *= (size_t)dims[d];
    }
    fprintf(list, "\n");
    if (size > aclGetDataBufferSizeV2(aclmdlGetDatasetBuffer(set->out, i))) fail("an output is larger than its buffer", prefix);
    check_guard(set, i, memory);
    snprintf(path, sizeof path, "%s.%zu", prefix, i);
    FILE* file = fopen(path, "wb");
    if (!file || fwrite(memory, 1, size, file) != size) fail("cannot write", path);
    fclose(file);
  }
  fclose(list);
}

static void execute(struct set* set, const char* prefix) {
  make_room(set);
  CHECK(aclmdlExecute(model, set->in, set->out));
  write_outputs(set, prefix);
}

static void launch(struct set* set, const char* prefix) {
  make_room(set);
  snprintf(set->prefix, sizeof set->prefix, "%s", prefix);
  CHECK(aclmdlExecuteAsync(model, set->in, set->out, stream));
}

static void wait_for_all(void) {
  int i;
  CHECK(aclrtSynchronizeStream(stream));
  for (i = 0; i < kSets; ++i) {
    if (sets[i].prefix[0]) write_outputs(&sets[i], sets[i].prefix);
    sets[i].prefix[0] = 0;
  }
}

static void follow(char* line) {
  char verb[16] = "", words[3][512] = {"", "", ""};
  unsigned d = 0, index = 0;
  unsigned long bytes = 0;
  if (sscanf(line, "%15s %u", verb, &d) < 1) return;
  if (d >= kSets) fail("no such dataset", line);
  if (strcmp(verb, "set") == 0)
    begin(&sets[d]);
  else if (strcmp(verb, "input") == 0 && sscanf(line, "%*s %*u %u %511s %511s %lu", &index, words[0], words[1], &bytes) == 4)
    take_input(&sets[d], index, words[0], words[1], bytes);
  else if (strcmp(verb, "gear") == 0 && sscanf(line, "%*s %*u %511s %511[^\n]", words[0], words[1]) == 2)
    set_gear(&sets[d], words[0], words[1]);
  else if (strcmp(verb, "room") == 0 && sscanf(line, "%*s %*u %u %lu", &index, &bytes) == 2 && index < kOutputs)
    sets[d].room[index] = bytes;
  else if (strcmp(verb, "run") == 0 && sscanf(line, "%*s %*u %511s", words[0]) == 1)
    execute(&sets[d], words[0]);
  else if (strcmp(verb, "launch") == 0 && sscanf(line, "%*s %*u %511s", words[0]) == 1)
    launch(&sets[d], words[0]);
  else if (strcmp(verb, "wait") == 0)
    wait_for_all();
  else
    fail("not understood", line);
}

int main(int argc, char** argv) {
  char line[2048];
  int i;
  if (argc != 3) fail("usage", "replay MODEL PLAN");
  FILE* plan = fopen(argv[2], "r");
  if (!plan) fail("cannot read", argv[2]);
  CHECK(aclInit(NULL));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtCreateStream(&stream));
  CHECK(aclmdlLoadFromFile(argv[1], &model));
  desc = aclmdlCreateDesc();
  CHECK(aclmdlGetDesc(desc, model));
  if (aclmdlGetNumOutputs(desc) > kOutputs) fail("too many outputs", argv[1]);
  while (fgets(line, sizeof line, plan)) follow(line);
  fclose(plan);
  for (i = 0; i < kSets; ++i) drop(&sets[i]);
  CHECK(aclmdlUnload(model));
  CHECK(aclmdlDestroyDesc(desc));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}
