// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace belay {

// What the JSON file given to aclInit asks for.
struct InitConfig {
  bool errors_per_process = false;    // err_msg_mode "1"
  std::string dump;                   // the value of "dump", as JSON; empty: no such key
  std::string profiler;               // the value of "profiler", as JSON; empty: no such key
  std::optional<int> default_device;  // user id; whether it exists is for the caller to see
  bool graph_event_mode = false;      // acl_graph.event_mode "1"
  uint64_t max_opqueue_num = 20000;
  uint64_t aicore_stack_size = 32 << 10;
  std::optional<uint64_t> simt_stack_size, simt_divergence_stack_size;
  uint64_t simd_printf_fifo_size_per_core = 32 << 10;
  uint64_t simt_printf_fifo_size = 2 << 20;
};

// The stack a core gets when asked for so much: whole 16 KiB, from 32 KiB to 192 KiB.
uint64_t rounded_stack_size(uint64_t bytes);

// A pure function of the text; empty text is an empty configuration. Keys are looked at in the documented order, and
// the first that is wrong gives the error. `check_dump` is called with the value of "dump" when its turn comes.
Result<InitConfig> parse_init_config(std::string_view text,
                                     const std::function<Status(const std::string& dump)>& check_dump = nullptr);

// The text of the file; empty when the path is null or empty. ACL_ERROR_INVALID_FILE when it cannot be read or is
// larger than 10 MiB.
Result<std::string> read_init_config(const char* path);

}  // namespace belay
