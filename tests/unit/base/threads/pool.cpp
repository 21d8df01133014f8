// SPDX-License-Identifier: Apache-2.0
#include "base/threads/pool.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <latch>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/endings/trap.h"
#include "base/threads/cores.h"
#include "base/threads/parallel.h"

namespace belay {
namespace {

// ctest runs these with BELAY_CORES=8.
class PoolTest : public testing::Test {
 protected:
  void SetUp() override {
    if (usable_cores() < 8) GTEST_SKIP() << "needs BELAY_CORES=8";
  }
  const ThreadScope threads_{8};
};

// The sum of [0, count), by pieces.
int64_t sum_by_pieces(int64_t count) {
  std::vector<int64_t> of_piece(static_cast<size_t>(count));
  parallel_pieces(count, 8, [&](int64_t piece, int64_t) { of_piece[static_cast<size_t>(piece)] = piece; });
  return std::accumulate(of_piece.begin(), of_piece.end(), int64_t{0});
}

TEST_F(PoolTest, ThreadsComeWhileTheWorkIsThere) {
  std::latch all(4);
  std::atomic<int> met{0};
  parallel_pieces(4, 4, [&](int64_t, int64_t) {  // ends only when four threads are in it at once
    all.arrive_and_wait();
    ++met;
  });
  EXPECT_EQ(met, 4);
}

TEST_F(PoolTest, EachMemberHasANumberOfItsOwn) {
  std::latch all(8);
  std::vector<std::atomic<int>> seen(8);
  parallel_pieces(8, 8, [&](int64_t, int64_t member) {
    ++seen[static_cast<size_t>(member)];
    all.arrive_and_wait();
  });
  for (const auto& times : seen) EXPECT_EQ(times, 1);
}

// How many threads of this process are the pool's.
int pool_threads() {
  int found = 0;
  std::error_code gone;  // threads may end while they are looked at
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", gone)) {
    std::string name;
    std::ifstream(task.path() / "comm") >> name;
    found += name == "belay-pool";
  }
  return found;
}

TEST_F(PoolTest, ItsThreadsEndWhenTheyAreToldAndStartAgainWhenTheyAreWanted) {
  for (int round = 0; round < 20; ++round) {
    std::latch all(8);
    parallel_pieces(8, 8, [&](int64_t, int64_t) { all.arrive_and_wait(); });
    ASSERT_GE(pool_threads(), 7);
    end_pool_threads();
    while (pool_threads() > 0) std::this_thread::yield();
  }
}

TEST_F(PoolTest, LoopsLoseNothingWhileThreadsEnd) {
  std::atomic<bool> over{false};
  std::thread ends([&] {
    while (!over) end_pool_threads();
  });
  for (int round = 0; round < 200; ++round) ASSERT_EQ(sum_by_pieces(20), 190);
  over = true;
  ends.join();
}

TEST_F(PoolTest, ManyShortLoopsLoseNothing) {
  for (int round = 0; round < 5000; ++round) ASSERT_EQ(sum_by_pieces(20), 190);
}

TEST_F(PoolTest, LoopsOfManyThreadsAreOpenAtTheSameTime) {
  std::vector<std::jthread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 100; ++caller)  // more than there are places for loops
    callers.emplace_back([&] {
      const ThreadScope scope(8);
      for (int round = 0; round < 50; ++round) wrong += sum_by_pieces(30) != 435;
    });
  callers.clear();
  EXPECT_EQ(wrong, 0);
}

TEST_F(PoolTest, ALoopInsideOfALoopHasOneThread) {
  parallel_pieces(8, 8, [&](int64_t, int64_t) {
    EXPECT_EQ(current_threads(), 1);
    parallel_pieces(3, 3, [&](int64_t, int64_t member) { EXPECT_EQ(member, 0); });
  });
  EXPECT_EQ(current_threads(), std::min(8, usable_cores()));
}

TEST_F(PoolTest, AnExceptionOfAnyThreadReachesTheCaller) {
  for (int64_t bad = 0; bad < 8; ++bad) {
    std::latch all(8);
    const auto run = [&] {
      parallel_pieces(8, 8, [&](int64_t, int64_t member) {
        all.arrive_and_wait();
        if (member == bad) throw std::runtime_error("piece");
      });
    };
    EXPECT_THROW(run(), std::runtime_error);
  }
  EXPECT_EQ(sum_by_pieces(20), 190);
}

TEST_F(PoolTest, CountsLoopsAndPieces) {
  const PoolCounters before = pool_counters();
  EXPECT_EQ(sum_by_pieces(20), 190);
  const PoolCounters after = pool_counters();
  EXPECT_EQ(after.loops, before.loops + 1);
  EXPECT_EQ(after.pieces, before.pieces + 20);
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // whose own locks do not survive a fork
TEST_F(PoolTest, AForkedProcessHasAPoolOfItsOwn) {
  EXPECT_EQ(sum_by_pieces(50), 1225);
  const pid_t child = fork();
  if (child == 0) {
    std::latch all(4);
    parallel_pieces(4, 4, [&](int64_t, int64_t) { all.arrive_and_wait(); });
    _exit(sum_by_pieces(50) == 1225 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
#endif

#ifndef __SANITIZE_THREAD__  // which needs threads of its own
TEST_F(PoolTest, WhereNoThreadCanBeStartedTheCallerDoesAll) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    if (geteuid() == 0 && setuid(65534) != 0) _exit(77);
    setrlimit(RLIMIT_NPROC, &none);
    _exit(sum_by_pieces(50) == 1225 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
#endif

class PoolTraps : public PoolTest {
 protected:
  void SetUp() override {
    PoolTest::SetUp();
    enable_traps();
  }
  // Runs a loop of eight threads in which one, or all, read address 8.
  static bool crash_in(int64_t bad, Trap& trap, std::thread::id& seen_by) {
    std::latch all(8);
    return trapped(
        [&] {
          parallel_pieces(8, 8, [&](int64_t, int64_t member) {
            all.arrive_and_wait();
            if (bad == member || bad < 0) *reinterpret_cast<volatile int*>(8) = 1;
          });
        },
        trap, [&](const Trap&, const void* context) { seen_by = context ? std::this_thread::get_id() : seen_by; });
  }
};

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // which handle these signals themselves
TEST_F(PoolTraps, ACrashOfAnyThreadEndsTheCallersCall) {
  for (int64_t bad = -1; bad < 8; ++bad) {
    Trap trap;
    std::thread::id seen_by;
    EXPECT_FALSE(crash_in(bad, trap, seen_by)) << bad;
    EXPECT_EQ(trap.signal, SIGSEGV);
    EXPECT_EQ(trap.address, reinterpret_cast<void*>(8));
    EXPECT_EQ(seen_by, std::this_thread::get_id()) << bad;
    EXPECT_EQ(current_threads(), std::min(8, usable_cores()));
    EXPECT_EQ(sum_by_pieces(20), 190);
  }
}
#endif

}  // namespace
}  // namespace belay
