// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "blame/ranks/other_ranks.h"
#include "blame/ranks/share.h"

namespace belay::blame {

// One execution of a rank's model.
struct RankRun {
  std::shared_ptr<const graph::Model> model;
  const Execution* execution = nullptr;
  const GivenTensors* given = nullptr;
};

// A run of a collective operator, as one rank recorded it.
struct Taken {
  size_t rank = 0;  // of all ranks
  const graph::Node* node = nullptr;
  std::string op;  // of the record
  uint64_t time = 0;
  std::vector<Held> read;
};

// The runs of one collective operator on all ranks of its group; of a message, on the sender and the receiver.
struct Gathered {
  std::string group;
  size_t number = 0;  // among those of the group, or of the messages between the two; from 1
  std::vector<Taken> ranks;
};

// All collective operators of one execution over all ranks. The group's ranks are those whose models name it, in their
// order; the k-th run of a group's operators on one rank belongs to the k-th on every other.
class Gathering {
 public:
  explicit Gathering(std::vector<RankRun> ranks);

  size_t size() const { return ranks_.size(); }
  const std::vector<Gathered>& all() const { return all_; }
  // The one that this record has a part in; null when it has none.
  const Gathered* find(size_t rank, const std::string& op, uint64_t time) const;
  // Where the ranks did not run the same operators.
  const std::vector<std::string>& disagreements() const { return disagreements_; }
  // Groups of which ranks are not among these.
  const std::vector<std::string>& incomplete() const { return incomplete_; }
  // For who computes the operators of one rank again. It borrows this object.
  std::unique_ptr<OtherRanks> others_of(size_t rank) const;

 private:
  class View;
  using Place = std::pair<const Gathered*, size_t>;  // and the rank in it

  std::vector<std::vector<Taken>> take_all() const;
  void gather_groups(const std::vector<std::vector<Taken>>& taken);
  void gather_messages(const std::vector<std::vector<Taken>>& taken);
  std::vector<size_t> ranks_of(const std::string& group) const;
  void add(Gathered made);

  const std::vector<RankRun> ranks_;
  std::vector<Gathered> all_;
  std::map<std::pair<size_t, std::pair<std::string, uint64_t>>, size_t> places_;  // by rank, op and time
  std::vector<std::string> disagreements_, incomplete_;
};

}  // namespace belay::blame
