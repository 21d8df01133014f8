// SPDX-License-Identifier: Apache-2.0
#include "report/verdict.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "base/text.h"
#include "inspect/tensor.h"

namespace belay::report {
namespace {

std::string real(double value, const char* pattern = "%.3g") {
  if (std::isnan(value)) return "nan";  // without the sign that printf gives it
  char text[40];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string label(const compare::SideTensor& tensor) {
  return formatted("{} {}", tensor.input ? "input" : "output", tensor.index);
}

Verdict guilty(const blame::Report& report, const blame::OperatorReport& op) {
  Verdict verdict{.state = "bad", .op = op.op};
  const size_t others = report.count(blame::Verdict::Guilty) - 1;
  std::string also;
  if (others > 0) also = formatted(", and {} other{}", others, others == 1 ? "" : "s");
  verdict.text = formatted("{} {} is guilty{}", op.op_type, op.op, also);
  if (!op.evidence) {
    verdict.text += ": " + (op.why.empty() ? "its output is not what its inputs make of it" : op.why) + ".";
    return verdict;
  }
  const blame::OutputReport& output = op.outputs[op.evidence->output];
  const exact::Numbers& n = output.numbers;
  verdict.text +=
      formatted(": element {} of output {} is {} and its inputs make {} of it, {} of {} elements are wrong.",
                inspect::index_text(output.shape, n.worst), output.index, real(n.got, "%.6g"), real(n.expected, "%.6g"),
                n.wrong, n.count);
  if (!op.evidence->cause.empty()) verdict.more = "Cause: " + op.evidence->cause + ". ";
  if (op.evidence->share)
    verdict.more += formatted("When it alone is corrected, {} % of the error of the outputs is gone.",
                              real(100 * *op.evidence->share));
  return verdict;
}

Verdict changed(const blame::Changed& changed) {
  return {changed.weight
              ? formatted("{} is not what the model holds: {} read something else.", changed.tensor, changed.reader)
              : formatted("{} was overwritten before {} read it.", changed.tensor, changed.reader),
          formatted("{} of {} elements differ.", changed.different, changed.count), "bad", changed.reader};
}

std::string counted(size_t count, const char* thing) {
  return formatted("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// Outputs of our side that were compared, and those that had no partner.
std::pair<size_t, size_t> outputs_compared(const compare::Comparison& made) {
  const auto output = [](const auto& each) { return !each.input; };
  const auto rows = std::ranges::count_if(made.rows, [&](const auto& row) { return output(*row.ours); });
  return {static_cast<size_t>(rows), static_cast<size_t>(std::ranges::count_if(made.ours->tensors, output) - rows)};
}

// The sides agree wherever both have something: how much that is.
Verdict agreed(const compare::Comparison& made, size_t agree) {
  const size_t unread = made.count(compare::Verdict::Unread) + made.problems().size();
  const auto [rows, alone] = outputs_compared(made);
  Verdict verdict{.state = unread > 0 || alone > rows ? "unknown" : "good"};
  verdict.text = formatted("{} and {} agree in all {} that both have.", made.ours->name, made.truth->name,
                           counted(agree, "tensor"));
  if (alone > 0) verdict.more = formatted("{} of {} had no partner. ", counted(alone, "output"), made.ours->name);
  if (unread > 0) verdict.more += formatted("{} could not be read. ", counted(unread, "tensor"));
  return verdict;
}

Verdict compared(const Question& question) {
  const compare::Comparison& made = *question.comparison;
  const size_t differ = made.count(compare::Verdict::Differ), agree = made.count(compare::Verdict::Agree);
  const std::string &ours = made.ours->name, &truth = made.truth->name;
  Verdict verdict;
  if (differ + agree == 0)
    return {formatted("Nothing of {} could be compared with {}.", ours, truth), "", "unknown", ""};
  if (differ == 0) {
    verdict = agreed(made, agree);
  } else {
    for (const compare::Row& row : made.rows) {
      if (row.verdict != compare::Verdict::Differ) continue;
      verdict = {formatted("{} and {} differ in {} of {} tensors, first in {} {}.", ours, truth, differ, differ + agree,
                           row.ours->op, label(*row.ours)),
                 "There: " + row.reason + ".", "bad", row.ours->op};
      break;
    }
  }
  if (question.blame) verdict.more += (verdict.more.empty() ? "" : " ") + nobody_guilty(*question.blame).text;
  return verdict;
}

std::string name_of(const inspect::Overflow& overflow) {
  if (!overflow.tensors.empty()) return overflow.tensors[0].line.op_name;
  return overflow.op ? overflow.op->op_name : "";
}

// How many did, each once however often it ran.
std::string how_many(const inspect::OverflowReport& report) {
  std::set<std::string> names, places;
  for (const auto& entry : report.overflows) {
    names.insert(name_of(entry.overflow));
    places.insert(entry.overflow.found_by.folder.string());
  }
  if (report.overflows.size() == 1) return "";
  const std::string in = places.size() > 1 ? formatted(" in {} executions", places.size()) : "";
  return formatted("{} overflowed{}.", counted(names.size(), "operator"), in);
}

std::string what_it_holds(const Question& question) {
  const std::string tensors = counted(question.ours->tensors.size(), "tensor");
  if (question.statistics.empty()) return tensors;
  const std::string files = counted(question.statistics.size(), "file") + " of statistics";
  return question.ours->tensors.empty() ? files : tensors + " and " + files;
}

Verdict plain(const Question& question) {
  Verdict verdict{.state = question.overflow ? "good" : "unknown"};
  const std::string held =
      formatted("{} holds {}{}.", question.ours->name, what_it_holds(question),
                question.overflow && question.overflow->overflows.empty() ? "; no operator overflowed" : "");
  if (question.blame)
    verdict = nobody_guilty(*question.blame);
  else if (!question.not_judged.empty())
    verdict = {"No operator could be judged: " + question.not_judged + ".", held, "unknown", ""};
  else
    verdict.text = held;
  if (!question.ours->problems.empty()) {
    verdict.state = "unknown";
    verdict.more += (verdict.more.empty() ? "" : " ") +
                    formatted("{} could not be read.", counted(question.ours->problems.size(), "file"));
  }
  if (!question.overflow || !question.overflow->overflows.empty() || question.overflow->headroom.empty())
    return verdict;
  const auto found = std::ranges::find_if(question.overflow->headroom,
                                          [](const inspect::Headroom& each) { return std::isfinite(each.binades); });
  if (found == question.overflow->headroom.end()) return verdict;
  const inspect::Headroom& least = *found;
  verdict.more += (verdict.more.empty() ? "" : " ") +
                  formatted("The nearest to overflow is {} {}, {} binades below the largest {}.", least.op_type,
                            least.op_name, real(least.binades, "%.1f"), least.value.type);
  return verdict;
}

// What was compared or judged, and beside it what overflowed: the worse of both is said first.
Verdict with_overflow(Verdict verdict, const Question& question) {
  if (!question.overflow || question.overflow->overflows.empty()) return verdict;
  Verdict overflow = overflowed(*question.overflow);
  const bool second = verdict.state == "bad";
  Verdict &first = second ? verdict : overflow, &other = second ? overflow : verdict;
  first.more += (first.more.empty() || first.more.ends_with(' ') ? "" : " ") + other.text;
  if (!second && !other.more.empty()) first.more += " " + other.more;
  return std::move(first);
}

}  // namespace

Verdict overflowed(const inspect::OverflowReport& report) {
  const inspect::Overflow& overflow = report.overflows.front().overflow;
  const std::string name = name_of(overflow);
  Verdict verdict{.state = "bad", .op = name};
  verdict.text = overflow.op ? formatted("{} {} overflowed first", overflow.op->op_type, name)
                             : "An operator whose dump file is missing overflowed first";
  if (overflow.cause && !overflow.cause->why.empty()) verdict.text += ": " + overflow.cause->why;
  verdict.text += ".";
  if (overflow.cause)
    verdict.more = formatted("{} {} is {}. ", overflow.cause->result.tensor, overflow.cause->result.index,
                             overflow.cause->result.value);
  verdict.more += how_many(report);
  return verdict;
}

Verdict nobody_guilty(const blame::Report& report) {
  std::set<std::string> judged, doubtful;
  std::string why;
  for (const blame::OperatorReport& op : report.operators) {
    const bool unsure = op.verdict == blame::Verdict::NotCheckable;
    (unsure ? doubtful : judged).insert(op.op);
    for (const std::string& joined : op.together) (unsure ? doubtful : judged).insert(joined);
    if (unsure && why.empty()) why = formatted(", first {}: {}", op.op, op.why);
  }
  const auto missing = static_cast<size_t>(std::ranges::count_if(
      report.unrecorded, [&](const std::string& op) { return !judged.count(op) && !doubtful.count(op); }));
  const size_t others = doubtful.size() + missing + report.foreign.size();
  if (others == 0 && !judged.empty())
    return {formatted("No operator is guilty: each of {} made of its inputs what its types permit.", judged.size()), "",
            "good", ""};
  Verdict verdict{.state = "unknown"};
  verdict.text = judged.empty() ? "No operator could be judged."
                                : formatted("None of the {} that could be judged is guilty; {} could not be.",
                                            counted(judged.size(), "operator"), others);
  const auto add = [&](size_t count, const char* what, const std::string& rest) {
    if (count > 0) verdict.more += formatted("{}{} {}{}.", verdict.more.empty() ? "" : " ", count, what, rest);
  };
  add(missing, "not in the dump", "");
  add(report.foreign.size(), "in the dump but not in the model, first ",
      report.foreign.empty() ? "" : report.foreign.front());
  add(doubtful.size(), "not checkable", why);
  return verdict;
}

Verdict verdict_of(const Question& question) {
  if (question.blame) {
    for (const blame::OperatorReport& op : question.blame->operators)
      if (op.verdict == blame::Verdict::Guilty) return guilty(*question.blame, op);
    if (!question.blame->changed.empty()) return changed(question.blame->changed.front());
    if (!question.blame->mismatches.empty())
      return {"The model does not belong to the dump.", question.blame->mismatches.front(), "bad", ""};
  }
  if (question.comparison) return with_overflow(compared(question), question);
  return with_overflow(plain(question), question);
}

}  // namespace belay::report
