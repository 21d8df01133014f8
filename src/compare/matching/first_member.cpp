// SPDX-License-Identifier: Apache-2.0
#include "compare/matching/first_member.h"

#include <vector>

#include "dump/format/names.h"

namespace belay::compare {

FirstMembers::FirstMembers(const Side& ours, const Side& truth) {
  for (const Side* side : {&ours, &truth})
    for (const SideTensor& tensor : side->tensors) names_.insert(dump::mangled(tensor.op));
}

std::string FirstMembers::of(const SideTensor& tensor, const FusionMap& fusion) const {
  const std::string own = dump::mangled(tensor.op);
  const auto known = fusion.ops.find(own);
  if (known == fusion.ops.end()) return by_name(own);
  const auto& members = known->second.members;
  return members.size() < 2 ? "" : dump::mangled(members.front());
}

// The longest name with which it begins such that names make the rest as well.
std::string FirstMembers::by_name(const std::string& mangled) const {
  const std::string_view text = mangled;
  std::vector<char> made_of_names(text.size() + 1);  // the text from here on
  made_of_names[text.size()] = 1;
  for (size_t begin = text.size(); begin-- > 0;)
    for (size_t end = text.size(); end > begin; --end) {
      if (!made_of_names[end] || end - begin == text.size() || !names_.contains(text.substr(begin, end - begin)))
        continue;
      if (begin == 0) return mangled.substr(0, end);
      made_of_names[begin] = 1;
      break;
    }
  return "";
}

}  // namespace belay::compare
