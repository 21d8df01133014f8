// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>

// Where a thread is in the program: caught cheaply, told in words later. Everything here may be called in a signal
// handler: it neither allocates nor takes a lock, the loader's included.
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
  System,  // libc and the like: called by the program, and never what is wrong with it. Known by their sonames
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

// How long addr2line may take for all frames of a message together.
class LinePatience {
 public:
  explicit LinePatience(int seconds);
  // Milliseconds that are left.
  int left() const;
  // One that did not answer is not asked again.
  void give_up() { gave_up_ = true; }
  bool gave_up() const { return gave_up_; }

 private:
  timespec end_{};
  bool gave_up_ = false;
};
// One thread at a time.
void describe_frame(uintptr_t frame, FrameText& made, LinePatience& patience);

// What Python code the calling thread is in: lines `  File "x.py", line 3 in f`, the innermost first. The length of the
// text; 0 when it is in none.
size_t python_lines(char* text, size_t room);
// The first of these lines that is the program's own: what Python's library and numpy do for it, as string_at of
// ctypes, is left out, unless there is nothing else. `length` is that of the line.
const char* own_python_line(const char* lines, size_t& length);

}  // namespace belay
