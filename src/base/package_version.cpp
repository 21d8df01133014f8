// SPDX-License-Identifier: Apache-2.0
#include "base/package_version.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/files/file.h"
#include "base/text.h"

namespace belay {
namespace {

constexpr size_t most_bytes = 1 << 20;

// The trimmed rest of the first line that begins with `key`.
std::optional<std::string> value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (trimmed(line).starts_with(key)) return std::string(trimmed(trimmed(line).substr(key.size())));
  }
  return {};
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::string replaced(std::string text, char from, char to) {
  std::ranges::replace(text, from, to);
  return text;
}

Result<std::string> share_file(const std::string& package, const PackagePlaces& places, NameRetry retry) {
  if (!places.home || !*places.home)
    return Status{ACL_ERROR_INVALID_FILE, "ASCEND_HOME_PATH is not set; source set_env.sh of the install tree"};
  const std::string share = std::string(places.home) + "/share/info/";
  std::string name = package;
  if (!is_directory(share + name)) name = replaced(package, '-', '_');
  if (!is_directory(share + name) && retry == NameRetry::Both) name = replaced(package, '_', '-');
  return share + name + "/version.info";
}

Result<std::string> driver_file(const std::string& package, const PackagePlaces& places) {
  const std::string key = package == "driver" ? "Driver_Install_Path_Param=" : "Firmware_Install_Path_Param=";
  const auto root = value_of(TRY(read_text(places.install_info, most_bytes)), key);
  if (!root) return Status{ACL_ERROR_INVALID_FILE, formatted("{} has no line {}", places.install_info, key)};
  return formatted("{}/{}/version.info", *root, package);
}

// Takes the digits at the front of `text` away.
std::optional<int64_t> take_number(std::string_view& text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_number(text.substr(0, digits));
  if (!number || *number > INT32_MAX) return {};
  text.remove_prefix(digits);
  return static_cast<int64_t>(*number);
}

bool take(std::string_view& text, std::string_view prefix) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  if (text.size() < prefix.size() || !std::equal(prefix.begin(), prefix.end(), text.begin(),
                                                 [&](char wanted, char found) { return same(found, wanted); }))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

void take_separator(std::string_view& text) {
  if (!text.empty() && (text.front() == '.' || text.front() == '-')) text.remove_prefix(1);
}

// What a pre-release takes off: -rc.1 gives -99.
std::optional<int64_t> prerelease(std::string_view text) {
  if (text.empty()) return 0;
  take_separator(text);
  const std::pair<std::string_view, int64_t> words[] = {{"alpha", -300}, {"beta", -200}, {"rc", -100}};
  for (const auto& [word, offset] : words) {
    if (!take(text, word)) continue;
    take_separator(text);
    const auto index = take_number(text);
    if (!index || !text.empty()) return {};
    return offset + *index;
  }
  return {};
}

std::optional<int64_t> number_of(std::string_view text) {
  int64_t total = 0;
  for (const int64_t weight : {10000000, 100000, 1000}) {
    if (weight != 10000000 && !take(text, ".")) return {};
    const auto part = take_number(text);
    if (!part) return {};
    total += *part * weight;
  }
  const auto offset = prerelease(text);
  if (!offset) return {};
  return total + *offset;
}

}  // namespace

Result<std::string> package_version(const std::string& package, const PackagePlaces& places, NameRetry retry) {
  const bool driver = package == "driver" || package == "firmware";
  const std::string file = driver ? TRY(driver_file(package, places)) : TRY(share_file(package, places, retry));
  const auto version = value_of(TRY(read_text(file, most_bytes)), "Version=");
  if (!version || version->empty()) return Status{ACL_ERROR_INVALID_FILE, formatted("{} has no line Version=", file)};
  return *version;
}

Result<int32_t> version_number(std::string_view text) {
  const auto number = number_of(text);
  if (number && *number <= INT32_MAX) return static_cast<int32_t>(*number);
  return Status{ACL_ERROR_INTERNAL_ERROR,
                formatted("version {} is not of the form 9.1.0 or 9.1.0-rc.1 (alpha, beta, rc)", text)};
}

Result<VersionParts> version_parts(std::string_view text) {
  VersionParts version;
  const size_t dash = text.find('-');
  version.text = text.substr(0, dash);
  if (dash != std::string_view::npos) {
    std::string suffix(text.substr(dash + 1));
    std::erase(suffix, '.');
    version.text += '.' + suffix;
  }
  version.parts.fill("0");
  size_t count = 0;
  for (std::string_view rest = version.text; count < version.parts.size(); ++count) {
    const size_t dot = rest.find('.');
    version.parts[count] = rest.substr(0, dot);
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (count == 0) return Status{ACL_ERROR_INVALID_FILE, formatted("version {} has fewer than two parts", text)};
  return version;
}

}  // namespace belay
