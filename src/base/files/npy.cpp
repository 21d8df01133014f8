// SPDX-License-Identifier: Apache-2.0
#include "base/files/npy.h"

#include <cstring>

namespace belay {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = 6;

Status bad(const std::string& why) { return {ACL_ERROR_PARSE_FILE, "this is not a .npy file: " + why}; }

// The text after `'key':` in the header's dictionary, from its first character that is no blank.
Result<size_t> find_value(const std::string& header, const std::string& key) {
  const size_t at = header.find("'" + key + "'");
  const size_t colon = at == std::string::npos ? at : header.find(':', at);
  const size_t value = colon == std::string::npos ? colon : header.find_first_not_of(" ", colon + 1);
  if (value == std::string::npos) return bad("its header lacks '" + key + "'");
  return value;
}

Result<std::vector<int64_t>> parse_shape(const std::string& header) {
  const size_t open = TRY(find_value(header, "shape"));
  const size_t close = header.find(')', open);
  if (header[open] != '(' || close == std::string::npos) return bad("its shape is not a tuple");
  std::vector<int64_t> shape;
  for (size_t at = open + 1; at < close;) {
    at = header.find_first_not_of(" ,", at);
    if (at >= close) break;
    size_t end = at;
    while (end < close && header[end] >= '0' && header[end] <= '9') ++end;
    if (end == at || end - at > 18) return bad("its shape has an element that is not a number");
    shape.push_back(std::stoll(header.substr(at, end - at)));
    at = end;
  }
  return shape;
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::span<const std::byte> file) {
  if (file.size() < 10 || std::memcmp(file.data(), kMagic, kMagicBytes) != 0) return bad("its first bytes differ");
  const auto major = static_cast<uint8_t>(file[kMagicBytes]);
  if (major < 1 || major > 3) return bad("version " + std::to_string(major) + " is unknown");
  const size_t length_bytes = major == 1 ? 2 : 4, begin = 8 + length_bytes;
  size_t length = 0;
  if (file.size() < begin) return bad("it ends inside the header");
  std::memcpy(&length, file.data() + 8, length_bytes);
  if (length > file.size() - begin) return bad("it ends inside the header");
  const std::string header(reinterpret_cast<const char*>(file.data()) + begin, length);

  NpyHeader parsed;
  parsed.data_offset = begin + length;
  const size_t descr = TRY(find_value(header, "descr"));
  const size_t quote = header.find('\'', descr + 1);
  if (header[descr] != '\'' || quote == std::string::npos) return bad("structured types are not supported");
  parsed.descr = header.substr(descr + 1, quote - descr - 1);
  const size_t order = TRY(find_value(header, "fortran_order"));
  parsed.fortran_order = header.compare(order, 4, "True") == 0;
  if (!parsed.fortran_order && header.compare(order, 5, "False") != 0)
    return bad("its fortran_order is neither True nor False");
  parsed.shape = TRY(parse_shape(header));
  return parsed;
}

std::string make_npy_header(const std::string& descr, std::span<const int64_t> shape) {
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (const int64_t dim : shape) text += std::to_string(dim) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) text.resize(text.size() - 2);
  text += "), }";
  const size_t unpadded = 10 + text.size() + 1;
  text.append((64 - unpadded % 64) % 64, ' ');
  text += '\n';
  std::string header(kMagic, kMagicBytes);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

}  // namespace belay
