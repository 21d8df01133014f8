// SPDX-License-Identifier: Apache-2.0
#include "base/files/disk_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <functional>

#include "base/build_id.h"
#include "base/files/atomic_file.h"
#include "support/child.h"
#include "support/temporary_directory.h"

namespace belay {
namespace {

using test::content_of;
using test::files_under;
using test::TemporaryDirectory;

constexpr uint64_t plenty = 1 << 30;
constexpr size_t header = 4096;  // what a file has before its content

std::vector<std::byte> some_bytes(size_t count, unsigned seed = 1) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>((i * 2654435761u + seed) >> 8);
  return bytes;
}

bool holds(const std::shared_ptr<const void>& found, const std::vector<std::byte>& bytes) {
  return found && std::memcmp(found.get(), bytes.data(), bytes.size()) == 0;
}

// Runs in a process of its own; true when it returned true there.
bool in_child(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class DiskCacheTest : public testing::Test {
 protected:
  std::string place() const { return work_.path("cache"); }
  // As another process sees it.
  DiskCache other(uint64_t most = plenty) const { return DiskCache(place(), most); }
  std::string only_file() const {
    const auto files = files_under(place());
    return files.size() == 1 ? files[0].string() : "";
  }
  void change(const std::function<void(std::string&)>& how) const {
    const std::string path = only_file();
    std::string content = content_of(path);
    how(content);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
  }
  // Makes it `seconds` older than it is.
  void age(const std::string& path, time_t seconds) const {
    const timespec times[2] = {{0, UTIME_OMIT}, {time(nullptr) - seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

  TemporaryDirectory work_;
  const std::vector<std::byte> bytes_ = some_bytes(100000);
};

TEST_F(DiskCacheTest, WhatOneProcessStoresAnotherFinds) {
  other().store("key", "label", bytes_);
  EXPECT_TRUE(holds(other().find("key", bytes_.size()), bytes_));
  EXPECT_EQ(other().find("kez", bytes_.size()), nullptr);
  ASSERT_EQ(other().entries(true).size(), 1u);
  EXPECT_EQ(other().entries(true)[0].label, "label");
  EXPECT_EQ(other().entries(false)[0].bytes, header + bytes_.size());
}

TEST_F(DiskCacheTest, TheContentIsAlignedAndReadOnlyForOthers) {
  other().store("key", "", bytes_);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(other().find("key", bytes_.size()).get()) % 64, 0u);
  struct stat info {};
  ASSERT_EQ(stat(only_file().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(stat(place().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(DiskCacheTest, EveryByteThatWasChangedIsNoticedAndTheFileRemoved) {
  const size_t last = header + bytes_.size() - 1;
  for (const size_t at : {size_t{0}, size_t{8}, size_t{30}, size_t{45}, size_t{600}, header, header + 777, last}) {
    other().store("key", "a label", bytes_);
    change([&](std::string& content) { content[at] = static_cast<char>(content[at] ^ 4); });
    EXPECT_EQ(other().find("key", bytes_.size()), nullptr) << at;
    EXPECT_EQ(only_file(), "") << at;
  }
}

TEST_F(DiskCacheTest, FilesOfAnotherLengthAreRemoved) {
  for (const size_t length : {size_t{0}, size_t{100}, header, header + bytes_.size() - 1, header + bytes_.size() + 1}) {
    other().store("key", "", bytes_);
    change([&](std::string& content) { content.resize(length); });
    EXPECT_EQ(other().find("key", bytes_.size()), nullptr) << length;
    EXPECT_EQ(only_file(), "") << length;
  }
  other().store("key", "", bytes_);
  EXPECT_EQ(other().find("key", bytes_.size() - 1), nullptr);
}

TEST_F(DiskCacheTest, AFileUnderTheNameOfAnotherIsNotBelieved) {
  other().store("one", "", bytes_);
  const std::string one = only_file();
  other().store("two", "", some_bytes(bytes_.size(), 2));
  for (const auto& file : files_under(place()))
    if (file != one) std::filesystem::copy_file(file, one, std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(other().find("one", bytes_.size()), nullptr);
  EXPECT_TRUE(holds(other().find("two", bytes_.size()), some_bytes(bytes_.size(), 2)));
}

TEST_F(DiskCacheTest, ALinkIsNotFollowedAndWhatItLeadsToIsLeftAlone) {
  other().store("key", "", bytes_);
  const std::string name = only_file(), elsewhere = work_.path("elsewhere");
  std::filesystem::rename(name, elsewhere);
  std::filesystem::create_symlink(elsewhere, name);
  EXPECT_EQ(other().find("key", bytes_.size()), nullptr);
  EXPECT_FALSE(std::filesystem::is_symlink(name));
  EXPECT_TRUE(std::filesystem::exists(elsewhere));
  std::filesystem::create_symlink(elsewhere, name);
  other().store("key", "", some_bytes(bytes_.size(), 2));
  EXPECT_EQ(std::filesystem::file_size(elsewhere), header + bytes_.size());
  EXPECT_FALSE(std::filesystem::is_symlink(name));
}

TEST_F(DiskCacheTest, ADirectoryThatIsALinkIsUsed) {
  std::filesystem::create_directory(work_.path("large_disk"));
  std::filesystem::create_symlink(work_.path("large_disk"), place());
  other().store("key", "", bytes_);
  EXPECT_TRUE(holds(other().find("key", bytes_.size()), bytes_));
}

TEST_F(DiskCacheTest, WhereNothingCanBeWrittenNothingHappens) {
  work_.write("file", "");
  DiskCache below_a_file(work_.path("file/cache"), plenty);
  below_a_file.store("key", "", bytes_);
  EXPECT_EQ(below_a_file.find("key", bytes_.size()), nullptr);
  work_.write("cache", "a file where the directory should be");
  other().store("key", "", bytes_);
  EXPECT_EQ(other().find("key", bytes_.size()), nullptr);
  EXPECT_EQ(content_of(place()), "a file where the directory should be");
}

// Root may write everywhere, so the child becomes somebody else.
TEST_F(DiskCacheTest, AReadOnlyDirectoryIsReadAndAnUnreadableOneIgnored) {
  ASSERT_EQ(chmod(work_.path().c_str(), 0777), 0);
  EXPECT_TRUE(in_child([&] {
    if (geteuid() == 0 && setuid(65534) != 0) return false;
    other().store("key", "", bytes_);
    if (chmod(place().c_str(), 0500) != 0) return false;
    other().store("more", "", bytes_);
    const bool read = holds(other().find("key", bytes_.size()), bytes_) && !other().find("more", bytes_.size());
    if (chmod(place().c_str(), 0) != 0) return false;
    const bool ignored = !other().find("key", bytes_.size());
    other().store("more", "", bytes_);
    if (chmod(place().c_str(), 0700) != 0 || chmod(only_file().c_str(), 0) != 0) return false;
    const bool unreadable = !other().find("key", bytes_.size());
    other().store("key", "", bytes_);  // takes its place
    return read && ignored && unreadable && holds(other().find("key", bytes_.size()), bytes_);
  }));
}

TEST_F(DiskCacheTest, AFullDiskLeavesNothingBehindAndIsNotTriedAgain) {
  EXPECT_TRUE(in_child([&] {
    const rlimit limit{50000, 50000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    DiskCache cache = other();
    cache.store("key", "", bytes_);
    if (!std::filesystem::is_empty(place())) return false;
    cache.store("small", "", some_bytes(100));
    return std::filesystem::is_empty(place()) && !cache.find("key", bytes_.size());
  }));
}

TEST_F(DiskCacheTest, WhatWasUsedLongestAgoMakesRoom) {
  const uint64_t most = 4 * (header + bytes_.size());
  std::vector<std::string> names;
  for (int i = 0; i < 4; ++i) {
    other(most).store(std::to_string(i), "", bytes_);
    for (const auto& file : files_under(place()))
      if (std::ranges::find(names, file.string()) == names.end()) names.push_back(file.string());
    age(names.back(), 1000 - i);
  }
  EXPECT_TRUE(other(most).find("0", bytes_.size()));  // used now
  const auto mapped = other(most).find("1", bytes_.size());
  age(names[1], 5000);
  other(most).store("4", "", bytes_);
  EXPECT_TRUE(other(most).find("0", bytes_.size()));
  EXPECT_FALSE(other(most).find("1", bytes_.size()));
  EXPECT_TRUE(holds(mapped, bytes_));  // gone from the directory, not from under those who have it
  EXPECT_TRUE(other(most).find("3", bytes_.size()));
  EXPECT_TRUE(other(most).find("4", bytes_.size()));
  uint64_t total = 0;
  for (const auto& entry : other().entries(false)) total += entry.bytes;
  EXPECT_LE(total, most);
}

TEST_F(DiskCacheTest, AProcessDoesNotPushOutWhatItUsesItself) {
  const uint64_t most = 3 * (header + bytes_.size()) + 10;
  DiskCache cache = other(most);
  for (int i = 0; i < 10; ++i) cache.store(std::to_string(i), "", bytes_);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(cache.find(std::to_string(i), bytes_.size())) << i;
  EXPECT_EQ(cache.entries(false).size(), 3u);
  cache.store("too large", "", some_bytes(most));
  EXPECT_EQ(cache.entries(false).size(), 3u);
}

TEST_F(DiskCacheTest, ManyProcessesMayStoreTheSameAtOnce) {
  constexpr int keys = 20;
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    DiskCache cache = other();
    bool good = true;
    for (int i = 0; i < keys; ++i) {
      const auto bytes = some_bytes(bytes_.size(), static_cast<unsigned>(i));
      if (const auto found = cache.find(std::to_string(i), bytes.size()))
        good = good && holds(found, bytes);
      else
        cache.store(std::to_string(i), "", bytes);
    }
    _exit(good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files_under(place()).size(), static_cast<size_t>(keys));  // and no temporary ones
  for (int i = 0; i < keys; ++i)
    EXPECT_TRUE(
        holds(other().find(std::to_string(i), bytes_.size()), some_bytes(bytes_.size(), static_cast<unsigned>(i))));
}

TEST_F(DiskCacheTest, WhatAKilledWriterLeftIsRemovedByTheNext) {
  std::filesystem::create_directory(place());
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file;
    if (file.open(place(), 0600) != 0 || file.write("the first half") != 0) _exit(1);
    (void)raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(files_under(place()).size(), 1u);
  EXPECT_TRUE(other().entries(false).empty());
  other().store("key", "", bytes_);
  EXPECT_EQ(files_under(place()).size(), 1u);
  EXPECT_TRUE(holds(other().find("key", bytes_.size()), bytes_));
}

TEST_F(DiskCacheTest, ClearingLeavesWhatIsNotOurs) {
  other().store("one", "", bytes_);
  other().store("two", "", bytes_);
  work_.write("cache/notes.txt", "mine");
  // Not ours, whatever its name.
  const auto directory = std::filesystem::path(other().directory()) / "0123456789abcdef0123456789abcdef.belay";
  ASSERT_TRUE(std::filesystem::create_directory(directory));
  EXPECT_EQ(other().entries(false).size(), 2u);
  std::vector<std::string> kept;
  EXPECT_EQ(other().clear(kept), 2 * (header + bytes_.size()));
  EXPECT_TRUE(kept.empty());
  EXPECT_TRUE(std::filesystem::exists(directory));
  EXPECT_EQ(content_of(only_file()), "mine");
}

// What the environment says is read once: each question is asked in a process of its own.
struct Place {
  const char *cache_home, *home, *cache, *size, *expected;
};

TEST(DiskCachePlace, DISABLED_Child) {
  const std::string expected = getenv("EXPECTED");
  DiskCache* const cache = disk_cache();
  EXPECT_EQ(cache ? cache->directory() + " " + std::to_string(cache->most_bytes()) : "off", expected);
}

TEST(DiskCachePlace, IsWhereTheEnvironmentSays) {
  const Place places[] = {
      {"/x", "/h", "", "", "/x/belay 4294967296"},
      {"", "/h", "on", "", "/h/.cache/belay 4294967296"},
      {"relative", "/h", "", "1M", "/h/.cache/belay 1048576"},
      {"", "", "", "", "off"},
      {"relative", "h", "", "", "off"},
      {"/x", "/h", "off", "", "off"},
      {"/x", "/h", "0", "", "off"},
      {"/x", "/h", "", "0", "off"},
      {"/x", "/h", "perhaps", "much", "/x/belay 4294967296"},
  };
  for (const Place& p : places)
    test::expect_passes_with({{"XDG_CACHE_HOME", p.cache_home},
                              {"HOME", p.home},
                              {"BELAY_CACHE", p.cache},
                              {"BELAY_CACHE_SIZE", p.size},
                              {"EXPECTED", p.expected}},
                             "DiskCachePlace.DISABLED_Child");
}

// The linker's own word, as binutils would show it.
TEST(BuildId, IsWhatTheLinkerWrote) {
  const std::string id = build_id();
  ASSERT_EQ(id.size(), 40u);  // SHA-1
  std::string raw;
  for (size_t i = 0; i < id.size(); i += 2) raw += static_cast<char>(std::stoi(id.substr(i, 2), nullptr, 16));
  EXPECT_NE(content_of("/proc/self/exe").find(std::string("GNU\0", 4) + raw), std::string::npos);
}

}  // namespace
}  // namespace belay
