// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <zlib.h>

#include <stdexcept>
#include <string_view>

#include "base/text.h"

namespace belay::report {

extern const std::string_view page_html;  // of web/, made by the build; "" when it could not

namespace {

// Where the template has the data, and how the page may be connected.
constexpr std::string_view kDataMark = "@DATA@", kConnectMark = "@CONNECT@";

std::string deflated(const std::string& plain) {
  uLongf size = compressBound(plain.size());
  std::string packed(size, '\0');
  const int result = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                               reinterpret_cast<const Bytef*>(plain.data()), plain.size(), Z_BEST_COMPRESSION);
  if (result != Z_OK) throw std::bad_alloc();
  packed.resize(size);
  return packed;
}

std::string base64(std::string_view bytes) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t three = 0;
    const size_t here = std::min<size_t>(3, bytes.size() - at);
    for (size_t i = 0; i < 3; ++i) three = three << 8 | (i < here ? static_cast<uint8_t>(bytes[at + i]) : 0);
    for (size_t i = 0; i < 4; ++i) text += i <= here ? letters[three >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

Result<std::string> filled(std::string_view data, std::string_view connect) {
  if (!has_page())
    return Status{ACL_ERROR_FEATURE_UNSUPPORTED,
                  "this belay was built without its page, because esbuild was not there; scripts/install-deps installs "
                  "it, then build again"};
  std::string page(page_html);
  for (const auto& [mark, text] : {std::pair(kConnectMark, connect), std::pair(kDataMark, data)})
    page.replace(page.find(mark), mark.size(), text);
  return page;
}

}  // namespace

bool has_page() { return !page_html.empty(); }

std::string packed(const Content& content) {
  const std::string json = page_text(content.json);
  std::string whole;
  for (int shift = 0; shift < 32; shift += 8) whole += static_cast<char>(json.size() >> shift & 255);
  return whole + json + content.bytes;
}

Result<std::string> page_with(const Content& content) { return filled(base64(deflated(packed(content))), "'none'"); }

Result<std::string> live_page() { return filled("", "'self'"); }

}  // namespace belay::report
