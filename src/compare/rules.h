// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compare/limits.h"
#include "compare/side.h"

namespace belay::compare {

// "float32", "bfloat16": as NumPy calls types, else as the graph engine does, in small letters.
std::string type_text(graph::DataType type);

// Limits for tensors that are called so: globs with * and ?. A name or type of either side counts. "": any.
struct Rule {
  std::string op, op_type, type;
  Limits limits;
};

// Which limits a pair of tensors has.
struct Rules {
  std::vector<Rule> rules;  // the first that matches counts, and it alone
  Limits otherwise;         // for what no rule matches; empty: the usual ones of the types

  Limits limits_for(const SideTensor& ours, graph::DataType ours_type, const SideTensor& truth,
                    graph::DataType truth_type) const;
};

// {"rules": [{"op": "*softmax*", "type": "Softmax*", "dtype": "float16", "rtol": 1e-3, "atol": 1e-5, "cosine": 0.99,
// "euclidean": 0.01, "peak": 0.1, "ignore": true}]}; each key may be missing, but not all limits. 100003 when the file
// cannot be read, 100006 when it is no such JSON: the message says which rule, and what is wrong with it.
Result<std::vector<Rule>> read_rules(const std::filesystem::path& file);
Result<std::vector<Rule>> parse_rules(std::string_view text);

}  // namespace belay::compare
