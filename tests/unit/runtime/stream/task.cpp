// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/task.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace {

using belay::Status;
using belay::Task;

// Counts how many of it live.
struct Counted {
  explicit Counted(int& live) : live(&live) { ++live; }
  Counted(const Counted& other) : live(other.live) { ++*live; }
  Counted(Counted&& other) noexcept : live(other.live) { ++*live; }
  ~Counted() { --*live; }
  int* live;
};

TEST(Task, ReturnsWhatItsBodyReturns) {
  Task fails([] { return Status{5, "five"}; });
  EXPECT_EQ(fails().code, 5);
  int runs = 0;
  Task returns_nothing([&runs] { ++runs; });
  EXPECT_TRUE(returns_nothing().ok());
  EXPECT_EQ(runs, 1);
}

TEST(Task, KeepsAndReleasesWhatItHoldsWhateverItsSize) {
  int live = 0;
  {
    Task small([held = Counted(live)] { (void)held; });
    Task large([held = Counted(live), ballast = std::array<char, 500>{}] { (void)held, (void)ballast; });
    EXPECT_EQ(live, 2);
    Task moved_small(std::move(small)), moved_large(std::move(large));
    EXPECT_EQ(live, 2);
    EXPECT_TRUE(moved_small().ok());
    EXPECT_TRUE(moved_large().ok());
  }
  EXPECT_EQ(live, 0);
}

TEST(Task, MayHoldWhatCanOnlyBeMoved) {
  Task task([number = std::make_unique<int>(7)]() -> Status { return {*number, ""}; });
  Task moved(std::move(task));
  EXPECT_EQ(moved().code, 7);
}

TEST(Task, ABodyThatMayThrowWhenMovedIsKeptElsewhere) {
  struct Throwing {
    Throwing() = default;
    Throwing(Throwing&&) noexcept(false) {}
    Status operator()() { return {9, ""}; }
  };
  Task task{Throwing()};
  Task moved(std::move(task));
  EXPECT_EQ(moved().code, 9);
}

TEST(Task, AlignmentIsKept) {
  struct alignas(64) Wide {
    double values[8] = {1};
    Status operator()() const { return {reinterpret_cast<uintptr_t>(this) % 64 == 0 ? 0 : 1, ""}; }
  };
  Task task{Wide()};
  Task moved(std::move(task));
  EXPECT_TRUE(moved().ok());
}

}  // namespace
