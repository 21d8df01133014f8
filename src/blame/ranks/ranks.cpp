// SPDX-License-Identifier: Apache-2.0
#include "blame/ranks/ranks.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "blame/gathering.h"

namespace belay::blame {
namespace {

using At = RanksReport::At;
using Clock = std::vector<size_t>;  // by rank: how many of its operators happened before, and itself

// Puts the operators of all ranks in an order, and knows which of them happened before which.
class Ordering {
 public:
  Ordering(RanksReport& report, const Gathering& gathering) : report_(report), next_(report.ranks.size()) {
    for (const Gathered& gathered : gathering.all()) {
      RanksReport::Joint joint{gathered.group, gathered.number, {}};
      for (const Taken& taken : gathered.ranks)
        if (const auto place = place_of(taken)) joint.ranks.push_back({taken.rank, *place});
      if (joint.ranks.size() != gathered.ranks.size()) continue;
      for (const At& at : joint.ranks) joint_of_[{at.rank, at.place}] = joints_.size();
      joints_.push_back(std::move(joint));
    }
    clocks_.resize(next_.size(), Clock(next_.size()));
  }

  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t rank = 0; rank < next_.size(); ++rank)
        while (step(rank)) moved = true;
    }
    // Ranks that did not run the same: in their own order.
    for (size_t rank = 0; rank < next_.size(); ++rank)
      while (next_[rank] < report_.ranks[rank].operators.size()) take(rank);
  }

  bool before(const At& a, const At& b) const {
    return !(a == b) && after_.at({b.rank, b.place})[a.rank] >= after_.at({a.rank, a.place})[a.rank];
  }

 private:
  using Key = std::pair<size_t, size_t>;

  std::optional<size_t> place_of(const Taken& taken) const {
    const auto& operators = report_.ranks[taken.rank].operators;
    const auto found = std::ranges::find_if(
        operators, [&](const OperatorReport& each) { return each.op == taken.node->name && each.time == taken.time; });
    if (found == operators.end()) return {};
    return static_cast<size_t>(found - operators.begin());
  }

  void take(size_t rank) {
    const At at{rank, next_[rank]++};
    ++clocks_[rank][rank];
    after_[{at.rank, at.place}] = clocks_[rank];
    report_.order.push_back(at);
  }

  // The next operator of a rank; false when there is none, or others do not come to it.
  bool step(size_t rank) {
    if (next_[rank] == report_.ranks[rank].operators.size()) return false;
    const auto joint = joint_of_.find({rank, next_[rank]});
    if (joint == joint_of_.end()) return take(rank), true;
    const auto& members = joints_[joint->second].ranks;
    if (std::ranges::any_of(members, [&](const At& at) { return next_[at.rank] != at.place; })) return false;
    meet(members);
    report_.joints.push_back(joints_[joint->second]);
    return true;
  }

  // What one of them ran before happened before what any of them runs afterwards; of the joint operator itself each
  // rank's run stands alone.
  void meet(const std::vector<At>& members) {
    for (const At& at : members) take(at.rank);
    Clock all(next_.size());
    for (const At& at : members)
      for (size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], clocks_[at.rank][i]);
    for (const At& at : members) {
      for (size_t i = 0; i < all.size(); ++i) {
        const bool member = std::ranges::any_of(members, [i](const At& each) { return each.rank == i; });
        // The others' runs of this operator give nothing to this rank's; what they ran before does.
        after_[{at.rank, at.place}][i] = std::max(after_[{at.rank, at.place}][i], all[i] - (member && i != at.rank));
      }
      clocks_[at.rank] = all;
    }
  }

  RanksReport& report_;
  std::vector<size_t> next_;  // by rank
  std::vector<RanksReport::Joint> joints_;
  std::map<Key, size_t> joint_of_;
  std::vector<Clock> clocks_;   // by rank
  std::map<Key, Clock> after_;  // by operator: what happened before it, and itself
};

// Operators that are guilty, or read what somebody had changed.
std::vector<At> suspects_in(const RanksReport& report) {
  std::vector<At> suspects;
  for (const At& at : report.order) {
    const auto reads = [&](const Changed& changed) { return changed.reader == report.at(at).op; };
    if (report.at(at).verdict == Verdict::Guilty || std::ranges::any_of(report.ranks[at.rank].changed, reads))
      suspects.push_back(at);
  }
  return suspects;
}

// The last of those executions is the one of the step; none when there is no such step.
std::optional<std::vector<Execution>> up_to(const std::vector<Execution>& all, int64_t step) {
  const auto found = std::ranges::find(all, step, &Execution::step);
  if (found == all.end()) return {};
  return std::vector<Execution>(all.begin(), found + 1);
}

bool has_record(const Report& report, const std::string& op) {
  return std::ranges::any_of(report.operators, [&](const OperatorReport& each) {
    return each.op == op || std::ranges::find(each.together, op) != each.together.end();
  });
}

bool has_node(const graph::Model& model, const OperatorReport& op) {
  return std::ranges::any_of(model.graphs, [&](const graph::Graph& each) {
    return std::ranges::any_of(each.nodes,
                               [&](const graph::Node& node) { return node.name == op.op && node.type == op.op_type; });
  });
}

// Inputs and outputs of a collective operator are in files of their own: one of them may be lost.
bool has_outputs(const Execution& execution, const OperatorReport& op) {
  return std::ranges::any_of(execution.records, [&](const Record& record) {
    return record.time == op.time && record.task == op.task &&
           std::ranges::any_of(record.outputs, [](const auto* output) { return output != nullptr; });
  });
}

// What one rank has a record of and another, whose model has the same operator, has not: it is lost, or was not run.
void add_missing_records(RanksReport& report, std::span<const Question> ranks, const std::vector<RankRun>& runs) {
  std::map<std::pair<size_t, std::string>, std::string> found;  // by rank that lacks it, and operator
  const auto lacks_outputs = [&](size_t rank, const OperatorReport& op) {
    return std::ranges::any_of(report.ranks[rank].operators, [&](const OperatorReport& each) {
      return each.op == op.op && !has_outputs(*runs[rank].execution, each);
    });
  };
  for (size_t has = 0; has < ranks.size(); ++has)
    for (const OperatorReport& op : report.ranks[has].operators)
      for (size_t lacks = 0; lacks < ranks.size(); ++lacks) {
        if (lacks == has || !has_node(*ranks[lacks].model, op)) continue;
        const char* what = nullptr;
        if (!has_record(report.ranks[lacks], op.op))
          what = "";
        else if (has_outputs(*runs[has].execution, op) && lacks_outputs(lacks, op))
          what = "the outputs of ";
        if (what)
          found.try_emplace({lacks, op.op}, formatted("rank {} has no record of {}{} {}, which rank {} has", lacks,
                                                      what, op.op_type, op.op, has));
      }
  for (auto& [which, text] : found) report.missing.push_back(std::move(text));
}

Result<RanksReport> examine_step(std::span<const Question> ranks, const std::vector<std::vector<Execution>>& all,
                                 int64_t step) {
  std::vector<std::vector<Execution>> executions;
  std::vector<RankRun> runs;
  for (size_t rank = 0; rank < ranks.size(); ++rank) executions.push_back(*up_to(all[rank], step));
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    runs.push_back({ranks[rank].model, &executions[rank].back(), &ranks[rank].given});
  const Gathering gathering(runs);
  RanksReport report;
  report.disagreements = gathering.disagreements();
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto others = gathering.others_of(rank);
    Question question = ranks[rank];
    question.step = step;
    question.others = others.get();
    report.ranks.push_back(TRY(examine(question)));
  }
  Ordering ordering(report, gathering);
  ordering.run();
  report.missing = gathering.incomplete();
  add_missing_records(report, ranks, runs);
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    if (report.ranks[rank].count(Verdict::NotCheckable) == report.ranks[rank].operators.size())
      report.unchecked.push_back(rank);
  const auto suspects = suspects_in(report);
  for (const At& at : suspects)
    if (std::ranges::none_of(suspects, [&](const At& other) { return ordering.before(other, at); }))
      report.first.push_back(at);
  return report;
}

std::string listed(const std::set<int64_t>& steps) {
  std::string text;
  for (const int64_t step : steps) text += (text.empty() ? "" : ", ") + std::to_string(step);
  return text.empty() ? "none" : text;
}

}  // namespace

bool RanksReport::anyone_guilty() const {
  return !disagreements.empty() || std::ranges::any_of(ranks, &Report::anyone_guilty);
}

Result<RanksReport> examine_ranks(std::span<const Question> ranks, std::optional<int64_t> step) {
  std::vector<std::vector<Execution>> executions;
  std::set<int64_t> common;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    executions.push_back(TRY(executions_of(ranks[rank])));
    std::set<int64_t> own, both;
    for (const Execution& execution : executions.back()) own.insert(execution.step);
    std::ranges::set_intersection(own, rank ? common : own, std::inserter(both, both.end()));
    if (both.empty())
      return Status{ACL_ERROR_PARSE_FILE,
                    formatted("the ranks have no execution in common: rank {} has {}, those before it {}", rank,
                              listed(own), listed(common))};
    common = both;
  }
  if (step && !common.contains(*step))
    return Status{ACL_ERROR_PARSE_FILE,
                  formatted("not every rank has execution {}; all of them have {}", *step, listed(common))};
  std::optional<RanksReport> first;
  for (const int64_t each : step ? std::set<int64_t>{*step} : common) {
    auto report = TRY(examine_step(ranks, executions, each));
    if (report.anyone_guilty()) return report;
    if (!first) first = std::move(report);
  }
  return *std::move(first);
}

}  // namespace belay::blame
