// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <type_traits>

#include "base/printable.h"

// What the commands print. Names come out of files that anybody may have made: each text among the arguments is made
// printable first, so that it takes one line and has no power over the terminal. JSON goes its own way.
namespace belay::tools {

// An argument of printf: a number as it is, a text made printable.
template <class T>
class Printed {
 public:
  explicit Printed(const T& value) : value_(value) {}
  T value() const { return value_; }

 private:
  T value_;
};
template <class T>
requires std::is_convertible_v<const T&, std::string_view>
class Printed<T> {
 public:
  explicit Printed(const T& text) : text_(printable(text)) {}
  const char* value() const { return text_.c_str(); }

 private:
  std::string text_;
};

// As fprintf prints; a text may also be a std::string.
template <class... Args>
void say_to(FILE* file, const char* pattern, const Args&... arguments) {
  if constexpr (sizeof...(Args) == 0)
    std::fputs(pattern, file);
  else
    std::fprintf(file, pattern, Printed<std::decay_t<Args>>(arguments).value()...);
}
template <class... Args>
void say(const char* pattern, const Args&... arguments) {
  say_to(stdout, pattern, arguments...);
}
template <class... Args>
void complain(const char* pattern, const Args&... arguments) {
  say_to(stderr, pattern, arguments...);
}

}  // namespace belay::tools
