// SPDX-License-Identifier: Apache-2.0
#include "dump/format/names.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "base/text.h"

namespace belay::dump {

namespace fs = std::filesystem;

namespace {

std::string without_end_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string joined(const std::string& directory, std::string_view name) {
  return directory.ends_with('/') ? directory + std::string(name) : directory + "/" + std::string(name);
}

bool is_ip_address(std::string_view text) {
  if (std::ranges::count(text, '.') != 3) return false;
  for (int part = 0; part < 4; ++part) {
    const std::string_view piece = text.substr(0, text.find('.'));
    const auto number = parse_number(piece);
    if (!number || *number > 255) return false;
    text.remove_prefix(std::min(text.size(), piece.size() + 1));
  }
  return true;
}

}  // namespace

std::string mangled(std::string_view name) {
  std::string made(name);
  std::ranges::replace_if(
      made, [](char c) { return c == ' ' || c == '.' || c == '/' || c == '\\' || c == '\0'; }, '_');
  return made;
}

uint64_t next_time() {
  static std::atomic<uint64_t> last{0};
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto wanted = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  uint64_t before = last.load(std::memory_order_relaxed), given;
  do given = std::max(wanted, before + 1);
  while (!last.compare_exchange_weak(before, given, std::memory_order_relaxed));
  return given;
}

std::string time_text(std::time_t time) {
  std::tm local{};
  localtime_r(&time, &local);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &local)};
}

std::string digits_for(std::string_view path) { return std::to_string(XXH64(path.data(), path.size(), 0)); }

void write_digits(char (&digits)[kMostDigits], std::string_view directory, std::string_view name) {
  XXH64_state_t state;
  (void)XXH64_reset(&state, 0);
  (void)XXH64_update(&state, directory.data(), directory.size());
  (void)XXH64_update(&state, "/", 1);
  (void)XXH64_update(&state, name.data(), name.size());
  (void)snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(XXH64_digest(&state)));
}

std::string DumpRoot::shown() const { return joined(written, time); }

std::optional<std::string_view> remote_part(std::string_view path) {
  const size_t colon = path.find(':');
  if (colon == path.npos || !is_ip_address(path.substr(0, colon))) return {};
  return path.substr(colon + 1);
}

std::string local_path(const std::string& dump_path) {
  const auto remote = remote_part(dump_path);
  if (!remote) return dump_path;
  std::error_code ignored;
  // As if the working directory were the other machine's root, which has nothing above it.
  const fs::path there = fs::path("/" + std::string(*remote)).lexically_normal();
  return (fs::current_path(ignored) / there.relative_path()).string();
}

DumpRoot make_root(const std::string& dump_path, std::time_t now) {
  std::error_code ignored;
  const fs::path real = fs::current_path(ignored) / local_path(dump_path);
  return {without_end_slashes(dump_path), without_end_slashes(real.lexically_normal().string()), time_text(now)};
}

std::string Place::shown() const { return root->shown() + "/" + directory + "/" + name; }

std::string model_directory(int device, std::string_view model, uint32_t model_id, uint64_t step) {
  const std::string name = model.empty() ? "_" : mangled(model);  // as many components for every model
  return std::to_string(device) + "/" + name + "/" + std::to_string(model_id) + "/" + std::to_string(step);
}

std::string file_suffix(uint32_t task, uint32_t stream, uint64_t time) {
  return std::to_string(task) + "." + std::to_string(stream) + "." + std::to_string(time);
}

}  // namespace belay::dump
