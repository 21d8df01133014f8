// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/init_config.h"

#include <cstdlib>

// Any text is accepted or refused with a code and a sentence; what is accepted is within its documented range.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto config = belay::parse_init_config({reinterpret_cast<const char*>(data), size});
  if (!config.ok()) {
    if (config.status().code == ACL_SUCCESS || config.status().message.empty()) abort();
    return 0;
  }
  const uint64_t stack = (*config).aicore_stack_size;
  if (stack < 32 << 10 || stack > 192 << 10 || stack % (16 << 10) != 0) abort();
  if ((*config).max_opqueue_num == 0 || (*config).default_device.value_or(0) < 0) abort();
  return 0;
}
