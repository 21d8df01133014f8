// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace belay::dump {

// One thread of this process, as a debugger is to find it.
struct CoreRequest {
  const void* context;  // a ucontext_t: its registers
  int signal;
  const void* address = nullptr;                   // that the signal is about
  std::vector<std::span<const std::byte>> memory;  // besides the thread's stack; what cannot be read is left out
};

// Writes an ELF core that gdb opens: the thread's registers and stack, the given memory, the loader's list of libraries
// and the writable data of programs and libraries. Code is found in its files. The file is 0400 and whole when it has
// its name. Called in signal handlers, too. 500001 when it cannot be written.
Status write_core(const std::string& path, const CoreRequest& request);

}  // namespace belay::dump
