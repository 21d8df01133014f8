// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// Where a thread is in the program: caught cheaply, told in words later. Everything here may be called in a signal
// handler: it neither allocates nor takes a lock of ours.
namespace belay {

struct Backtrace {
  // Addresses inside of the calls, the innermost first.
  std::array<uintptr_t, 32> frames{};
  size_t count = 0;
};

// Of the calling function.
[[gnu::noinline]] Backtrace catch_backtrace();
// In a signal handler: of the code that the signal interrupted, at the program counter `at`.
Backtrace catch_interrupted(uintptr_t at);

// Whose code a frame is.
enum class Code : uint8_t {
  Program,
  System,  // libc and the like: called by the program, and never what is wrong with it
  Python,  // the interpreter
  Ours
};

struct FrameText {
  Code code = Code::System;
  // "name at file:line (module+0x12ab)", or as much of it as is known; addr2line, where there is one, tells the line.
  char text[768];
  // The name of an exported function; empty when it is none.
  char exported[96];
};
void describe_frame(uintptr_t frame, FrameText& made);

// What Python code the calling thread is in: lines `  File "x.py", line 3 in f`, the innermost first. The length of the
// text; 0 when it is in none.
size_t python_lines(char* text, size_t room);

}  // namespace belay
