// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <cstdint>
#include <cstdio>

namespace belay {
namespace {

// A character of UTF-8; `bytes` 0: there is none.
struct Character {
  uint32_t code = 0;
  size_t bytes = 0;
};

Character first_of(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<uint8_t>(text[at]); };
  const uint8_t lead = byte(0);
  const size_t bytes = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || bytes > text.size()) return {};
  uint32_t code = bytes == 1 ? lead : lead & (0x7fU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool too_long = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  return too_long || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? Character{} : Character{code, bytes};
}

bool is_control(uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

// Ends of lines and marks of direction, which move what stands beside them.
bool moves_text(uint32_t code) {
  return code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(const char* pattern, uint32_t code) {
  char text[16];
  std::snprintf(text, sizeof text, pattern, code);
  return text;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string made;
  made.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes] = first_of(text);
    if (bytes == 0)
      made += escaped("\\x%02x", static_cast<uint8_t>(text[0]));
    else if (code == '\n' || code == '\t' || code == '\r')
      made += code == '\n' ? "\\n" : code == '\t' ? "\\t" : "\\r";
    else if (is_control(code))
      made += escaped(code < 0x80 ? "\\x%02x" : "\\u%04x", code);
    else if (moves_text(code))
      made += escaped("\\u%04x", code);
    else
      made += text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return made;
}

std::string printable_lines(std::string_view text, std::string_view indent) {
  std::string made;
  size_t begin = 0;
  for (size_t end = 0; (end = text.find('\n', end)) != std::string_view::npos; ++end) {
    if (!text.substr(end + 1).starts_with(indent)) continue;
    made += printable(text.substr(begin, end - begin)) + '\n';
    begin = end + 1;
  }
  return made + printable(text.substr(begin));
}

}  // namespace belay
