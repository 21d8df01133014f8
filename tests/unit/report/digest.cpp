// SPDX-License-Identifier: Apache-2.0
#include "report/digest.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "blame/held.h"

namespace belay::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

blame::Source floats(graph::Shape shape, const std::vector<float>& values) {
  auto owner = std::make_shared<const std::vector<float>>(values);
  return blame::source_of(graph::DataType::Float, std::move(shape), std::as_bytes(std::span(*owner)), owner).value();
}

TEST(Digest, SummariesAreThoseOfStatisticsInDumps) {
  // Choices 9 and 10, and numpy: nanmin, nanmax, mean, linalg.norm.
  const auto finite = digest(*floats({3}, {1, 2, 3}), nullptr, 100).value().ours;
  EXPECT_EQ(finite.min, 1);
  EXPECT_EQ(finite.max, 3);
  EXPECT_EQ(finite.mean, 2);
  EXPECT_NEAR(finite.deviation, std::sqrt(2.0 / 3), 1e-15);
  EXPECT_NEAR(finite.l2norm, std::sqrt(14.0), 1e-15);
  const auto infinite = digest(*floats({2}, {51200, kInf}), nullptr, 100).value().ours;
  EXPECT_EQ(infinite.min, 51200);
  EXPECT_EQ(infinite.max, kInf);
  EXPECT_EQ(infinite.mean, kInf);
  EXPECT_EQ(infinite.l2norm, kInf);
  const auto none = digest(*floats({2}, {kNan, kNan}), nullptr, 100).value().ours;
  for (const long double each :
       {none.min, none.max, static_cast<long double>(none.mean), static_cast<long double>(none.l2norm)})
    EXPECT_TRUE(std::isnan(each));
  const auto made = digest(*floats({6}, {1, 2, 3, kNan, kInf, -kInf}), nullptr, 100).value();
  EXPECT_EQ(made.count, 6);
  EXPECT_EQ(made.ours.min, -kInf);
  EXPECT_EQ(made.ours.max, kInf);
  EXPECT_TRUE(std::isnan(made.ours.mean) && std::isnan(made.ours.l2norm));
  EXPECT_EQ(made.ours.nan, 1u);
  EXPECT_EQ(made.ours.plus_inf, 1u);
  EXPECT_EQ(made.ours.minus_inf, 1u);
}

TEST(Digest, WholeNumbersOf64BitsAreExact) {
  constexpr int64_t kOdd = (int64_t{1} << 53) + 1;  // the first that no double is
  const auto integers = [](const std::vector<int64_t>& values) {
    auto owner = std::make_shared<const std::vector<int64_t>>(values);
    return blame::source_of(graph::DataType::Int64, {static_cast<int64_t>(values.size())},
                            std::as_bytes(std::span(*owner)), owner)
        .value();
  };
  const auto made = digest(*integers({kOdd, INT64_MIN, 7}), integers({kOdd - 1, INT64_MAX, 7}).get(), 100).value();
  EXPECT_EQ(made.ours.max, static_cast<long double>(kOdd));
  ASSERT_THAT(made.worst, SizeIs(2));
  EXPECT_EQ(made.worst[0].truth - made.worst[0].ours, 18446744073709551615.0L);
  EXPECT_EQ(made.worst[1].ours, 9007199254740993.0L);
  EXPECT_EQ(made.worst[1].ours - made.worst[1].truth, 1);
  EXPECT_NE(made.picture.codes[0], 0);
  EXPECT_EQ(made.picture.codes[2], 0);
}

TEST(Digest, HistogramsOfBothSidesHaveTheSameBoundsAndCountEveryFiniteElement) {
  const auto made = digest(*floats({4}, {0, 1, 2, kNan}), floats({4}, {0, 0, 0, 64}).get(), 100).value();
  EXPECT_EQ(made.of_ours.low, 0);
  EXPECT_EQ(made.of_ours.high, 64);
  EXPECT_EQ(made.of_truth.high, 64);
  ASSERT_THAT(made.of_ours.counts, SizeIs(64));
  EXPECT_EQ(made.of_ours.counts[0], 1u);
  EXPECT_EQ(made.of_ours.counts[1], 1u);
  EXPECT_EQ(made.of_ours.counts[2], 1u);
  EXPECT_EQ(made.of_truth.counts[0], 3u);
  EXPECT_EQ(made.of_truth.counts[63], 1u);
  EXPECT_EQ(made.of_difference.low, 0);
  EXPECT_EQ(made.of_difference.high, 2);
}

TEST(Digest, WorstAreThoseFarthestApartAndNanIsFartherThanAnyNumber) {
  const auto made =
      digest(*floats({2, 3}, {0, 5, 1, kNan, 1, 2}), floats({2, 3}, {0, 1, 1, 1, kNan, 1}).get(), 100).value();
  std::vector<int64_t> places;
  for (const Extreme& extreme : made.worst) places.push_back(extreme.at);
  EXPECT_THAT(places, ElementsAre(3, 4, 1, 5));
  EXPECT_EQ(made.worst[2].ours, 5);
  EXPECT_EQ(made.worst[2].truth, 1);
}

TEST(Digest, ThePictureIsTheLargestErrorOfEachBox) {
  std::vector<float> ours(8 * 8, 0), truth(8 * 8, 0);
  ours[8 * 7 + 7] = 1;                 // the last box
  ours[8 * 7 + 6] = 1e-3F;             // beside it, in the same box
  ours[0] = static_cast<float>(1e-2);  // the first
  ours[3] = kNan;
  const auto made = digest(*floats({8, 8}, ours), floats({8, 8}, truth).get(), 16).value();
  EXPECT_THAT(made.picture.cells, ElementsAre(4, 4));
  EXPECT_EQ(made.picture.most, 1);
  ASSERT_THAT(made.picture.codes, SizeIs(16));
  EXPECT_EQ(made.picture.codes[15], Picture::kCodes);
  // 4 of 6 decades up: 1 + 61 * 4 / 6, rounded.
  EXPECT_EQ(made.picture.codes[0], 42);
  EXPECT_EQ(made.picture.codes[1], Picture::kNotFinite);
  EXPECT_EQ(made.picture.codes[2], 0);
}

TEST(Digest, ALongTensorIsReadInPiecesWithoutLosingOne) {
  std::vector<float> values(100003);
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += values[i] = static_cast<float>(i % 1000);
  const auto made = digest(*floats({7, 14286 + 1}, std::vector<float>(7 * 14287, 1)), nullptr, 10).value();
  EXPECT_EQ(made.ours.mean, 1);
  const auto other = digest(*floats({100003}, values), nullptr, 0).value();
  EXPECT_NEAR(other.ours.mean, sum / 100003, 1e-9);
  uint64_t counted = 0;
  for (const uint64_t count : other.of_ours.counts) counted += count;
  EXPECT_EQ(counted, 100003u);
  EXPECT_TRUE(other.picture.codes.empty());
}

TEST(Digest, SidesOfDifferentSizesAreRefusedWithBothShapes) {
  const auto made = digest(*floats({2}, {1, 2}), floats({3}, {1, 2, 3}).get(), 10);
  EXPECT_EQ(made.status().code, ACL_ERROR_PARSE_FILE);
  EXPECT_THAT(made.status().message, HasSubstr("[2] and [3]"));
}

TEST(Digest, NothingAndAScalarAreTensorsToo) {
  const auto none = digest(*floats({0, 3}, {}), nullptr, 10).value();
  EXPECT_TRUE(std::isnan(none.ours.mean));
  EXPECT_TRUE(none.of_ours.counts.empty());
  const auto one = digest(*floats({}, {5}), nullptr, 10).value();
  EXPECT_EQ(one.ours.max, 5);
  EXPECT_THAT(one.picture.codes, ElementsAre(Picture::kCodes));
}

}  // namespace
}  // namespace belay::report
