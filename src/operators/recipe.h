// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace belay::operators {

// How an aclnn function is computed, as recipes/ says it:
//   recipe     := statement { ";" statement }
//   statement  := target { "," target } "=" expression
//   target     := name [ "?" ]
//   expression := number | 'text' | name | "[" expressions "]" | name "(" expressions ")"
// Among the expressions of a call, `name: expression` is an attribute or an option. A target with "?" is an output that
// may be null.
struct Expression {
  enum class Kind { Name, Number, Text, List, Call };
  Kind kind = Kind::Name;
  std::string text;  // of a name, a text, the called function
  double number = 0;
  bool real = false;  // a number with a point
  std::vector<Expression> items;
  std::vector<std::pair<std::string, Expression>> options;
};

struct Statement {
  std::vector<std::string> targets;
  Expression value;
};

Result<std::vector<Statement>> parse_recipe(std::string_view text);

}  // namespace belay::operators
