// SPDX-License-Identifier: Apache-2.0
#include "operators/recipe.h"

#include <gtest/gtest.h>

namespace belay::operators {
namespace {

TEST(Recipe, HasStatementsCallsListsTextsAndOptions) {
  auto parsed = parse_recipe("a, b = f(x, [1, -2.5], 'some text', axis: g(3)); out = a");
  ASSERT_TRUE(parsed.ok());
  const auto& statements = *parsed;
  ASSERT_EQ(statements.size(), 2u);
  EXPECT_EQ(statements[0].targets, (std::vector<std::string>{"a", "b"}));
  const Expression& call = statements[0].value;
  EXPECT_EQ(call.kind, Expression::Kind::Call);
  EXPECT_EQ(call.text, "f");
  ASSERT_EQ(call.items.size(), 3u);
  EXPECT_EQ(call.items[1].items[1].number, -2.5);
  EXPECT_TRUE(call.items[1].items[1].real);
  EXPECT_FALSE(call.items[1].items[0].real);
  EXPECT_EQ(call.items[2].text, "some text");
  ASSERT_EQ(call.options.size(), 1u);
  EXPECT_EQ(call.options[0].first, "axis");
  EXPECT_EQ(call.options[0].second.text, "g");
  EXPECT_EQ(statements[1].value.text, "a");
}

TEST(Recipe, ErrorsSayWhatIsMissingAndWhere) {
  for (const char* wrong :
       {"out", "out = ", "out = f(", "out = 'text", "out = f(x", "= 3", "out = x y", "out = [1, 2"}) {
    const auto parsed = parse_recipe(wrong);
    ASSERT_FALSE(parsed.ok()) << wrong;
    EXPECT_NE(parsed.status().message.find("expected at character"), std::string::npos) << parsed.status().message;
  }
}

}  // namespace
}  // namespace belay::operators
