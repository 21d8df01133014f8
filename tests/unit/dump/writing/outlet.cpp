// SPDX-License-Identifier: Apache-2.0
#include "dump/writing/outlet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <future>
#include <system_error>
#include <thread>

#include "base/threads/cores.h"
#include "base/threads/parallel.h"
#include "support/temporary_directory.h"

namespace belay::dump {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What the callback was told; it is a plain function, so this is global.
struct Seen {
  std::string name, data;
  uint32_t last;
  int64_t offset;
  int32_t length;
};
std::vector<Seen> seen;
int32_t answer = 0;
Outlet* calls_back = nullptr;
std::promise<void>* entered = nullptr;
std::shared_future<void> may_return;

int32_t on_chunk(const acldumpChunk* chunk, int32_t length) {
  seen.push_back({chunk->fileName,
                  {reinterpret_cast<const char*>(chunk->dataBuf), chunk->bufLen},
                  chunk->isLastChunk,
                  chunk->offset,
                  length});
  if (entered) std::exchange(entered, nullptr)->set_value();
  if (may_return.valid()) may_return.wait();
  if (calls_back) std::exchange(calls_back, nullptr)->unregister_callback();
  return answer;
}

int all_processors() { return usable_cores(); }

class OutletTest : public testing::Test {
 protected:
  void SetUp() override {
    seen.clear();
    answer = 0;
    calls_back = nullptr;
    entered = nullptr;
    may_return = {};
  }
  Outgoing item(const std::string& name, const std::string& head, const std::string& body = "") {
    auto kept = std::make_shared<const std::string>(body);
    return {.place = {root_, "0/m/1/0", name}, .head = head, .pieces = {{kept->data(), kept->size(), kept}}};
  }
  std::string on_disk(const std::string& name) {
    return test::content_of(directory_.path("20260102030405/0/m/1/0/" + name));
  }

  test::TemporaryDirectory directory_;
  std::shared_ptr<const DumpRoot> root_ =
      std::make_shared<const DumpRoot>(DumpRoot{"shown", directory_.path(), "20260102030405"});
};

TEST_F(OutletTest, FilesAreWholeUnderTheirNames) {
  Outlet outlet({.file_threads = 3});
  for (int i = 0; i < 50; ++i) outlet.submit(item("f" + std::to_string(i), "head", std::to_string(i)));
  outlet.drain();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(on_disk("f" + std::to_string(i)), "head" + std::to_string(i));
  EXPECT_EQ(outlet.take_drops().files, 0u);
}

TEST_F(OutletTest, AnExistingFileIsNeverReplacedButTheNewOneGetsALaterTime) {
  Outlet outlet({});
  outlet.submit(item("Add.a.0.1.1700000000000005", "first"));
  outlet.drain();
  outlet.submit(item("Add.a.0.1.1700000000000005", "second"));
  outlet.submit(item("Add.a.0.1.1700000000000005.csv", "text"));
  outlet.drain();
  EXPECT_EQ(on_disk("Add.a.0.1.1700000000000005"), "first");
  EXPECT_EQ(on_disk("Add.a.0.1.1700000000000006"), "second");
  EXPECT_EQ(on_disk("Add.a.0.1.1700000000000005.csv"), "text");
}

TEST_F(OutletTest, WhatCannotBeWrittenIsCountedOnce) {
  Outlet outlet({});
  Outgoing lost = item("name", "12345");
  lost.place.root = std::make_shared<const DumpRoot>(DumpRoot{"x", "/proc/no/such/place", "20260102030405"});
  outlet.submit(lost);
  outlet.submit(std::move(lost));
  outlet.drain();
  const Drops drops = outlet.take_drops();
  EXPECT_EQ(drops.files, 2u);
  EXPECT_EQ(drops.bytes, 10u);
  EXPECT_THAT(drops.first, HasSubstr("/proc/no/such/place"));
  EXPECT_EQ(outlet.take_drops().files, 0u);
}

TEST_F(OutletTest, AModelNameThatIsTooLongForADirectoryBecomesDigits) {
  Outlet outlet({});
  Outgoing long_name = item("file", "content");
  long_name.place.directory = "0/" + std::string(300, 'm') + "/1/0";
  outlet.submit(std::move(long_name));
  outlet.drain();
  const std::string mapping = test::content_of(directory_.path("20260102030405/0/mapping.csv"));
  const std::string digits = mapping.substr(0, mapping.find(','));
  EXPECT_EQ(mapping, digits + "," + std::string(300, 'm') + "\n");
  EXPECT_EQ(test::content_of(directory_.path("20260102030405/0/" + digits + "/1/0/file")), "content");
}

TEST_F(OutletTest, ChunksCutTheContentAnywhereAndComeInOrder) {
  Outlet outlet({.chunk_bytes = 4});
  ASSERT_TRUE(outlet.register_callback(on_chunk, 0).ok());
  outlet.submit(item("a", "he", "0123456"));
  outlet.submit(item("b", "xyz"));
  outlet.unregister_callback();
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[0].data + "|" + seen[1].data + "|" + seen[2].data + "|" + seen[3].data, "he01|2345|6|xyz");
  EXPECT_THAT((std::vector{seen[0].last, seen[1].last, seen[2].last, seen[3].last}), ElementsAre(0, 0, 1, 1));
  for (const Seen& chunk : seen) {
    EXPECT_EQ(chunk.offset, -1);
    EXPECT_EQ(chunk.length, static_cast<int32_t>(4120 + chunk.data.size()));
  }
  EXPECT_EQ(seen[0].name, "shown/20260102030405/0/m/1/0/a");
  EXPECT_EQ(seen[3].name, "shown/20260102030405/0/m/1/0/b");
  EXPECT_EQ(on_disk("a"), "");
}

TEST_F(OutletTest, TheFirstChunkHoldsTheWholeHeader) {
  Outlet outlet({.chunk_bytes = 4});
  ASSERT_TRUE(outlet.register_callback(on_chunk, 0).ok());
  outlet.submit(item("a", "a long header", "0123456"));
  outlet.unregister_callback();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].data, "a long header");
}

TEST_F(OutletTest, WrongRegistrationsAreRefusedAndTheFirstCallbackStays) {
  Outlet outlet({});
  EXPECT_EQ(outlet.register_callback(nullptr, 0).code, ACL_ERROR_FAILURE);
  EXPECT_EQ(outlet.register_callback(on_chunk, 1).code, ACL_ERROR_FAILURE);
  EXPECT_FALSE(outlet.has_callback());
  outlet.unregister_callback();  // a warning only
  ASSERT_TRUE(outlet.register_callback(on_chunk, 0).ok());
  EXPECT_TRUE(outlet.register_callback([](const acldumpChunk*, int32_t) { return 1; }, 0).ok());
  outlet.submit(item("a", "x"));
  outlet.drain();
  EXPECT_EQ(seen.size(), 1u);
  outlet.unregister_callback();
}

TEST_F(OutletTest, UnregisteringInsideTheCallbackLeavesTheRestToTheDisk) {
  Outlet outlet({});
  calls_back = &outlet;
  ASSERT_TRUE(outlet.register_callback(on_chunk, 0).ok());
  for (int i = 0; i < 5; ++i) outlet.submit(item("f" + std::to_string(i), "x"));
  outlet.drain();
  ASSERT_EQ(seen.size(), 1u);
  for (int i = 1; i < 5; ++i) EXPECT_EQ(on_disk("f" + std::to_string(i)), "x");
  EXPECT_FALSE(outlet.has_callback());
}

TEST_F(OutletTest, ACallbackThatThrowsIsCalledAgain) {
  Outlet outlet({});
  static int calls;
  calls = 0;
  ASSERT_TRUE(outlet.register_callback([](const acldumpChunk*, int32_t) -> int32_t { throw ++calls; }, 0).ok());
  outlet.submit(item("a", "x"));
  outlet.submit(item("b", "x"));
  outlet.unregister_callback();
  EXPECT_EQ(calls, 2);
}

TEST_F(OutletTest, ANameThatDoesNotFitAChunkEndsInDigits) {
  Outlet outlet({});
  ASSERT_TRUE(outlet.register_callback(on_chunk, 0).ok());
  outlet.submit(item(std::string(5000, 'n'), "x"));
  outlet.unregister_callback();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_THAT(seen[0].name, testing::MatchesRegex("shown/20260102030405/0/m/1/0/[0-9]+"));
}

TEST_F(OutletTest, WhoSubmitsAndWaitsReturnsWhenTheCallbackHasReturned) {
  Outlet outlet({});
  std::promise<void> inside, release;
  entered = &inside;
  may_return = release.get_future().share();
  ASSERT_TRUE(outlet.register_callback(on_chunk, 0).ok());
  const std::string borrowed = "borrowed";
  auto waiting = std::async(std::launch::async, [&] {
    Outgoing direct = item("a", "x");
    direct.pieces = {{borrowed.data(), borrowed.size(), nullptr}};
    outlet.submit_and_wait(std::move(direct));
  });
  inside.get_future().wait();
  EXPECT_NE(waiting.wait_for(std::chrono::milliseconds(20)), std::future_status::ready);
  release.set_value();
  waiting.wait();
  EXPECT_EQ(seen.at(0).data, "xborrowed");
  outlet.unregister_callback();
}

TEST_F(OutletTest, AForkedProcessDumpsNothingAndWaitsForNothing) {
  Outlet outlet({.memory = 100});
  outlet.submit(item("parent", "x"));
  outlet.drain();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    outlet.submit_and_wait(item("child", "x"));
    outlet.drain();
    _exit(outlet.usable() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(on_disk("parent"), "x");
  EXPECT_FALSE(std::filesystem::exists(directory_.path("20260102030405/0/m/1/0/child")));
}

TEST_F(OutletTest, OnlyTheCallbacksThreadExceedsTheMemory) {
  static Outlet* inner;
  Outlet outlet({.memory = 100});
  inner = &outlet;
  ASSERT_TRUE(outlet
                  .register_callback(
                      [](const acldumpChunk*, int32_t) {
                        auto one = inner->reserve(80).take_rest();  // would wait for this very thread
                        auto two = inner->reserve(80).take_rest();
                        return inner->may_wait() ? 1 : 0;
                      },
                      0)
                  .ok());
  outlet.submit(item("a", "x"));
  outlet.unregister_callback();
  EXPECT_EQ(outlet.memory().used(), 0u);
  EXPECT_TRUE(outlet.may_wait());
}

TEST_F(OutletTest, ABatchIsWrittenByTheCallersThreadsWhenItAsks) {
  const ThreadScope threads(all_processors());  // none is left
  Outlet outlet({});
  for (int i = 0; i < 50; ++i) outlet.submit_to_batch(item("f" + std::to_string(i), "head", std::to_string(i)));
  EXPECT_FALSE(std::filesystem::exists(directory_.path("20260102030405/0/m/1/0/f49")));
  outlet.write_batch();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(on_disk("f" + std::to_string(i)), "head" + std::to_string(i));
}

TEST_F(OutletTest, WhereProcessorsAreFreeNothingWaitsForABatch) {
  if (all_processors() < 2) GTEST_SKIP() << "there is only one processor";
  const ThreadScope threads(1);
  Outlet outlet({});
  outlet.submit_to_batch(item("a", "x"));
  const auto begin = std::chrono::steady_clock::now();
  const auto path = directory_.path("20260102030405/0/m/1/0/a");
  while (!std::filesystem::exists(path) && std::chrono::steady_clock::now() - begin < std::chrono::seconds(10))
    std::this_thread::yield();
  EXPECT_EQ(on_disk("a"), "x");
}

TEST_F(OutletTest, ABatchIsWrittenWhenEnoughHasGatheredAndWhenEverythingMustBeOnDisk) {
  const ThreadScope threads(all_processors());
  Outlet outlet({});
  for (int i = 0; i < 70; ++i) outlet.submit_to_batch(item("f" + std::to_string(i), "x"));
  EXPECT_EQ(on_disk("f63"), "x");
  outlet.drain();
  EXPECT_EQ(on_disk("f69"), "x");
}

TEST_F(OutletTest, ABatchThatNobodyWritesIsWrittenAfterAWhile) {
  const ThreadScope threads(all_processors());
  Outlet outlet({});
  outlet.submit_to_batch(item("a", "x"));
  outlet.submit_to_batch(item("b", "x"));
  const auto path = directory_.path("20260102030405/0/m/1/0/b");
  for (int i = 0; i < 1000 && !std::filesystem::exists(path); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(on_disk("b"), "x");
}

TEST_F(OutletTest, WhoNeedsRoomWritesTheBatchThatTakesIt) {
  const ThreadScope threads(all_processors());
  Outlet outlet({.memory = 1000});
  Outgoing large = item("a", "x");
  large.counted = outlet.reserve(900).take_rest();
  outlet.submit_to_batch(std::move(large));
  EXPECT_EQ(outlet.memory().used(), 900u);
  (void)outlet.reserve(200);
  EXPECT_EQ(outlet.memory().waits(), 0u);
  EXPECT_EQ(on_disk("a"), "x");
}

// No thread can be started: the limit of processes is met. It does not hold for root, so the child is somebody else.
#ifndef __SANITIZE_THREAD__  // which needs threads of its own
template <class Body>
int without_threads(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    if (geteuid() == 0 && setuid(65534) != 0) _exit(77);
    setrlimit(RLIMIT_NPROC, &none);
    try {
      std::thread([] {}).join();
      _exit(77);
    } catch (const std::system_error&) {
      body();
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(OutletTest, WithoutThreadsFilesAreWrittenAllTheSame) {
  chmod(directory_.path().c_str(), 0777);
  const int status = without_threads([&] {
    Outlet outlet({});
    outlet.submit(item("a", "alone"));
    outlet.submit_to_batch(item("b", "in a batch"));
    outlet.write_batch();
    outlet.submit_and_wait(item("c", "waited for"));
    outlet.drain();
    if (outlet.take_drops().files != 0) _exit(1);
  });
  if (status == 77 << 8) GTEST_SKIP() << "threads cannot be limited here";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(on_disk("a"), "alone");
  EXPECT_EQ(on_disk("b"), "in a batch");
  EXPECT_EQ(on_disk("c"), "waited for");
}

TEST_F(OutletTest, WithoutThreadsWhatTheCallbackDoesNotGetIsCounted) {
  const int status = without_threads([&] {
    Outlet outlet({});
    if (!outlet.register_callback(on_chunk, 0).ok()) _exit(1);
    outlet.submit(item("a", "12345"));
    const Drops drops = outlet.take_drops();
    if (drops.files != 1 || drops.bytes != 5 || drops.first.find("cannot be started") == std::string::npos) _exit(2);
  });
  if (status == 77 << 8) GTEST_SKIP() << "threads cannot be limited here";
  EXPECT_EQ(status, 0);
}
#endif

TEST_F(OutletTest, FinishingNeedsNoThreadOfTheQueueAndWritesDirectlyAfterwards) {
  Outlet outlet({.file_threads = 1});
  for (int i = 0; i < 200; ++i) outlet.submit(item("f" + std::to_string(i), std::to_string(i)));
  outlet.finish();
  for (int i = 0; i < 200; ++i) EXPECT_EQ(on_disk("f" + std::to_string(i)), std::to_string(i));
  outlet.submit(item("later", "at once"));
  EXPECT_EQ(on_disk("later"), "at once");
  outlet.write_later();
  outlet.submit(item("again", "as usual"));
  outlet.drain();
  EXPECT_EQ(on_disk("again"), "as usual");
  EXPECT_EQ(outlet.memory().used(), 0u);
}

}  // namespace
}  // namespace belay::dump
