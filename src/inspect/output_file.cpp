// SPDX-License-Identifier: Apache-2.0
#include "inspect/output_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/text.h"

namespace belay::inspect {
namespace {

namespace fs = std::filesystem;

constexpr size_t longest_name = 254;
constexpr const char* unfinished = ".part";

Status failure(const fs::path& path, const char* what) {
  return {ACL_ERROR_WRITE_FILE, formatted("{} {}: {}", path.string(), what, std::strerror(errno))};
}

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

void add_mapping(const fs::path& folder, const std::string& short_name, const std::string& name) {
  std::ofstream file(folder / "mapping.csv", std::ios::app);
  file << short_name << ',' << name << '\n';
}

}  // namespace

Result<OutputFile> OutputFile::create(const fs::path& folder, const std::string& name) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Status{ACL_ERROR_WRITE_FILE, formatted("{} cannot be made: {}", folder.string(), error.message())};
  std::string used = name;
  if (name.size() > longest_name - std::strlen(unfinished)) {
    used = short_name(name);
    add_mapping(folder, used, name);
  }
  const fs::path path = folder / used, temporary = path.string() + unfinished;
  const int descriptor = ::open(temporary.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor < 0) return failure(temporary, "cannot be made");
  return OutputFile(descriptor, path);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink((path_.string() + unfinished).c_str());
}

Status OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure(path_, "cannot be written");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Status OutputFile::write(std::string_view text) { return write(std::as_bytes(std::span(text))); }

Result<fs::path> OutputFile::finish() {
  const int descriptor = std::exchange(descriptor_, -1);
  const std::string temporary = path_.string() + unfinished;
  if (::close(descriptor) != 0 || ::rename(temporary.c_str(), path_.c_str()) != 0) {
    const Status error = failure(path_, "cannot be finished");
    ::unlink(temporary.c_str());
    return error;
  }
  return path_;
}

}  // namespace belay::inspect
