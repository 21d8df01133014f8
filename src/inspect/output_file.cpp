// SPDX-License-Identifier: Apache-2.0
#include "inspect/output_file.h"

#include <xxhash.h>

#include <cstdio>

#include "base/text.h"

namespace belay::inspect {
namespace {

namespace fs = std::filesystem;

constexpr size_t longest_name = 254;
constexpr mode_t mode = 0600;

Status status_of(const fs::path& path, int error) { return error ? write_failure(path.string(), error) : Status{}; }

// The name's hash in the form of a UUID, with the name's last extension.
std::string short_name(const std::string& name) {
  const XXH128_hash_t hash = XXH3_128bits(name.data(), name.size());
  char text[48];
  std::snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%012llx", static_cast<unsigned>(hash.high64 >> 32),
                static_cast<unsigned>(hash.high64 >> 16 & 0xffff), static_cast<unsigned>(hash.high64 & 0xffff),
                static_cast<unsigned>(hash.low64 >> 48),
                static_cast<unsigned long long>(hash.low64 & 0xffffffffffffull));
  return text + name.substr(name.rfind('.'));
}

}  // namespace

Status add_mapping(const fs::path& folder, const std::string& short_name, const std::string& name) {
  const fs::path path = folder / "mapping.csv";
  std::string line = formatted("{},{}\n", short_name, name);
  iovec vector{line.data(), line.size()};
  return status_of(path, append_lines(path.c_str(), std::span(&vector, 1), mode));
}

Result<OutputFile> OutputFile::create(const fs::path& folder, const std::string& name) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Status{ACL_ERROR_WRITE_FILE, formatted("{} cannot be made: {}", folder.string(), error.message())};
  std::string used = name;
  if (name.size() > longest_name) {
    used = short_name(name);
    TRY(add_mapping(folder, used, name));
  }
  remove_leftovers_once(folder.string());
  OutputFile made(folder / used);
  TRY(status_of(made.path_, made.file_->open(folder.string(), mode)));
  return made;
}

Status OutputFile::write(std::span<const std::byte> bytes) {
  return write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Status OutputFile::write(std::string_view text) { return status_of(path_, file_->write(text)); }

Result<fs::path> OutputFile::finish() {
  TRY(status_of(path_, file_->publish(path_.c_str(), AtomicFile::Existing::Replace)));
  return path_;
}

}  // namespace belay::inspect
