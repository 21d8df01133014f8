// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A size that somebody can have meant: neither 0 nor a negative number.
static inline bool sensible(size_t size) { return size != 0 && size <= SIZE_MAX / 2; }

// Do two ranges of `count` bytes share one?
static inline bool overlap(const void* left, const void* right, size_t count) {
  const uintptr_t a = (uintptr_t)left, b = (uintptr_t)right;
  return a < b ? b - a < count : a - b < count;
}
