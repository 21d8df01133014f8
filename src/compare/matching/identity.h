// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "compare/matching.h"
#include "compare/matching/fusion_json.h"

namespace belay::compare {

// Which value of the model before fusion a tensor is.
struct Identity {
  Origin value;
  MatchedBy by = MatchedBy::Name;  // Name: the operator's own output
  bool told = false;               // by the header or the JSON; else it is taken to be the operator's own
};

Identity identity_of(const SideTensor& tensor, const FusionMap& fusion);

// What an operator is called when it is looked for: mangled; a kernel of an aclnn call with the call before it, without
// its number.
std::string own_name(const SideTensor& tensor);
// The same with the operator's name as it is: what own_name makes equal may still be two operators.
std::string exact_name(const SideTensor& tensor);

// The operator outputs that an array may be by its name: "conv1:0", "conv1_output_0", "conv1.0", or an operator's
// first.
std::vector<Origin> readings_of(const SideTensor& tensor);

// Whether the compiler put the operator in, to change a type or a format: it has no value of its own.
bool is_inserted(const SideTensor& tensor);

// Whether the operator's name says as much as its origin: it was made of the names of all that were fused.
bool name_is_made_of_members(const SideTensor& tensor, const Identity& identity);

}  // namespace belay::compare
