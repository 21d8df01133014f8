// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace belay {

// One value to be written, whatever its type was. Borrows the text it is given.
struct Argument {
  enum class Kind : uint8_t { Signed, Unsigned, Real, Text, Pointer, Other };

  template <class T>
  static Argument of(const T& value) {
    if constexpr (std::is_null_pointer_v<T>) {
      return pointer(nullptr);
    } else if constexpr (std::is_enum_v<T>) {
      return of(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      return {Kind::Real, {.real = value}};
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      return {Kind::Signed, {.integer = value}};
    } else if constexpr (std::is_integral_v<T>) {
      return {Kind::Unsigned, {.number = value}};
    } else if constexpr (std::is_convertible_v<const T&, const char*>) {
      const char* text = value;
      return text ? Argument{Kind::Text, {.text = text}, std::char_traits<char>::length(text)} : pointer(nullptr);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      const std::string_view text = value;
      return {Kind::Text, {.text = text.data()}, text.size()};
    } else if constexpr (std::is_pointer_v<T>) {
      return pointer(reinterpret_cast<const void*>(value));
    } else {
      return {Kind::Other, {.address = &value}, sizeof(T)};
    }
  }
  static Argument pointer(const void* address) { return {Kind::Pointer, {.address = address}}; }

  Kind kind;
  union {
    int64_t integer;
    uint64_t number;
    double real;
    const char* text;
    const void* address;
  } value;
  size_t size = 0;  // of the text, or of the object of another kind
};

// Adds the value to `out`: integers in decimal, pointers in hex, text as it is.
void append(std::string& out, const Argument& argument);

std::string formatted_list(std::string_view pattern, std::initializer_list<Argument> arguments);

// `pattern` with each {} replaced by the next argument.
template <class... Args>
std::string formatted(std::string_view pattern, const Args&... arguments) {
  return formatted_list(pattern, {Argument::of(arguments)...});
}

// The whole of `text` as a decimal number without sign; nothing when it is anything else or too large.
std::optional<uint64_t> parse_number(std::string_view text);

// A number of bytes: decimal digits, then nothing, K, M or G (1024 each; lower case too).
std::optional<uint64_t> parse_size(std::string_view text);

// Without the blanks (space, tab, CR, LF) at both ends.
std::string_view trimmed(std::string_view text);

// The deeper of the nestings of { and of [, counted apart and by character (strings too), up to a NUL byte.
size_t nesting_depth(std::string_view json);

}  // namespace belay
