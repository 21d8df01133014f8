// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>

#include "securec.h"
#include "securec/bounds.h"

errno_t memset_s(void* dest, size_t destMax, int c, size_t count) {
  if (!dest) return EINVAL;
  if (!sensible(destMax)) return ERANGE;
  memset(dest, c, count < destMax ? count : destMax);
  return count <= destMax ? EOK : ERANGE;
}

// The destination stays usable and holds nothing of what it held before.
static errno_t refused(void* dest, size_t destMax, errno_t why) {
  memset(dest, 0, destMax);
  return why;
}

errno_t memcpy_s(void* dest, size_t destMax, const void* src, size_t count) {
  if (!dest) return EINVAL;
  if (!sensible(destMax)) return ERANGE;
  if (!src) return refused(dest, destMax, EINVAL);
  if (count > destMax) return refused(dest, destMax, ERANGE);
  if (dest == src) return EOK;
  if (overlap(dest, src, count)) return refused(dest, destMax, EINVAL);
  memcpy(dest, src, count);
  return EOK;
}

errno_t memmove_s(void* dest, size_t destMax, const void* src, size_t count) {
  if (!dest) return EINVAL;
  if (!sensible(destMax)) return ERANGE;
  if (!src) return refused(dest, destMax, EINVAL);
  if (count > destMax) return refused(dest, destMax, ERANGE);
  memmove(dest, src, count);
  return EOK;
}
