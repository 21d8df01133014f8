// SPDX-License-Identifier: Apache-2.0
// The C side of the comparison: the same call in a loop.
#include <stdint.h>
#include <time.h>

#include "acl/acl_rt.h"

// Nanoseconds for one aclrtMemcpy of `bytes` bytes; 0 when a copy fails.
__attribute__((visibility("default"))) double nanoseconds_per_copy(uint64_t to, uint64_t from, uint64_t bytes, int kind,
                                                                   int count) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int i = 0; i < count; ++i)
    if (aclrtMemcpy((void*)to, bytes, (const void*)from, bytes, (aclrtMemcpyKind)kind) != ACL_SUCCESS) return 0;
  clock_gettime(CLOCK_MONOTONIC, &end);
  return ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) / count;
}
