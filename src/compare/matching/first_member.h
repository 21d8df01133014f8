// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "compare/matching/fusion_json.h"
#include "compare/side.h"

namespace belay::compare {

// With which operator a fused one begins: the first input of both is the same value. Of the other inputs nothing tells
// whose they were, and weights are folded.
class FirstMembers {
 public:
  // The operators of both sides are what names may be made of.
  FirstMembers(const Side& ours, const Side& truth);

  // Mangled: as the JSON of the side's model says, else when the operator's name is those of several operators, one
  // after the other. "" when it is not known to be made of several.
  std::string of(const SideTensor& tensor, const FusionMap& fusion) const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::string by_name(const std::string& mangled) const;

  std::unordered_set<std::string, Hash, std::equal_to<>> names_;  // mangled
};

}  // namespace belay::compare
