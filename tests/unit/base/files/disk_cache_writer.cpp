// SPDX-License-Identifier: Apache-2.0
#include "base/files/disk_cache_writer.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "support/child.h"
#include "support/temporary_directory.h"

namespace belay {
namespace {

constexpr uint64_t plenty = uint64_t{1} << 34;
constexpr size_t size = 300000;

std::shared_ptr<const void> some_content(int seed) {
  const std::shared_ptr<void> made(std::malloc(size), std::free);
  std::memset(made.get(), seed, size);
  return made;
}

std::string key_of(int seed) { return "key " + std::to_string(seed); }

bool holds(DiskCache& cache, int seed) {
  const auto found = cache.find(key_of(seed), size);
  return found && std::memcmp(found.get(), some_content(seed).get(), size) == 0;
}

void store_later(DiskCache& cache, int seed) { store_later(cache, key_of(seed), "label", some_content(seed), size); }

class DiskCacheWriter : public testing::Test {
 protected:
  // As another process sees it.
  DiskCache other() const { return DiskCache(work_.path("cache"), plenty); }

  const test::TemporaryDirectory work_;
  DiskCache cache_{work_.path("cache"), plenty};
};

TEST_F(DiskCacheWriter, StoresWhatOthersFind) {
  for (int i = 0; i < 10; ++i) store_later(cache_, i);
  finish_storing();
  DiskCache seen = other();
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(holds(seen, i)) << i;
  EXPECT_EQ(seen.entries(true)[0].label, "label");
}

TEST_F(DiskCacheWriter, KeepsTheContentUntilItIsStoredAndNoLonger) {
  auto content = some_content(1);
  const std::weak_ptr<const void> seen = content;
  store_later(cache_, key_of(1), "", std::move(content), size);
  finish_storing();
  EXPECT_TRUE(seen.expired());
  EXPECT_TRUE(holds(cache_, 1));
}

TEST_F(DiskCacheWriter, ServesManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([this, t] {
      for (int i = 0; i < 10; ++i) store_later(cache_, t * 10 + i);
      finish_storing();
      EXPECT_TRUE(holds(cache_, t * 10 + 9));
    });
  for (std::thread& thread : threads) thread.join();
  DiskCache seen = other();
  for (int i = 0; i < 80; ++i) EXPECT_TRUE(holds(seen, i)) << i;
}

TEST_F(DiskCacheWriter, WaitsForTheDiskWhenThereIsTooMuch) {
  constexpr size_t large = 200 << 20;  // never written: all of it is one page
  const std::shared_ptr<const void> content(std::calloc(large, 1),
                                            [](const void* at) { std::free(const_cast<void*>(at)); });
  DiskCache small(work_.path("small"), 1 << 20);
  for (int i = 0; i < 20; ++i) store_later(small, key_of(i), "", content, large);
  finish_storing();
  EXPECT_EQ(small.entries(false).size(), 0u);
  EXPECT_EQ(content.use_count(), 1);
}

TEST_F(DiskCacheWriter, LeavesTheWorkOfItsParentToIt) {
  store_later(cache_, 1);
  const pid_t child = fork();
  if (child == 0) {
    finish_storing();  // nothing of its own
#ifdef __SANITIZE_ADDRESS__  // which takes the parent's work for a leak
    _exit(0);
#endif
    exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  finish_storing();
  EXPECT_TRUE(holds(cache_, 1));
}

// They live until the process ends, whatever thread still has them; here is where they are known.
std::vector<DiskCache*>& lasting_caches() {
  static auto& all = *new std::vector<DiskCache*>;
  return all;
}
DiskCache& make_lasting_cache() {
  return *lasting_caches().emplace_back(new DiskCache(getenv("BELAY_TEST_PLACE"), plenty));
}

// Runs after the writer's own end, for it is registered before.
void store_at_exit() { store_later(make_lasting_cache(), 2); }

TEST_F(DiskCacheWriter, DISABLED_EndsAtOnce) {
  ASSERT_EQ(std::atexit(store_at_exit), 0);
  store_later(make_lasting_cache(), 1);
}

TEST_F(DiskCacheWriter, StoresAllBeforeAProcessExits) {
  test::expect_passes_with({{"BELAY_TEST_PLACE", work_.path("cache")}}, "DiskCacheWriter.DISABLED_EndsAtOnce");
  EXPECT_TRUE(holds(cache_, 1));
  EXPECT_TRUE(holds(cache_, 2));
  EXPECT_EQ(test::files_under(work_.path("cache")).size(), 2u);
}

}  // namespace
}  // namespace belay
