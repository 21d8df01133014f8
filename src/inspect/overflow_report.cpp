// SPDX-License-Identifier: Apache-2.0
#include "inspect/overflow_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "inspect/opdebug.h"

namespace belay::inspect {
namespace {

class Reporter {
 public:
  explicit Reporter(const std::vector<FoundDump>& dumps) : dumps_(dumps) {}

  OverflowReport run() {
    for (const FoundDump& dump : dumps_) is_opdebug(dump.name) ? read_record(dump) : read_operator(dump);
    for (const OperatorMagnitudes& op : operators_)
      if (op.overflows()) add(overflow_of(op.dump));
    add_first_without_inputs();
    for (auto& entry : report_.overflows) entry.chain = chain_to(entry.overflow, operators_);
    std::ranges::stable_sort(report_.overflows, {}, [](const auto& entry) { return entry.overflow.found_by.time; });
    std::ranges::stable_sort(report_.headroom, {}, &Headroom::binades);
    return std::move(report_);
  }

 private:
  void read_record(const FoundDump& dump) { add(read_overflow(dump, dumps_)); }

  void read_operator(const FoundDump& dump) {
    auto read = read_magnitudes(dump);
    if (!read.ok()) return report_.problems.push_back(read.status().message);
    const OperatorMagnitudes& op = operators_.emplace_back(std::move(read).value());
    if (dump.op_type == "Data") return;
    for (const Magnitude& value : op.tensors)
      if (const auto binades = headroom(value.type, value.most); binades && !value.input())
        report_.headroom.push_back({dump.op_type, op.op_name, value, *binades});
  }

  void add(Result<Overflow> overflow) {
    if (!overflow.ok()) return report_.problems.push_back(overflow.status().message);
    if ((*overflow).op && !known_.insert((*overflow).op->path).second) return;
    report_.overflows.push_back({std::move(overflow).value(), {}});
  }

  // A dump of outputs only: those after the first have it from there. Where there are records, they say who it was.
  void add_first_without_inputs() {
    std::set<std::filesystem::path> recorded;
    for (const auto& entry : report_.overflows) recorded.insert(entry.overflow.found_by.path.parent_path());
    std::map<std::filesystem::path, const OperatorMagnitudes*> first, given;
    for (const OperatorMagnitudes& op : operators_) {
      const bool bad = std::ranges::any_of(op.tensors, [](const Magnitude& m) { return !std::isfinite(m.most); });
      if (!bad) continue;
      auto& among = op.dump.op_type == "Data" ? given : first;  // whose file is written after that of its first reader
      const OperatorMagnitudes*& earliest = among[op.dump.path.parent_path()];
      if (!earliest || op.dump.time < earliest->dump.time) earliest = &op;
    }
    for (const auto& [folder, op] : first)
      if (!recorded.contains(folder) && std::ranges::none_of(op->tensors, &Magnitude::input))
        add(overflow_of(given.contains(folder) ? given[folder]->dump : op->dump));
  }

  const std::vector<FoundDump>& dumps_;
  std::vector<OperatorMagnitudes> operators_;
  std::set<std::filesystem::path> known_;
  OverflowReport report_;
};

}  // namespace

OverflowReport report_overflows(const std::vector<FoundDump>& dumps) { return Reporter(dumps).run(); }

}  // namespace belay::inspect
