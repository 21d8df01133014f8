/* SPDX-License-Identifier: Apache-2.0
   A C program as users write them: loads a model, executes it, writes what comes out. It knows nothing of Belay.

   user_program MODEL static  OUT... -- IN...
   user_program MODEL batch N OUT... -- IN...      a model converted with --dynamic_batch_size
   user_program MODEL shape 1,3 OUT... -- IN...    a model with dynamic shapes; one input
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/c_program.h"
#include "acl/acl.h"

static void add_buffer(aclmdlDataset* dataset, const void* host, size_t used, size_t size) {
  void* device = NULL;
  if (size > 0) {
    CHECK(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
    if (host) CHECK(aclrtMemcpy(device, size, host, used, ACL_MEMCPY_HOST_TO_DEVICE));
  }
  CHECK(aclmdlAddDatasetBuffer(dataset, aclCreateDataBuffer(device, size)));
}

static void write_output(aclmdlDesc* desc, aclmdlDataset* outputs, size_t index, const char* path) {
  aclDataBuffer* buffer = aclmdlGetDatasetBuffer(outputs, index);
  size_t size = aclGetDataBufferSizeV2(buffer);
  const aclTensorDesc* tensor = aclmdlGetDatasetTensorDesc(outputs, index);
  if (tensor) {
    size = aclGetTensorDescSize(tensor);
  } else {
    aclmdlIODims dims;
    size_t i;
    CHECK(aclmdlGetCurOutputDims(desc, index, &dims));
    size = aclDataTypeSize(aclmdlGetOutputDataType(desc, index));
    for (i = 0; i < dims.dimCount; ++i) size *= (size_t)dims.dims[i];
  }
  void* host = malloc(size + 1);
  CHECK(aclrtMemcpy(host, size, aclGetDataBufferAddr(buffer), size, ACL_MEMCPY_DEVICE_TO_HOST));
  FILE* file = fopen(path, "wb");
  if (!file || fwrite(host, 1, size, file) != size) exit(1);
  fclose(file);
  free(host);
  printf("%s\n", aclmdlGetOutputNameByIndex(desc, index));
}

int main(int argc, char** argv) {
  int at = 3, first_output, first_input;
  const char* mode = argc > 3 ? argv[2] : "";
  const char* value = NULL;
  uint32_t model = 0;
  size_t i;
  if (strcmp(mode, "static") != 0) value = argv[at++];
  first_output = at;
  while (at < argc && strcmp(argv[at], "--") != 0) ++at;
  first_input = at + 1;

  CHECK(aclInit(NULL));
  CHECK(aclrtSetDevice(0));
  aclrtContext context;
  aclrtStream stream;
  CHECK(aclrtCreateContext(&context, 0));
  CHECK(aclrtCreateStream(&stream));
  CHECK(aclmdlLoadFromFile(argv[1], &model));
  aclmdlDesc* desc = aclmdlCreateDesc();
  CHECK(aclmdlGetDesc(desc, model));

  aclmdlDataset* inputs = aclmdlCreateDataset();
  aclmdlDataset* outputs = aclmdlCreateDataset();
  for (i = 0; i < aclmdlGetNumInputs(desc); ++i) {
    size_t size = aclmdlGetInputSizeByIndex(desc, i), used = 0;
    if (strcmp(aclmdlGetInputNameByIndex(desc, i), ACL_DYNAMIC_TENSOR_NAME) == 0) {
      add_buffer(inputs, NULL, 0, size);
      continue;
    }
    void* host = read_file(argv[first_input + (int)i], &used);
    add_buffer(inputs, host, used, used > size ? used : size);
    free(host);
  }
  for (i = 0; i < aclmdlGetNumOutputs(desc); ++i) add_buffer(outputs, NULL, 0, aclmdlGetOutputSizeByIndex(desc, i));

  if (strcmp(mode, "batch") == 0) {
    size_t index = 0;
    CHECK(aclmdlGetInputIndexByName(desc, ACL_DYNAMIC_TENSOR_NAME, &index));
    CHECK(aclmdlSetDynamicBatchSize(model, inputs, index, strtoull(value, NULL, 10)));
  } else if (strcmp(mode, "shape") == 0) {
    int64_t dims[16];
    int count = 0;
    char* text = strdup(value);
    char* part;
    for (part = strtok(text, ","); part && count < 16; part = strtok(NULL, ",")) dims[count++] = atoll(part);
    free(text);
    aclTensorDesc* tensor = aclCreateTensorDesc(aclmdlGetInputDataType(desc, 0), count, dims, ACL_FORMAT_ND);
    CHECK(aclmdlSetDatasetTensorDesc(inputs, tensor, 0));
    aclDestroyTensorDesc(tensor);
  }

  if (strcmp(mode, "static") == 0) {
    CHECK(aclmdlExecuteAsync(model, inputs, outputs, stream));
    CHECK(aclrtSynchronizeStream(stream));
  } else {
    CHECK(aclmdlExecute(model, inputs, outputs));
  }
  for (i = 0; i < aclmdlGetNumOutputs(desc); ++i) write_output(desc, outputs, i, argv[first_output + (int)i]);

  release(inputs);
  release(outputs);
  CHECK(aclmdlUnload(model));
  CHECK(aclmdlDestroyDesc(desc));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtDestroyContext(context));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}
