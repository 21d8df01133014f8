// SPDX-License-Identifier: Apache-2.0
#include "base/files/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "base/content_hash.h"
#include "base/faults.h"
#include "base/files/atomic_file.h"
#include "base/files/descriptor.h"
#include "base/files/file.h"
#include "base/log/log.h"
#include "base/log/log_delay.h"

namespace belay {
namespace {

constexpr std::string_view kSuffix = ".belay";
constexpr size_t kNameLength = 32;                                    // before the suffix
constexpr size_t kContentOffset = 4096;                               // a page, so that the content is aligned
constexpr time_t kSeconds = 60;                                       // how exactly the last use is known
constexpr char kMagic[8] = {'B', 'E', 'L', 'A', 'Y', 'D', 'C', '1'};  // the format's version is its last letter

// What a file begins with.
struct Header {
  char magic[8];
  ContentHash key, content;
  uint64_t bytes;
  uint64_t label_bytes;
  char label[4024];
  ContentHash check;  // of all above
};
static_assert(sizeof(Header) == kContentOffset);  // every byte of a file is checked

ContentHash check_of(const Header& header) {
  return content_hash(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, check)));
}

ContentHash hash_of(std::string_view key) { return content_hash(std::as_bytes(std::span(key))); }

std::string name_of(std::string_view key) {
  const ContentHash hash = hash_of(key);
  char name[kNameLength + 1];
  (void)snprintf(name, sizeof name, "%016llx%016llx", static_cast<unsigned long long>(hash.high),
                 static_cast<unsigned long long>(hash.low));
  return name + std::string(kSuffix);
}

bool is_entry(std::string_view name) {
  return name.size() == kNameLength + kSuffix.size() && name.ends_with(kSuffix) &&
         name.find_first_not_of("0123456789abcdef") == kNameLength;
}

bool is_whole(const Header& header) {
  return std::memcmp(header.magic, kMagic, sizeof kMagic) == 0 && header.check == check_of(header) &&
         header.label_bytes <= sizeof header.label;
}

bool earlier(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

std::string label_in(const std::string& path) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  Header header;
  if (file.number < 0 || pread(file.number, &header, sizeof header, 0) != sizeof header || !is_whole(header)) return "";
  return std::string(header.label, header.label_bytes);
}

Header header_of(std::string_view key, std::string_view label, std::span<const std::byte> content) {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.key = hash_of(key);
  header.content = content_hash(content);
  header.bytes = content.size();
  header.label_bytes = std::min(label.size(), sizeof header.label);
  std::memcpy(header.label, label.data(), header.label_bytes);
  header.check = check_of(header);
  return header;
}

// 0 or an error number.
int write_entry(const std::string& directory, const std::string& path, const Header& header,
                std::span<const std::byte> content) {
  iovec parts[] = {{const_cast<Header*>(&header), sizeof header},
                   {const_cast<std::byte*>(content.data()), content.size()}};
  AtomicFile file;
  int error = file.open(directory, 0600);
  if (!error) error = file.write(parts);
  return error ? error : file.publish(path.c_str(), AtomicFile::Existing::Replace);
}

}  // namespace

std::shared_ptr<const void> DiskCache::find(std::string_view key, size_t bytes) {
  const std::string name = name_of(key), path = path_of(name);
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  const int error = errno;
  if (file.number < 0 && error != ELOOP) return nullptr;  // what cannot be opened can be replaced, or cannot be helped
  std::string problem = "it is a link";
  auto found = file.number < 0 ? nullptr : map(file.number, key, bytes, problem);
  if (found) return uses(name), found;
  const bool removed = unlink(path.c_str()) == 0;
  log_notice(LogModule::Ge, "{} cannot be used{}: {}; what it held is made again", path,
             removed ? " and was removed" : "", problem);
  return nullptr;
}

std::shared_ptr<const void> DiskCache::map(int file, std::string_view key, size_t bytes, std::string& problem) const {
  struct stat info {};
  const size_t whole = kContentOffset + bytes;
  if (fstat(file, &info) != 0) return problem = strerror(errno), nullptr;
  if (!S_ISREG(info.st_mode)) return problem = "it is not a regular file", nullptr;
  if (info.st_uid != geteuid()) return problem = "it belongs to somebody else", nullptr;
  if (static_cast<uint64_t>(info.st_size) != whole)
    return problem = formatted("it has {} bytes instead of {}", info.st_size, whole), nullptr;
  void* address = mmap(nullptr, whole, PROT_READ, MAP_SHARED, file, 0);
  if (address == MAP_FAILED) return problem = strerror(errno), nullptr;
  const std::shared_ptr<const void> mapped(address, [whole](const void* at) { munmap(const_cast<void*>(at), whole); });
  // All pages at once are cheaper than one by one. It also tells a disk that cannot be read, where reading would end
  // us.
  if (madvise(address, whole, MADV_POPULATE_READ) != 0 && errno != EINVAL) return problem = strerror(errno), nullptr;
  const auto* header = static_cast<const Header*>(address);
  const auto* content = static_cast<const std::byte*>(address) + kContentOffset;
  if (!is_whole(*header) || header->bytes != bytes) return problem = "its first bytes are damaged", nullptr;
  if (header->key != hash_of(key)) return problem = "it holds something else", nullptr;
  if (header->content != content_hash({content, bytes})) return problem = "it is damaged", nullptr;
  if (info.st_mtim.tv_sec + kSeconds < time(nullptr)) (void)futimens(file, nullptr);
  return {mapped, content};
}

// A disk whose room is counted on purpose (BELAY_FAULT) is for dump files alone.
void DiskCache::store(std::string_view key, std::string_view label, std::span<const std::byte> content) {
  const uint64_t bytes = kContentOffset + content.size();
  if (!storing_ || faults().disk_bytes || !make_directory() || !make_room(bytes)) return;
  const std::string name = name_of(key);
  uses(name);
  if (const int error = write_entry(directory_, path_of(name), header_of(key, label, content), content))
    give_up("cannot be written to", error);
}

bool DiskCache::make_directory() {
  remove_leftovers_once(directory_);
  if (access(directory_.c_str(), F_OK) == 0) return true;
  const size_t slash = directory_.rfind('/');
  if (slash != 0 && !make_directories(directory_.substr(0, slash))) return give_up("cannot be made", errno), false;
  if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) return give_up("cannot be made", errno), false;
  return true;
}

void DiskCache::give_up(const char* what, int error) {
  if (!storing_.exchange(false)) return;
  const LogLevel level = error == ENOSPC || error == EDQUOT || error == EFBIG ? LogLevel::Notice : LogLevel::Info;
  log_at(LogModule::Ge, level, "the cache {} {}: {}; this process goes on without", directory_, what, strerror(error));
}

// What this process uses is left alone: a model that is larger than the cache would else push out its own beginning
// each time that it is loaded.
bool DiskCache::make_room(uint64_t bytes) {
  if (bytes > most_bytes_) return false;
  const LogDelay delay;
  std::lock_guard lock(mutex_);
  if (room_ >= bytes) return room_ -= bytes, true;
  auto all = entries(false);
  uint64_t total = 0;
  for (const Entry& entry : all) total += entry.bytes;
  // Some more than needed, so that this is not asked for each file.
  const uint64_t enough = most_bytes_ - std::max(bytes, most_bytes_ / 16);
  for (const Entry& entry : all) {
    if (total <= enough) break;
    if (used_.contains(entry.name) || unlink(path_of(entry.name).c_str()) != 0) continue;
    total -= entry.bytes;
    log_info(LogModule::Ge, "{} made room in the cache", entry.name);
  }
  if (total > most_bytes_ - bytes) return false;
  room_ = std::min(most_bytes_ - total, most_bytes_ / 16 + bytes) - bytes;
  return true;
}

void DiskCache::uses(const std::string& name) {
  std::lock_guard lock(mutex_);
  used_.insert(name);
}

std::vector<DiskCache::Entry> DiskCache::entries(bool labels) const {
  std::vector<Entry> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(directory_.c_str()), closedir);
  if (!listing) return all;
  while (const dirent* each = readdir(listing.get())) {
    struct stat info {};
    if (!is_entry(each->d_name) || fstatat(dirfd(listing.get()), each->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        S_ISDIR(info.st_mode))
      continue;
    all.push_back({each->d_name, labels ? label_in(path_of(each->d_name)) : "", static_cast<uint64_t>(info.st_size),
                   info.st_mtim, info.st_ino});
  }
  std::ranges::sort(all, [](const Entry& a, const Entry& b) { return earlier(a.used, b.used); });
  return all;
}

uint64_t DiskCache::clear(std::vector<std::string>& kept) {
  remove_leftovers(directory_);
  uint64_t bytes = 0;
  for (const Entry& entry : entries(false)) {
    const std::string path = path_of(entry.name);
    if (unlink(path.c_str()) == 0)
      bytes += entry.bytes;
    else if (errno != ENOENT)
      kept.push_back(path + ": " + strerror(errno));
  }
  return bytes;
}

}  // namespace belay
