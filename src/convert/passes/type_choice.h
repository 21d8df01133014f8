// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "convert/passes/precision_rules.h"
#include "graph/model/graph.h"

namespace belay::convert {

// Matrix products and convolutions.
bool is_cube(std::string_view type);

// What the rules mean for the operators of a graph.
class TypeChoice {
 public:
  explicit TypeChoice(const PrecisionRules& rules) : rules_(rules) {}

  // Whether it keeps the types that the model gives it: by its type in every mode, or because --keep_dtype says so.
  bool keeps(const graph::Node& node) const;
  // The line of --customize_dtypes for it: one with its name before one with its type; null when there is none.
  const CustomTypes* custom(const graph::Node& node) const;
  // Under mixed precision: as --modify_mixlist says, else products are white, those that follow their inputs grey.
  MixList list_of(std::string_view type) const;

 private:
  const PrecisionRules& rules_;
};

}  // namespace belay::convert
