// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "base/text.h"

namespace belay::api {

// Set when the library is loaded with BELAY_TRACE=FILE.
inline constinit std::atomic<bool> trace_on = false;

inline bool tracing() { return trace_on.load(std::memory_order_relaxed); }

// One exported call. On its return one line is added to the file, in one write, so that the lines of threads and of
// forked processes stay whole:
//   <thread> aclrtMalloc(0x7ffd5a0, 1024, 0) = 0 <3.2 us>
class Trace {
 public:
  template <class... Args>
  explicit Trace(const char* function, const Args&... args) {
    begin(function, {shown(args)...});
  }

  template <class T>
  T returned(T value) {
    end(shown(value));
    return value;
  }

 private:
  // A char* that may be written to is a buffer and need not hold text yet.
  template <class T>
  static Argument shown(const T& value) {
    if constexpr (std::is_same_v<T, char*>)
      return Argument::pointer(value);
    else
      return Argument::of(value);
  }
  void begin(const char* function, std::initializer_list<Argument> args) noexcept;
  void end(const Argument& result) noexcept;

  std::string line_;
  int64_t started_ = 0;  // ns
};

}  // namespace belay::api
