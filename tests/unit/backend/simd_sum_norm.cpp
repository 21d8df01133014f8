// SPDX-License-Identifier: Apache-2.0
// Sums followed by a norm, by vectors, against a plain loop in double precision.
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

struct Normal {
  Numbers y, mean, factor, sum;
};

// Rows of the length of `gain`; the mean is taken off when there is a shift, as LayerNorm does and RmsNorm does not,
// which norms the sum as its type holds it.
Normal normal(const Value& a, const Value& b, const Value& gain, const Value* shift, const Value* bias,
              double epsilon) {
  const Numbers gains = gain.numbers(), shifts = shift ? shift->numbers() : Numbers(gains.size(), 0);
  const Numbers as = a.numbers(), bs = b.numbers(), biases = bias ? bias->numbers() : Numbers(gains.size(), 0);
  const size_t width = gains.size();
  Normal all;
  for (size_t r = 0; r < as.size(); r += width) {
    for (size_t i = 0; i < width; ++i) all.sum.push_back(as[r + i] + bs[r + i] + biases[(r + i) % biases.size()]);
  }
  if (!shift) all.sum = tensor(a.type, a.shape, all.sum).numbers();
  for (size_t r = 0; r < as.size(); r += width) {
    double mean = 0, squares = 0;
    for (size_t i = 0; i < width && shift; ++i) mean += all.sum[r + i] / static_cast<double>(width);
    for (size_t i = 0; i < width; ++i) squares += std::pow(all.sum[r + i] - mean, 2);
    all.mean.push_back(mean);
    all.factor.push_back(1 / std::sqrt(squares / static_cast<double>(width) + epsilon));
    for (size_t i = 0; i < width; ++i)
      all.y.push_back((all.sum[r + i] - mean) * all.factor.back() * gains[i] + shifts[i]);
  }
  return all;
}

// What is in float, such as statistics, may be off by less.
void expect_outputs(OpCall call, const std::vector<Numbers>& want, double tolerance) {
  call.how = "simd";
  call.attributes = {{"epsilon", 1e-3f}};
  auto one = run(call);
  ASSERT_TRUE(one.ok()) << one.status().message;
  call.threads = 3;
  auto three = run(call);
  ASSERT_TRUE(three.ok()) << three.status().message;
  ASSERT_EQ((*one).size(), want.size());
  for (size_t o = 0; o < want.size(); ++o) {
    SCOPED_TRACE("output " + std::to_string(o));
    expect_near((*one)[o].numbers(), want[o], (*one)[o].type == DataType::Float ? 4e-6 : tolerance);
    EXPECT_EQ((*three)[o].bytes, (*one)[o].bytes);
  }
}

// A type and how far a result in it may be off.
const std::pair<DataType, double> types[] = {
    {DataType::Float, 4e-6}, {DataType::Float16, 6e-4}, {DataType::BFloat16, 5e-3}};

void check_sum_norm() {
  for (const auto& [type, tolerance] : types)
    for (const int64_t width : {1, 7, 33, 64, 770}) {
      SCOPED_TRACE(std::string(graph::name_of(type)) + " " + std::to_string(width));
      const Value a = random(type, {5, 3, width}, 9), b = random(type, {5, 3, width}, 10);
      const Value gain = random(type, {width}, 11), shift = random(type, {width}, 12);
      const double epsilon = static_cast<double>(1e-3f);
      const Normal plain = normal(a, b, gain, &shift, nullptr, epsilon);
      expect_outputs({"AddLayerNorm", {a, b, gain, shift}}, {plain.y, plain.mean, plain.factor, plain.sum}, tolerance);
      for (const Shape& shape : {Shape{width}, Shape{5, 3, width}}) {
        const Value bias = random(type, shape, 13);
        const Normal more = normal(a, b, gain, &shift, &bias, epsilon);
        expect_outputs({"AddLayerNorm", {a, b, gain, shift, bias}}, {more.y, more.mean, more.factor, more.sum},
                       tolerance);
      }
      const Normal squares = normal(a, b, gain, nullptr, nullptr, epsilon);
      // What is multiplied by the gain was rounded, too.
      expect_outputs({"AddRmsNorm", {a, b, gain}}, {squares.y, squares.factor, squares.sum}, 2 * tolerance);
    }
}

TEST(SimdSumNorm, AgreesWithAPlainLoop) { check_sum_norm(); }

TEST(SimdSumNorm, AgreesWithAPlainLoopOnOlderProcessors) {
  for (const int64_t without : {avx512, avx512 | int64_t{HWY_AVX2}}) {
    const OlderProcessor older(without);
    check_sum_norm();
  }
}

}  // namespace
}  // namespace belay::test
