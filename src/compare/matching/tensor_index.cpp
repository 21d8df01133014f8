// SPDX-License-Identifier: Apache-2.0
#include "compare/matching/tensor_index.h"

#include <algorithm>

#include "base/text.h"
#include "dump/format/names.h"

namespace belay::compare {
namespace {

constexpr size_t kShortestMember = 3;  // shorter names are found in nearly every other

std::string key_of(const std::string& op, bool input, size_t index) {
  return op + (input ? "\nin " : "\nout ") + std::to_string(index);
}

bool contains(const std::vector<std::string>& members, const std::string& mangled) {
  return std::ranges::any_of(members, [&](const std::string& name) { return dump::mangled(name) == mangled; });
}

}  // namespace

TensorIndex::TensorIndex(const Side& side, const FusionMap& fusion) : side_(side), fusion_(fusion) {
  std::unordered_map<std::string, size_t> seen;
  for (const SideTensor& tensor : side.tensors) {
    identities_.push_back(identity_of(tensor, fusion));
    mangled_.push_back(dump::mangled(tensor.op));
    repetitions_.push_back(
        seen[tensor.place.string() + "\n" + key_of(exact_name(tensor), tensor.input, tensor.index)]++);
    names_.push_back(tensor.op);
    if (!tensor.origin.empty()) names_.push_back(tensor.origin);
  }
  find_parts();
  for (size_t at = 0; at < side.tensors.size(); ++at) {
    const SideTensor& tensor = side.tensors[at];
    const std::string own = key_of(own_name(tensor), tensor.input, tensor.index);
    names_found_[own].push_back(at);
    const Origin& value = identities_[at].value;
    exact_[key_of(exact_value(at), tensor.input, value.index)].push_back(at);
    values_[value.name == tensor.op ? own : key_of(dump::mangled(value.name), tensor.input, value.index)].push_back(at);
    if (!tensor.input)
      for (const Origin& reading : readings_of(tensor))
        readings_[key_of(dump::mangled(reading.name), false, reading.index)].push_back(at);
  }
  std::ranges::sort(names_);
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  for (const std::string_view name : names_) letters_ += name.size();
}

// Of the operators that one was expanded to, all say that they are it: only the last has its value.
void TensorIndex::find_parts() {
  std::unordered_map<std::string, size_t> last;
  for (size_t at = 0; at < side_.tensors.size(); ++at) {
    if (!identities_[at].told || tensor(at).input || is_inserted(tensor(at))) continue;
    const Origin value = identities_[at].value;
    const std::string key = formatted("{}\n{}\n{}", tensor(at).place.string(), repetitions_[at],
                                      key_of(dump::mangled(value.name), false, value.index));
    const auto [found, fresh] = last.try_emplace(key, at);
    if (fresh) continue;
    const SideTensor& part = tensor(found->second);
    identities_[found->second] = {{part.op, part.index}};
    found->second = at;
  }
}

bool TensorIndex::carries(size_t at) const {
  const Origin& value = identities_[at].value;
  const auto& same = by_value(dump::mangled(value.name), false, value.index);
  return std::ranges::any_of(same, [&](size_t other) {
    return other < at && tensor(other).place == tensor(at).place && !is_inserted(tensor(other));
  });
}

const std::vector<size_t>& TensorIndex::find(const Found& found, const std::string& key) {
  static const auto& none = *new std::vector<size_t>;
  const auto at = found.find(key);
  return at == found.end() ? none : at->second;
}

const std::vector<size_t>& TensorIndex::by_value(const std::string& op, bool input, size_t index) const {
  return find(values_, key_of(op, input, index));
}

const std::vector<size_t>& TensorIndex::by_name(const std::string& op, bool input, size_t index) const {
  return find(names_found_, key_of(op, input, index));
}

const std::vector<size_t>& TensorIndex::by_reading(const std::string& op, size_t index) const {
  return find(readings_, key_of(op, false, index));
}

std::string TensorIndex::exact_value(size_t at) const {
  const std::string& value = identities_[at].value.name;
  return value == tensor(at).op ? exact_name(tensor(at)) : value;
}

const std::vector<size_t>& TensorIndex::by_exact_value(const std::string& name, bool input, size_t index) const {
  return find(exact_, key_of(name, input, index));
}

int64_t TensorIndex::swallowed(const std::string& op) const {
  const std::string wanted = dump::mangled(op);
  int64_t guess = -1;
  for (size_t at = 0; at < side_.tensors.size(); ++at) {
    if (tensor(at).input) continue;
    const std::string& own = mangled_[at];
    const auto known = fusion_.ops.find(own);
    if (known != fusion_.ops.end() && own != wanted && contains(known->second.members, wanted))
      return static_cast<int64_t>(at);
    const bool inside = own.size() > wanted.size() && own.find(wanted) != std::string::npos;
    const bool replaced = own == wanted && identities_[at].by != MatchedBy::Name;
    if (guess < 0 && wanted.size() >= kShortestMember &&
        (replaced || (inside && name_is_made_of_members(tensor(at), identities_[at]))))
      guess = static_cast<int64_t>(at);
  }
  return guess;
}

}  // namespace belay::compare
