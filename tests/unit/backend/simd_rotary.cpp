// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding by vectors against a plain loop in double precision.
#include <random>

#include "support/older_processor.h"
#include "support/op_call.h"

namespace belay::test {
namespace {

using Numbers = std::vector<double>;

Value random(DataType type, const Shape& shape, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> draw(-3, 3);
  Numbers all(static_cast<size_t>(graph::element_count(shape)));
  for (double& number : all) number = draw(generator);
  return tensor(type, shape, all);
}

// Element (n, h, s, d) of a tensor that broadcasts in its first three dimensions.
double at(const Numbers& all, const Shape& shape, int64_t n, int64_t h, int64_t s, int64_t d) {
  const auto place = [&](size_t dim, int64_t index) { return shape[dim] == 1 ? 0 : index; };
  return all[static_cast<size_t>(((place(0, n) * shape[1] + place(1, h)) * shape[2] + place(2, s)) * shape[3] + d)];
}

Numbers rotated(const Value& x, const Value& cos, const Value& sin, bool neighbours) {
  const Numbers xs = x.numbers(), cosines = cos.numbers(), sines = sin.numbers();
  const int64_t width = x.shape[3], half = width / 2;
  Numbers y;
  for (int64_t n = 0; n < x.shape[0]; ++n)
    for (int64_t h = 0; h < x.shape[1]; ++h)
      for (int64_t s = 0; s < x.shape[2]; ++s)
        for (int64_t d = 0; d < width; ++d) {
          const bool first = neighbours ? d % 2 == 0 : d < half;
          const int64_t distance = neighbours ? 1 : half;
          const double other = first ? -at(xs, x.shape, n, h, s, d + distance) : at(xs, x.shape, n, h, s, d - distance);
          y.push_back(at(xs, x.shape, n, h, s, d) * at(cosines, cos.shape, n, h, s, d) +
                      other * at(sines, sin.shape, n, h, s, d));
        }
  return y;
}

// A type and how far a result may be off.
const std::pair<DataType, double> types[] = {
    {DataType::Float, 4e-6}, {DataType::Float16, 6e-4}, {DataType::BFloat16, 5e-3}};

void check_rotary() {
  for (const auto& [type, tolerance] : types)
    for (const int64_t width : {2, 6, 34, 66, 128})
      for (const int64_t mode : {0, 1})
        for (const Shape& angles : {Shape{1, 1, 5, width}, Shape{2, 3, 5, width}, Shape{2, 1, 1, width}}) {
          SCOPED_TRACE(std::string(graph::name_of(type)) + " " + graph::to_text(angles) + " " + std::to_string(mode));
          const Value x = random(type, {2, 3, 5, width}, 6), cos = random(type, angles, 7),
                      sin = random(type, {2, 3, 1, width}, 8);
          OpCall call{"RotaryPositionEmbedding", {x, cos, sin}, {{"mode", mode}}, "simd"};
          const Numbers got = numbers(call);
          expect_near(got, rotated(x, cos, sin, mode == 1), tolerance);
          call.threads = 3;
          expect_near(numbers(call), got, 0);
        }
}

TEST(SimdRotary, AgreesWithAPlainLoop) { check_rotary(); }

TEST(SimdRotary, AgreesWithAPlainLoopOnOlderProcessors) {
  for (const int64_t without : {avx512, avx512 | int64_t{HWY_AVX2}}) {
    const OlderProcessor older(without);
    check_rotary();
  }
}

TEST(SimdRotary, OddRowsAreRefused) {
  const Value odd = random(DataType::Float, {1, 1, 2, 3}, 1);
  const auto refused = run({"RotaryMul", {odd, odd, odd}, {}, "simd"});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message.find("the last dimension must be even"), std::string::npos)
      << refused.status().message;
}

}  // namespace
}  // namespace belay::test
