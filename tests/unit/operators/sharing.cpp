// SPDX-License-Identifier: Apache-2.0
// Which outputs of a plan may lie in the memory of an input.
#include <gtest/gtest.h>

#include "operators/composition.h"
#include "operators/plan.h"

namespace belay::operators {
namespace {

CallArgument tensor(const Shape& shape) {
  CallArgument made{.kind = CallArgument::Kind::Tensor};
  made.tensors.push_back({DataType::Float, shape});
  return made;
}

CallArgument number(double value) {
  CallArgument made;
  made.value = Value::of(value);
  return made;
}

std::shared_ptr<Plan> plan(const RecipeRow& row, const std::vector<CallArgument>& arguments) {
  auto made = compose(row, arguments);
  EXPECT_TRUE(made.ok()) << made.status().message;
  return Plan::make(std::move(made).value().graph).value();
}

const RecipeRow add{"add", "self other alpha out", "out = arith(Add, self, scaled(other, alpha))", ""};

TEST(Sharing, OfElementsThatAreReadBeforeTheyAreWritten) {
  const auto sum = plan(add, {tensor({3, 4}), tensor({3, 4}), number(1), tensor({3, 4})});
  EXPECT_TRUE(sum->may_share(0, 0) && sum->may_share(0, 1));
}

TEST(Sharing, OfAnInputThatAnEarlierStepHasRead) {
  const auto sum = plan(add, {tensor({3, 4}), tensor({3, 4}), number(2), tensor({3, 4})});
  EXPECT_TRUE(sum->may_share(0, 0) && sum->may_share(0, 1));
}

TEST(Sharing, NotOfARowThatIsReadForEachOfTheOthers) {
  const auto sum = plan(add, {tensor({3, 4}), tensor({4}), number(1), tensor({3, 4})});
  EXPECT_TRUE(sum->may_share(0, 0));
  EXPECT_FALSE(sum->may_share(0, 1));
}

TEST(Sharing, NotOfAProduct) {
  const auto product =
      plan({"matmul", "a b out", "out = matmul(a, b)", ""}, {tensor({4, 4}), tensor({4, 4}), tensor({4, 4})});
  EXPECT_FALSE(product->may_share(0, 0) || product->may_share(0, 1));
}

// The second result is made of the input when the first has been written.
TEST(Sharing, NotOfAnInputThatIsReadLater) {
  const auto two = plan({"two", "a b first second", "first = arith(Add, a, b); second = arith(Mul, first, a)", ""},
                        {tensor({4}), tensor({4}), tensor({4}), tensor({4})});
  EXPECT_FALSE(two->may_share(0, 0));
  EXPECT_TRUE(two->may_share(0, 1));
  EXPECT_TRUE(two->may_share(1, 0));
}

// Results that are inputs are copied at the end: one must not overwrite what the other is copied from.
TEST(Sharing, OfAnInputWithItsOwnCopyOnly) {
  const auto changed = plan({"change", "a b first second", "first = either(a, b); second = either(b, a)", ""},
                            {tensor({4}), tensor({4}), tensor({4}), tensor({4})});
  EXPECT_TRUE(changed->may_share(0, 0) && changed->may_share(1, 1));
  EXPECT_FALSE(changed->may_share(0, 1) || changed->may_share(1, 0));
}

}  // namespace
}  // namespace belay::operators
