// SPDX-License-Identifier: Apache-2.0
#include "support/op_call.h"

namespace belay::test {
namespace {

using Numbers = std::vector<double>;
using Ints = std::vector<int64_t>;

TEST(Transpose, PermutesDimensions) {
  const Value x = tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(numbers({"TransposeD", {x}, {{"perm", Ints{1, 0}}}}), (Numbers{1, 4, 2, 5, 3, 6}));
  const Value y = tensor<uint8_t>({1, 2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  EXPECT_EQ(numbers({"Transpose", {y, tensor<int32_t>({4}, {0, 3, 1, 2})}}),
            (Numbers{0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11}));
}

TEST(View, RepeatsTheElements) {
  const Value x = tensor<int64_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto result = run({"Reshape", {x, tensor<int64_t>({2}, {3, -1})}});
  ASSERT_TRUE(result.ok()) << result.status().message;
  EXPECT_EQ((*result)[0].shape, (Shape{3, 2}));
  EXPECT_EQ((*result)[0].numbers(), (Numbers{1, 2, 3, 4, 5, 6}));
}

TEST(Expand, RepeatsAlongNewDimensions) {
  EXPECT_EQ(numbers({"Expand", {tensor<float>({2, 1}, {1, 2}), tensor<int64_t>({3}, {2, 1, 2})}}),
            (Numbers{1, 1, 2, 2, 1, 1, 2, 2}));
}

TEST(Fill, MakesTensorsFromNumbers) {
  EXPECT_EQ(numbers({"Fill", {tensor<int64_t>({2}, {2, 2}), tensor<Half>({}, {1.5})}}), Numbers(4, 1.5));
  EXPECT_EQ(numbers({"Range", {tensor<int32_t>({}, {10}), tensor<int32_t>({}, {4}), tensor<int32_t>({}, {-2})}}),
            (Numbers{10, 8, 6}));
  EXPECT_EQ(numbers({"Shape", {tensor<float>({2, 0, 3}, {})}}), (Numbers{2, 0, 3}));
  EXPECT_EQ(numbers({"Size", {tensor<float>({2, 2}, Numbers(4))}}), Numbers{4});
  EXPECT_EQ(numbers({"OnesLike", {tensor<float>({2}, {7, 8})}}), (Numbers{1, 1}));
}

}  // namespace
}  // namespace belay::test
