// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The files whose code a process runs, found by system calls alone: neither a lock of the loader nor memory is needed,
// so that a signal handler may ask while another thread is inside of dlopen. One thread at a time.
namespace belay {

struct LoadedFile {
  char path[512];         // absolute, whatever it was opened by
  char soname[64];        // empty: it has none, as programs
  uintptr_t start = 0;    // of its first byte in memory
  uintptr_t end = 0;      // of what lies there in a row
  uintptr_t bias = 0;     // an address less this is what addr2line takes
  uintptr_t symbols = 0;  // the table of exported ones, in memory
  uintptr_t strings = 0;
  size_t symbol_count = 0;

  bool holds(const void* address) const { return reinterpret_cast<uintptr_t>(address) - start < end - start; }
};

// False when no file lies there.
bool find_loaded_file(uintptr_t address, LoadedFile& found);

// The exported function around an address; false when there is none.
bool symbol_at(const LoadedFile& file, uintptr_t address, char* name, size_t room);
bool exports(const LoadedFile& file, const char* name);

}  // namespace belay
