// SPDX-License-Identifier: Apache-2.0
#include "bisect/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace belay::bisect {
namespace {

using testing::ElementsAre;

struct Outcome {
  Kept kept;
  size_t trials = 0, decided = 0;
};

Outcome search(size_t count, const std::function<bool(const Kept&)>& passes) {
  Outcome outcome;
  std::set<Kept> asked;
  auto found = least_set(
      count,
      [&](const Kept& kept) -> Result<bool> {
        EXPECT_TRUE(asked.insert(kept).second) << "asked twice";
        ++outcome.trials;
        return passes(kept);
      },
      [&](size_t decided) {
        EXPECT_GE(decided, outcome.decided);
        outcome.decided = decided;
      });
  EXPECT_TRUE(found.ok());
  outcome.kept = std::move(found).value();
  EXPECT_LE(outcome.decided, count);
  return outcome;
}

bool holds(const Kept& all, const Kept& part) { return std::ranges::includes(all, part); }

// By definition: it passes, and without any one member it does not.
void expect_minimal(const Kept& kept, const std::function<bool(const Kept&)>& passes) {
  EXPECT_TRUE(passes(kept));
  for (const size_t member : kept) {
    Kept fewer = kept;
    fewer.erase(member);
    EXPECT_FALSE(!fewer.empty() && passes(fewer)) << "without " << member;
  }
}

TEST(LeastSet, FindsExactlyTheMembersThatAreNeeded) {
  std::mt19937 random(7);
  for (const size_t count : {1u, 2u, 3u, 17u, 100u, 500u})
    for (const size_t needed : {1u, 2u, 5u}) {
      if (needed > count) continue;
      Kept guilty;
      while (guilty.size() < needed) guilty.insert(random() % count);
      const auto outcome = search(count, [&](const Kept& kept) { return holds(kept, guilty); });
      EXPECT_EQ(outcome.kept, guilty);
      EXPECT_EQ(outcome.decided, count);
      const double k = static_cast<double>(needed), n = static_cast<double>(count);
      EXPECT_LE(static_cast<double>(outcome.trials), 4 * k * (std::log2(n / k + 1) + 1) + std::log2(n) + 4)
          << needed << " of " << count;
    }
}

TEST(LeastSet, AGoodOrderMakesItShort) {
  const auto outcome = search(1000, [](const Kept& kept) { return holds(kept, {0, 1}); });
  EXPECT_THAT(outcome.kept, ElementsAre(0, 1));
  EXPECT_LE(outcome.trials, 6u);
}

TEST(LeastSet, OfSeveralWaysTheMoreSuspiciousIsTaken) {
  const auto outcome = search(64, [](const Kept& kept) { return kept.contains(40) || kept.contains(3); });
  EXPECT_THAT(outcome.kept, ElementsAre(3));
}

TEST(LeastSet, HoldsWhereKeepingMoreCanHurt) {
  // 5 helps, 9 hurts unless 12 is there as well; and any odd number of 20, 21, 22 hurts.
  const auto passes = [](const Kept& kept) {
    const size_t three = kept.contains(20) + kept.contains(21) + kept.contains(22);
    return kept.contains(5) && (!kept.contains(9) || kept.contains(12)) && three % 2 == (kept.size() == 32 ? 1u : 0u);
  };
  expect_minimal(search(32, passes).kept, passes);
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const size_t count = 1 + random() % 12;
    std::vector<bool> table(size_t{1} << count);
    for (size_t i = 0; i < table.size(); ++i) table[i] = random() % 4 == 0;
    table[0] = false;
    table.back() = true;
    const auto any = [&](const Kept& kept) {
      size_t bits = 0;
      for (const size_t member : kept) bits |= size_t{1} << member;
      return static_cast<bool>(table[bits]);
    };
    expect_minimal(search(count, any).kept, any);
  }
}

TEST(LeastSet, AnErrorOfATrialEndsIt) {
  const auto found = least_set(
      4,
      [](const Kept&) -> Result<bool> {
        return Status{ACL_ERROR_INTERNAL_ERROR, "no memory"};
      },
      [](size_t) {});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.status().message, "no memory");
}

}  // namespace
}  // namespace belay::bisect
