/* SPDX-License-Identifier: Apache-2.0
   What the C programs that execute models have in common. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"

/* Ends the program, with the library's reason, when a call fails. */
#define CHECK(call)                                                            \
  do {                                                                         \
    aclError code_ = (call);                                                   \
    if (code_ != ACL_SUCCESS) {                                                \
      const char* why_ = aclGetRecentErrMsg();                                 \
      fprintf(stderr, "%s returned %d\n%s\n", #call, code_, why_ ? why_ : ""); \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static void fail(const char* what, const char* which) {
  fprintf(stderr, "%s: %s\n", what, which);
  exit(1);
}

/* The whole file, to be freed, with a 0 behind it. */
static char* read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (!file) fail("cannot read", path);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char* bytes = malloc(*size + 1);
  if (fread(bytes, 1, *size, file) != *size) fail("cannot read", path);
  bytes[*size] = 0;
  fclose(file);
  return bytes;
}

/* The dataset with its buffers and their memory. */
static void release(aclmdlDataset* dataset) {
  size_t i;
  for (i = 0; i < aclmdlGetDatasetNumBuffers(dataset); ++i) {
    aclDataBuffer* buffer = aclmdlGetDatasetBuffer(dataset, i);
    if (aclGetDataBufferAddr(buffer)) CHECK(aclrtFree(aclGetDataBufferAddr(buffer)));
    CHECK(aclDestroyDataBuffer(buffer));
  }
  CHECK(aclmdlDestroyDataset(dataset));
}
