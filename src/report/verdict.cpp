// SPDX-License-Identifier: Apache-2.0
#include "report/verdict.h"

#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "inspect/tensor.h"

namespace belay::report {
namespace {

std::string real(double value, const char* pattern = "%.3g") {
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

Verdict compared(const Question& question) {
  const compare::Comparison& made = *question.comparison;
  const size_t differ = made.count(compare::Verdict::Differ), agree = made.count(compare::Verdict::Agree);
  const std::string &ours = made.ours->name, &truth = made.truth->name;
  Verdict verdict;
  if (differ + agree == 0)
    return {formatted("Nothing of {} could be compared with {}.", ours, truth), "", "unknown", ""};
  if (differ == 0) {
    const std::string unpaired = made.unpaired();
    verdict = {formatted("{} and {} agree in all {} tensors{}{}.", ours, truth, agree,
                         unpaired.empty() ? "" : " that both have", unpaired),
               "", "good", ""};
  } else {
    for (const compare::Row& row : made.rows) {
      if (row.verdict != compare::Verdict::Differ) continue;
      verdict = {formatted("{} and {} differ in {} of {} tensors, first in {} {}.", ours, truth, differ, differ + agree,
                           row.ours->op, label(*row.ours)),
                 "There: " + row.reason + ".", "bad", row.ours->op};
      break;
    }
  }
  if (question.blame) verdict.more += " No operator is guilty: each made of its inputs what its types permit.";
  return verdict;
}

Verdict overflowed(const inspect::OverflowReport::Entry& entry, size_t count) {
  const inspect::Overflow& overflow = entry.overflow;
  const std::string name = !overflow.tensors.empty() ? overflow.tensors[0].line.op_name
                           : overflow.op             ? overflow.op->op_name
                                                     : "";
  Verdict verdict{.state = "bad", .op = name};
  verdict.text = overflow.op ? formatted("{} {} overflowed first", overflow.op->op_type, name)
                             : "An operator whose dump file is missing overflowed first";
  if (overflow.cause && !overflow.cause->why.empty()) verdict.text += ": " + overflow.cause->why;
  verdict.text += ".";
  if (overflow.cause)
    verdict.more = formatted("{} {} is {}.", overflow.cause->result.tensor, overflow.cause->result.index,
                             overflow.cause->result.value);
  if (count > 1) verdict.more += formatted(" {} operators overflowed.", count);
  return verdict;
}

std::string what_it_holds(const Question& question) {
  const size_t tensors = question.ours->tensors.size(), files = question.statistics.size();
  if (files == 0) return formatted("{} tensors", tensors);
  return tensors == 0 ? formatted("{} files of statistics", files)
                      : formatted("{} tensors and {} files of statistics", tensors, files);
}

Verdict plain(const Question& question) {
  Verdict verdict{.state = question.blame || question.overflow ? "good" : "unknown"};
  verdict.text = question.blame ? "No operator is guilty: each made of its inputs what its types permit."
                                : formatted("{} holds {}{}.", question.ours->name, what_it_holds(question),
                                            question.overflow ? "; no operator overflowed" : "");
  if (!question.overflow || question.overflow->headroom.empty()) return verdict;
  const inspect::Headroom& least = question.overflow->headroom.front();
  verdict.more = formatted("The nearest to overflow is {} {}, {} binades below the largest {}.", least.op_type,
                           least.op_name, real(least.binades, "%.1f"), least.value.type);
  return verdict;
}

}  // namespace

Verdict verdict_of(const Question& question) {
  if (question.blame) {
    for (const blame::OperatorReport& op : question.blame->operators)
      if (op.verdict == blame::Verdict::Guilty) return guilty(*question.blame, op);
    if (!question.blame->changed.empty()) return changed(question.blame->changed.front());
    if (!question.blame->mismatches.empty())
      return {"The model does not belong to the dump.", question.blame->mismatches.front(), "bad", ""};
  }
  if (question.comparison) return compared(question);
  if (question.overflow && !question.overflow->overflows.empty())
    return overflowed(question.overflow->overflows.front(), question.overflow->overflows.size());
  return plain(question);
}

}  // namespace belay::report
