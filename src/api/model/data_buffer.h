// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// A pointer and a size that the program hands around. It never owns the memory.
struct aclDataBuffer {
  void* data;
  size_t size;
};
