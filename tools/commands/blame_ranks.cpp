// SPDX-License-Identifier: Apache-2.0
// belay blame --ranks: the first operator, over all ranks, that is guilty, and what the ranks received of one another.
#include "commands/blame_ranks.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/faults.h"
#include "base/text.h"
#include "blame/ranks/ranks.h"
#include "commands/arguments.h"
#include "commands/blame_inputs.h"
#include "commands/blame_report.h"
#include "commands/commands.h"
#include "commands/progress.h"
#include "commands/say.h"
#include "compare/ranks.h"

namespace belay::tools {
namespace {

using blame::RanksReport;
using blame::Verdict;

constexpr size_t kJointsShown = 10;

// The ranks of all dumps, in the order given and by device in each.
struct Opened {
  std::vector<compare::RankSide> ranks;
  std::vector<std::filesystem::path> roots;  // by rank: the dump
  std::vector<std::string> problems, notes;
};

Opened open_ranks(const std::vector<std::filesystem::path>& dumps) {
  Opened opened;
  for (const auto& dump : dumps) {
    const compare::Side side = open_dump_with_tensors(dump);
    opened.problems.insert(opened.problems.end(), side.problems.begin(), side.problems.end());
    for (auto& rank : compare::ranks_of(side, opened.notes)) {
      opened.ranks.push_back(std::move(rank));
      opened.roots.push_back(dump);
    }
  }
  return opened;
}

const std::filesystem::path& model_of(const BlameRanksOptions& options, size_t rank) {
  return options.models.size() == 1 ? options.models[0] : options.models[rank];
}

void check_counts(const BlameRanksOptions& options, const Opened& opened) {
  const size_t ranks = opened.ranks.size(), models = options.models.size();
  if (models == 1 || models == ranks) return;
  throw UsageError(
      formatted("the dumps hold {} ranks and there are {} models; give one --model for each rank, in "
                "their order, or one for all of them",
                ranks, models));
}

std::string of_rank(const RanksReport& report, const RanksReport::At& at) {
  return formatted("rank {}, {}", at.rank, name_of(report.at(at)));
}

void print_first(const RanksReport& report, const std::vector<BlameView>& views) {
  for (const auto& at : report.first) {
    const blame::Report& rank = report.ranks[at.rank];
    const blame::OperatorReport& op = report.at(at);
    if (op.verdict == Verdict::Guilty) {
      say("guilty: %s\n", of_rank(report, at));
      print_guilt(rank, op, views[at.rank]);
    }
    for (const blame::Changed& changed : rank.changed)
      if (changed.reader == op.op) {
        say("on rank %zu: ", at.rank);
        print_changed(changed);
      }
  }
  if (report.first.size() > 1) say("none of these %zu happened before another\n", report.first.size());
}

// Guilty too, but after somebody who is.
void print_later(const RanksReport& report) {
  for (const auto& at : report.order)
    if (report.at(at).verdict == Verdict::Guilty && std::ranges::find(report.first, at) == report.first.end())
      say("guilty too, later: %s\n", of_rank(report, at));
}

bool clean(const RanksReport& report, const RanksReport::Joint& joint) {
  return std::ranges::all_of(joint.ranks, [&](const auto& at) { return report.at(at).verdict == Verdict::Clean; });
}

std::string verdict_on(const RanksReport& report, const RanksReport::Joint& joint) {
  if (clean(report, joint)) return "every rank received what its peers sent";
  std::string text;
  for (const auto& at : joint.ranks) {
    const Verdict verdict = report.at(at).verdict;
    if (verdict == Verdict::Guilty)
      text += formatted("{}rank {} did not receive what its peers sent", text.empty() ? "" : "; ", at.rank);
    else if (verdict == Verdict::NotCheckable)
      text += formatted("{}on rank {} it is not checkable: {}", text.empty() ? "" : "; ", at.rank, report.at(at).why);
  }
  return text;
}

void print_joints(const RanksReport& report, bool all) {
  const auto good = std::ranges::count_if(report.joints, [&](const auto& joint) { return clean(report, joint); });
  const bool few = all || report.joints.size() <= kJointsShown;
  if (!few)
    say("%zu collective operators; in %td every rank received what its peers sent\n", report.joints.size(), good);
  for (const auto& joint : report.joints) {
    if (!few && clean(report, joint)) continue;
    const blame::OperatorReport& op = report.at(joint.ranks[0]);
    say("%s %s, %s %zu of group %s: %s\n", op.op_type, op.op, op.op_type == "HcomSend" ? "message" : "operation",
        joint.number, joint.group, verdict_on(report, joint));
  }
}

void print_counts(const RanksReport& report) {
  std::map<Verdict, size_t> counts;
  for (const auto& at : report.order) ++counts[report.at(at).verdict];
  say("%zu operators on %zu ranks:", report.order.size(), report.ranks.size());
  const char* comma = " ";
  for (const auto& [verdict, count] : counts) {
    say("%s%zu %s", comma, count, std::string(blame::name_of(verdict)));
    comma = ", ";
  }
  say("\n");
}

void print_unchecked(const RanksReport& report) {
  std::map<std::string, std::string> reasons;
  for (const auto& at : report.order)
    if (report.at(at).verdict == Verdict::NotCheckable) {
      std::string& who = reasons[report.at(at).why];
      who += formatted("{}rank {} {}", who.empty() ? "" : ", ", at.rank, report.at(at).op);
    }
  for (const auto& [reason, who] : reasons) say("not checkable: %s: %s\n", who, reason);
}

void print_ranks(const RanksReport& report, const std::vector<BlameView>& views, bool all) {
  for (size_t rank = 0; rank < views.size(); ++rank)
    say("rank %zu: %s\n", rank, (views[rank].dump / report.ranks[rank].place).string());
  if (all)
    for (const auto& at : report.order)
      say("  rank %zu  %-12s %s\n", at.rank, std::string(blame::name_of(report.at(at).verdict)),
          name_of(report.at(at)));
  print_counts(report);
  for (const std::string& text : report.disagreements) say("%s\n", text);
  for (const std::string& text : report.missing) say("missing: %s\n", text);
  for (size_t rank = 0; rank < report.ranks.size(); ++rank)
    for (const std::string& text : report.ranks[rank].mismatches) say("on rank %zu: %s\n", rank, text);
  print_first(report, views);
  print_later(report);
  print_joints(report, all);
  print_unchecked(report);
  for (size_t rank = 0; rank < report.ranks.size(); ++rank)
    for (const std::string& text : report.ranks[rank].notes) say("on rank %zu: %s\n", rank, text);
  const bool whole = report.missing.empty() && report.unchecked.empty();
  if (!report.anyone_guilty()) say(whole ? "nobody is guilty\n" : "nobody is guilty in what the dumps hold\n");
}

}  // namespace

int blame_ranks(const BlameRanksOptions& options) {
  keep_disk_faults();  // the others of BELAY_FAULT are for what was run, not for what runs now
  const Opened opened = open_ranks(options.dumps);
  for (const std::string& problem : opened.problems) complain("belay blame: %s\n", problem);
  for (const std::string& note : opened.notes) complain("belay blame: %s\n", note);
  check_counts(options, opened);
  std::vector<blame::Question> questions(opened.ranks.size());
  std::vector<BlameView> views;
  std::optional<Progress> progress;
  for (size_t rank = 0; rank < questions.size(); ++rank) {
    blame::Question& question = questions[rank];
    question.side = &opened.ranks[rank].side;
    question.model = or_throw(blame::read_model_of(*question.side, model_of(options, rank)));
    question.plans = [&progress, rank](size_t total) { progress.emplace(formatted("examining rank {}", rank), total); };
    question.advances = [&progress] { progress->advance(); };
    views.push_back({opened.roots[rank], model_of(options, rank), options.all, false});
  }
  const RanksReport report = or_throw(blame::examine_ranks(questions, options.step));
  progress.reset();
  if (options.json)
    std::printf("%s\n", ranks_json(report, views, opened.problems).c_str());
  else
    print_ranks(report, views, options.all);
  if (report.anyone_guilty()) return kDiffer;
  for (const size_t rank : report.unchecked)
    complain("belay blame: no operator of rank %zu could be checked: is %s the model that its dump came from?\n", rank,
             model_of(options, rank).string());
  return opened.problems.empty() && report.missing.empty() && report.unchecked.empty() ? kAgree : kBadInput;
}

}  // namespace belay::tools
