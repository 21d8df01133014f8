// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compare/matching/identity.h"

namespace belay::compare {

// The tensors of one side, found by what they may be called.
class TensorIndex {
 public:
  TensorIndex(const Side& side, const FusionMap& fusion);

  const Side& side() const { return side_; }
  const FusionMap& fusion() const { return fusion_; }
  const SideTensor& tensor(size_t at) const { return side_.tensors[at]; }
  const Identity& identity(size_t at) const { return identities_[at]; }
  // How many tensors of the same name and place were made before this one: what runs in a loop, or is called again.
  size_t repetition(size_t at) const { return repetitions_[at]; }
  // Another tensor of its place, made before it, is the same value, and no inserted operator made that one.
  bool carries(size_t at) const;

  // By the value before fusion that they are; by the operator's name; by what an array may be. `op` is mangled.
  const std::vector<size_t>& by_value(const std::string& op, bool input, size_t index) const;
  const std::vector<size_t>& by_name(const std::string& op, bool input, size_t index) const;
  // The name of the value before mangling, and those that have one.
  std::string exact_value(size_t at) const;
  const std::vector<size_t>& by_exact_value(const std::string& name, bool input, size_t index) const;
  const std::vector<size_t>& by_reading(const std::string& op, size_t index) const;

  // All names that a tensor of this side can be asked for, each once, as the user knows them.
  const std::vector<std::string_view>& names() const { return names_; }
  size_t letters() const { return letters_; }  // of all names together
  // A tensor whose operator was made by fusion from, among others, the one called so; -1: none.
  int64_t swallowed(const std::string& op) const;

 private:
  using Found = std::unordered_map<std::string, std::vector<size_t>>;
  void find_parts();
  static const std::vector<size_t>& find(const Found& found, const std::string& key);

  const Side& side_;
  const FusionMap& fusion_;
  std::vector<Identity> identities_;
  std::vector<size_t> repetitions_;
  std::vector<std::string> mangled_;  // the operators' names
  Found values_, exact_, names_found_, readings_;
  std::vector<std::string_view> names_;
  size_t letters_ = 0;
};

}  // namespace belay::compare
