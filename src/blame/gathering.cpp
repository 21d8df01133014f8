// SPDX-License-Identifier: Apache-2.0
#include "blame/gathering.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "exact/yardstick.h"
#include "graph/infer/arguments.h"
#include "graph/infer/constant_nodes.h"
#include "inspect/tensor.h"

namespace belay::blame {
namespace {

std::string group_of(const graph::Node& node) { return graph::text_of(node, "group", ""); }

bool is_message(const graph::Node& node) { return node.type == "HcomSend" || node.type == "HcomReceive"; }

std::string text_of(const Taken& taken) { return formatted("{} {}", taken.node->type, taken.node->name); }

// Sender and receiver in the group.
std::pair<int64_t, int64_t> ends_of(const Taken& taken, int64_t own) {
  if (taken.node->type == "HcomSend") return {own, graph::int_of(*taken.node, "dest_rank", 0)};
  return {graph::int_of(*taken.node, "src_rank", 0), own};
}

// Whether these are all ranks of a group, as far as its operators tell. One rank alone would not need them.
bool whole(const std::vector<std::vector<const Taken*>>& by_rank, const std::vector<size_t>& members) {
  const auto size = static_cast<int64_t>(members.size());
  for (const size_t rank : members)
    for (const Taken* taken : by_rank[rank]) {
      const int64_t told = graph::int_of(*taken->node, "rank_size", size == 1 ? 2 : size);
      if (told != size) return false;
    }
  return true;
}

}  // namespace

// What one rank sees of the others.
class Gathering::View : public OtherRanks {
 public:
  View(const Gathering& gathering, size_t rank) : gathering_(gathering), rank_(rank) {}

  Result<std::vector<exact::Output>> outputs(const Ran& ran, std::span<const exact::Value> inputs) const override {
    const Place place = TRY(place_of(ran));
    return made_of(TRY(contributions(place, inputs)), place.second, ran, Share::kAll);
  }

  std::vector<std::string> terms(const Ran& ran, size_t output, int64_t element) const override {
    const auto place = place_of(ran);
    if (!place.ok()) return {};
    const auto given = contributions(*place, {});
    if (!given.ok()) return {};
    const auto shares = shares_of(*given, (*place).second, output);
    std::vector<std::string> lines;
    if (!shares.ok()) return lines;
    const size_t input = source_of_output(ran.op(), output);
    for (const Share& share : *shares) {
      if (element < share.at || element >= share.at + share.count) continue;
      const int64_t at = share.offset + element - share.at;
      for (size_t i = 0; i < (*given).size(); ++i)
        if (share.from == Share::kAll || share.from == static_cast<int>(i))
          lines.push_back(line(*place, i, (*given)[i].inputs[input], at));
    }
    return lines;
  }

  std::vector<Mishap> mishaps(const Ran& ran) const override {
    std::vector<Mishap> found;
    const auto place = place_of(ran);
    const auto given = place.ok() ? contributions(*place, {}) : Result<std::vector<Contribution>>(place.status());
    if (!given.ok()) return found;
    const auto& members = (*place).first->ranks;
    for (size_t i = 0; i < members.size(); ++i) {
      auto made = made_of(*given, (*place).second, ran, static_cast<int>(i));
      if (made.ok())
        found.push_back({formatted("what rank {} sent is missing in it", members[i].rank), std::move(made).value()});
    }
    return found;
  }

 private:
  Result<Place> place_of(const Ran& ran) const {
    if (!ran.unrecorded.empty())
      return Status{ACL_ERROR_INVALID_PARAM,
                    "its inputs are not in the dump, nor what makes them; dump with \"dump_mode\":\"all\""};
    const Gathered* gathered = gathering_.find(rank_, ran.record.op, ran.record.time);
    if (!gathered)
      return Status{ACL_ERROR_INVALID_PARAM, "the other ranks of its group are not in the dumps, or did not run it"};
    const auto own = std::ranges::find(gathered->ranks, rank_, &Taken::rank);
    return Place{gathered, static_cast<size_t>(own - gathered->ranks.begin())};
  }

  // `own`: in place of what this rank recorded; empty: that.
  Result<std::vector<Contribution>> contributions(const Place& place, std::span<const exact::Value> own) const {
    std::vector<Contribution> all;
    for (size_t i = 0; i < place.first->ranks.size(); ++i) {
      const Taken& taken = place.first->ranks[i];
      Contribution one{taken.node, {}};
      for (const Held& held : taken.read) {
        if (!held.known())
          return Status{ACL_ERROR_INVALID_PARAM,
                        formatted("what rank {} gave is not known: {}", taken.rank, held.missing)};
        if (one.inputs.empty() && held.source) one.stored = held.source->type();
        one.inputs.push_back(TRY(value_of(held)));
      }
      if (i == place.second && !own.empty()) one.inputs.assign(own.begin(), own.end());
      all.push_back(std::move(one));
    }
    return all;
  }

  static Result<std::vector<exact::Output>> made_of(const std::vector<Contribution>& given, size_t own, const Ran& ran,
                                                    int skipped) {
    std::vector<exact::Output> outputs;
    for (size_t o = 0; o < ran.record.outputs.size(); ++o) {
      std::optional<exact::Value> left;
      if (ran.record.outputs[o]) left = TRY(value_of(*TRY(ran.record.outputs[o]->open())));
      outputs.push_back(TRY(put_together(given, own, o, left ? &*left : nullptr, skipped)));
    }
    return outputs;
  }

  static std::string line(const Place& place, size_t member, const exact::Value& value, int64_t at) {
    char number[32];
    std::snprintf(number, sizeof number, "%.9g", exact::element_of(value, at));
    return formatted("rank {} sent {} (input {} of its {})", place.first->ranks[member].rank, number,
                     inspect::index_text(value.shape, at), place.first->ranks[member].node->name);
  }

  const Gathering& gathering_;
  const size_t rank_;
};

Gathering::Gathering(std::vector<RankRun> ranks) : ranks_(std::move(ranks)) {
  const auto taken = take_all();
  gather_groups(taken);
  gather_messages(taken);
}

std::unique_ptr<OtherRanks> Gathering::others_of(size_t rank) const { return std::make_unique<View>(*this, rank); }

std::vector<std::vector<Taken>> Gathering::take_all() const {
  std::vector<std::vector<Taken>> taken(ranks_.size());
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    const RankRun& run = ranks_[rank];
    Walk walk(*run.model, *run.execution, *run.given, [&](const Ran& ran) {
      const graph::Node& node = ran.op();
      if (!graph::is_collective(node)) return;
      Taken one{rank, &node, ran.record.op, ran.record.time, {ran.read.begin(), ran.read.end()}};
      if (!ran.unrecorded.empty()) {
        Held unknown;
        unknown.missing = formatted("the inputs of {} are not in the dump", node.name);
        one.read.assign(node.inputs.size(), unknown);
      }
      taken[rank].push_back(std::move(one));
    });
    (void)walk.run();
  }
  return taken;
}

std::vector<size_t> Gathering::ranks_of(const std::string& group) const {
  std::vector<size_t> ranks;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto names_it = [&](const graph::Node& node) {
      return graph::is_collective(node) && group_of(node) == group;
    };
    const auto& graphs = ranks_[rank].model->graphs;
    if (std::ranges::any_of(graphs,
                            [&](const graph::Graph& each) { return std::ranges::any_of(each.nodes, names_it); }))
      ranks.push_back(rank);
  }
  return ranks;
}

void Gathering::add(Gathered made) {
  for (const Taken& taken : made.ranks) places_[{taken.rank, {taken.op, taken.time}}] = all_.size();
  all_.push_back(std::move(made));
}

const Gathered* Gathering::find(size_t rank, const std::string& op, uint64_t time) const {
  const auto found = places_.find({rank, {op, time}});
  return found == places_.end() ? nullptr : &all_[found->second];
}

void Gathering::gather_groups(const std::vector<std::vector<Taken>>& taken) {
  std::map<std::string, std::vector<std::vector<const Taken*>>> groups;  // by group and rank
  for (size_t rank = 0; rank < taken.size(); ++rank)
    for (const Taken& one : taken[rank]) {
      if (is_message(*one.node)) continue;
      auto& ranks = groups[group_of(*one.node)];
      ranks.resize(taken.size());
      ranks[rank].push_back(&one);
    }
  for (const auto& [group, by_rank] : groups) {
    const auto members = ranks_of(group);
    if (!whole(by_rank, members)) {
      incomplete_.push_back(formatted("group {} has more ranks than the {} in the dumps", group, members.size()));
      continue;
    }
    size_t most = 0;
    for (const size_t rank : members) most = std::max(most, by_rank[rank].size());
    for (size_t number = 0; number < most; ++number) {
      Gathered made{group, number + 1, {}};
      std::string told;
      bool same = true;
      for (const size_t rank : members) {
        const Taken* one = number < by_rank[rank].size() ? by_rank[rank][number] : nullptr;
        told += formatted("{}{} on rank {}", told.empty() ? "" : ", ", one ? text_of(*one) : "none", rank);
        same = same && one && (made.ranks.empty() || one->node->type == made.ranks[0].node->type);
        if (one) made.ranks.push_back(*one);
      }
      if (!same) {
        disagreements_.push_back(
            formatted("operation {} of group {} is not the same on every rank: {}", number + 1, group, told));
        break;  // what follows is shifted
      }
      add(std::move(made));
    }
  }
}

void Gathering::gather_messages(const std::vector<std::vector<Taken>>& taken) {
  using Way = std::pair<std::string, std::pair<int64_t, int64_t>>;  // group, sender and receiver in it
  std::map<Way, std::pair<std::vector<const Taken*>, std::vector<const Taken*>>> ways;
  for (size_t rank = 0; rank < taken.size(); ++rank)
    for (const Taken& one : taken[rank]) {
      if (!is_message(*one.node)) continue;
      const auto members = ranks_of(group_of(*one.node));
      const auto own = std::ranges::find(members, rank) - members.begin();
      auto& [sent, received] = ways[{group_of(*one.node), ends_of(one, own)}];
      (one.node->type == "HcomSend" ? sent : received).push_back(&one);
    }
  for (const auto& [way, both] : ways) {
    const auto& [sent, received] = both;
    for (size_t i = 0; i < std::min(sent.size(), received.size()); ++i)
      add({way.first, i + 1, {*sent[i], *received[i]}});
    if (sent.size() != received.size())
      disagreements_.push_back(formatted("in group {} rank {} sent {} messages to rank {}, which received {}",
                                         way.first, way.second.first, sent.size(), way.second.second, received.size()));
  }
}

}  // namespace belay::blame
