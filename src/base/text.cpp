// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <algorithm>
#include <charconv>

namespace belay {
namespace {

template <class... Options>
void append_number(std::string& out, Options... options) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, options...).ptr;
  out.append(digits, end);
}

}  // namespace

void append(std::string& out, const Argument& argument) {
  switch (argument.kind) {
    case Argument::Kind::Signed:
      return append_number(out, argument.value.integer);
    case Argument::Kind::Unsigned:
      return append_number(out, argument.value.number);
    case Argument::Kind::Real:
      return append_number(out, argument.value.real);
    case Argument::Kind::Text:
      out.append(argument.value.text, argument.size);
      return;
    case Argument::Kind::Pointer:
      if (!argument.value.address) {
        out += "null";
        return;
      }
      out += "0x";
      return append_number(out, reinterpret_cast<uintptr_t>(argument.value.address), 16);
    case Argument::Kind::Other:
      out += '{';
      append_number(out, argument.size);
      out += " bytes}";
      return;
  }
}

std::string formatted_list(std::string_view pattern, std::initializer_list<Argument> arguments) {
  std::string out;
  out.reserve(pattern.size() + 16 * arguments.size());
  for (const Argument& argument : arguments) {
    const size_t hole = pattern.find("{}");
    if (hole == std::string_view::npos) break;
    out += pattern.substr(0, hole);
    append(out, argument);
    pattern.remove_prefix(hole + 2);
  }
  out += pattern;
  return out;
}

std::optional<uint64_t> parse_number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

std::optional<uint64_t> parse_size(std::string_view text) {
  constexpr std::string_view suffixes = "KMGkmg";
  const size_t suffix = text.empty() ? std::string_view::npos : suffixes.find(text.back());
  if (suffix == std::string_view::npos) return parse_number(text);
  const size_t shift = 10 * (suffix % 3 + 1);
  const auto number = parse_number(text.substr(0, text.size() - 1));
  if (!number || *number > (UINT64_MAX >> shift)) return {};
  return *number << shift;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

size_t nesting_depth(std::string_view json) {
  size_t braces = 0, brackets = 0, deepest = 0;
  for (const char c : json) {
    if (c == '\0') break;
    if (c == '{') deepest = std::max(deepest, ++braces);
    if (c == '[') deepest = std::max(deepest, ++brackets);
    if (c == '}' && braces > 0) --braces;
    if (c == ']' && brackets > 0) --brackets;
  }
  return deepest;
}

}  // namespace belay
