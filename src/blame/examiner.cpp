// SPDX-License-Identifier: Apache-2.0
#include "blame/examiner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "blame/evidence.h"
#include "dump/format/names.h"

namespace belay::blame {
namespace {

constexpr size_t kMostEvidence = 10;  // operators that more is told of than their numbers
constexpr std::string_view kOriginalNames = "_datadump_original_op_names";

size_t tasks_in(const Execution& execution) {
  return static_cast<size_t>(
      std::ranges::count_if(execution.records, [](const Record& record) { return record.op_type != "Data"; }));
}

// Why the one cannot be the other, whatever their elements are; "" when it can.
std::string mismatch(const Held& made, const Held& read) {
  const auto differ = [&](std::string_view what, std::string_view here, std::string_view there) {
    return formatted("has the {} {}, and {} has {}: {}", what, here, made.origin, there,
                     made.weight ? "the model does not belong to the dump"
                                 : "one of the files is damaged, or the model does not belong to the dump");
  };
  if (!may_have_shape(*read.source, made.source->shape()) && !may_have_shape(*made.source, read.source->shape()))
    return differ("shape", graph::to_text(read.source->shape()), graph::to_text(made.source->shape()));
  if (exact::is_float_type(made.source->type()) != exact::is_float_type(read.source->type()))
    return differ("type", graph::name_of(read.source->type()), graph::name_of(made.source->type()));
  return "";
}

// Whether a number that became infinite when it was rounded is the type's largest one instead.
bool is_saturated(double was, double rounded, double is, graph::DataType type) {
  return std::isfinite(was) && std::isinf(rounded) && is == std::copysign(exact::largest_of(type), was);
}

// The first difference between the elements of two tensors; `different` 0: there is none, or they cannot be compared.
// Where the side has another float type than was made, what was made is rounded to it; beyond its range there is
// infinity, or its largest number where the converter or the device saturates.
Changed difference(const Held& made, const Held& read) {
  Changed found;
  if (made.source->count() != read.source->count()) return found;
  std::vector<std::byte> storage_made, storage_read, rounded;
  auto left = bytes_of(*made.source, storage_made), right = bytes_of(*read.source, storage_read);
  if (!left.ok() || !right.ok()) return found;
  std::span<const std::byte> a = *left, b = *right;
  std::optional<exact::Value> was;  // before it was rounded
  graph::DataType type = made.source->type();
  if (type != read.source->type() && exact::is_float_type(type)) {
    auto wide = value_of(*made.source);
    if (!wide.ok()) return found;
    was = std::move(wide).value();
    auto narrow = exact::narrowed(*was, read.source->type());
    if (!narrow.ok()) return found;
    rounded = std::move(narrow).value();
    a = rounded;
    type = read.source->type();
  }
  const bool same_type = type == read.source->type();
  if (b.empty() || (same_type && a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0)) return found;
  const auto x = exact::widened(type, read.source->shape(), a);
  const auto y = exact::widened(read.source->type(), read.source->shape(), b);
  if (!x.ok() || !y.ok()) return found;
  found.count = read.source->count();
  found.shape = read.source->shape();
  const size_t each = b.size() / static_cast<size_t>(found.count);
  for (int64_t i = 0; i < found.count; ++i) {
    const size_t at = static_cast<size_t>(i) * each;
    if (same_type ? std::memcmp(a.data() + at, b.data() + at, each) == 0 : element_of(*x, i) == element_of(*y, i))
      continue;
    if (was && is_saturated(element_of(*was, i), element_of(*x, i), element_of(*y, i), type)) continue;
    if (found.different++ > 0) continue;
    found.first = i;
    found.was = element_of(*x, i), found.is = element_of(*y, i);
  }
  return found;
}

}  // namespace

Examiner::Examiner(const Question& question, std::span<const Execution> executions, Truth truth)
    : question_(question), executions_(executions), truth_(std::move(truth)) {}

Report Examiner::examine() {
  const Execution& execution = executions_.back();
  report_ = {};
  without_inputs_ = false;
  report_.place = execution.place;
  if (question_.plans) question_.plans(tasks_in(execution));
  Walk walk(*question_.model, execution, question_.given, [this](const Ran& each) { ran(each); });
  const std::vector<Held> results = walk.run();
  check_given(walk);
  tell_shares(walk, results);
  for (const graph::Node* node : walk.unrecorded()) report_.unrecorded.push_back(node->name);
  if (const auto more = walk.superfluous(); !more.empty())
    report_.notes.push_back(
        formatted("{} of the dump's records were not looked at, the first that of {} at {}: their "
                  "operators are there more often than they are known to have run",
                  more.size(), more[0]->op, more[0]->time));
  if (without_inputs_)
    report_.notes.push_back(
        "the dump holds outputs only: an input that was overwritten after it was made cannot be told from a wrong "
        "computation of the operator that read it; dump with \"dump_mode\":\"all\"");
  for (const Record* record : walk.foreign())
    if (record->op_type != "Data") report_.foreign.push_back(record->op);
  return std::move(report_);
}

void Examiner::ran(const Ran& ran) {
  OperatorReport report{
      .op = ran.node.name, .op_type = ran.node.type, .time = ran.record.time, .task = ran.record.task};
  report.sources = graph::get_or(ran.node.attributes, kOriginalNames, std::vector<std::string>{ran.node.name});
  report.together = ran.unrecorded;
  if (ran.record.op != dump::mangled(ran.node.name) && ran.record.op != ran.node.name)
    report.recorded_as = ran.record.op;
  const size_t changes_before = report_.changed.size();
  if (ran.unrecorded.empty()) find_changes(ran);
  Trial trial(*question_.model, ran, question_.others);
  trial.judge(truth_, report);
  check_partners(ran);
  if (report.verdict == Verdict::Guilty) absolve(ran, trial, report, changes_before);
  if (report.verdict == Verdict::Guilty && ran.record.inputs.empty() && !ran.op().inputs.empty())
    without_inputs_ = true;
  if (report.verdict == Verdict::Guilty && report.why.empty() && report_.count(Verdict::Guilty) < kMostEvidence) {
    report.evidence = gather_evidence(trial, ran, report, executions_);
    if (!ran.in_loop && ran.unrecorded.empty()) remember(ran, trial, report_.operators.size());
  }
  report_.operators.push_back(std::move(report));
  if (question_.advances) question_.advances();
}

// The dump's own record is what ran; what the user gave beside it can only agree.
void Examiner::check_given(const Walk& walk) {
  for (const auto& [name, source] : question_.given) {
    const auto used = walk.inputs().find(name);
    if (used == walk.inputs().end() || !used->second.source || used->second.source == source) continue;
    Held given;
    given.source = source;
    given.origin = "the dump's record";
    const std::string why = mismatch(given, used->second);
    const Changed changed = difference(given, used->second);
    if (why.empty() && changed.different == 0) continue;
    report_.mismatches.push_back(
        formatted("--input {} is not what the dump holds of it ({}); the dump's was used", name,
                  why.empty() ? formatted("{} of {} elements differ", changed.different, changed.count)
                              : formatted("{} {} there, {} {} in the file", graph::name_of(used->second.source->type()),
                                          graph::to_text(used->second.source->shape()), graph::name_of(source->type()),
                                          graph::to_text(source->shape()))));
  }
}

void Examiner::check_partners(const Ran& ran) {
  for (size_t o = 0; truth_ && o < ran.record.outputs.size(); ++o) {
    if (!ran.record.outputs[o]) continue;
    const Source partner = truth_(*ran.record.outputs[o]);
    const auto own = ran.record.outputs[o]->open();
    if (!partner || !own.ok() || (*own)->count() == partner->count()) continue;
    report_.notes.push_back(formatted("output {} of {} has the shape {} and its partner in OTHER {}: not compared", o,
                                      ran.node.name, graph::to_text((*own)->shape()),
                                      graph::to_text(partner->shape())));
  }
}

void Examiner::find_changes(const Ran& ran) {
  for (size_t i = 0; i < ran.read.size() && i < ran.record.inputs.size(); ++i)
    if (ran.record.inputs[i]) find_change(ran, i);
}

void Examiner::find_change(const Ran& ran, size_t input) {
  const Held& made = ran.made[input];
  if (!made.known() || !made.present) return;
  LastSeen& seen = seen_.try_emplace({made.origin, made.time}, LastSeen{made.time + 1}).first->second;
  if (seen.told) return;
  if (!made.source || !ran.read[input].source) return;
  if (const std::string why = mismatch(made, ran.read[input]); !why.empty()) {
    seen.told = true;
    report_.mismatches.push_back(formatted("input {} of {} {}", input, ran.node.name, why));
    return;
  }
  Changed changed = difference(made, ran.read[input]);
  if (changed.different == 0) {
    seen.time = ran.record.time;  // a reader may write after it was recorded
    return;
  }
  seen.told = true;
  changed.weight = made.weight != nullptr;
  changed.tensor = made.origin;
  changed.reader = ran.node.name;
  changed.input = input;
  if (!changed.weight) changed.suspects = who_ran(seen.time, ran.record.time);
  report_.changed.push_back(std::move(changed));
}

// An operator whose input is overwritten after it has read it is recorded with what it did not read.
void Examiner::absolve(const Ran& ran, Trial& trial, OperatorReport& report, size_t changes_before) {
  const auto added = std::span(report_.changed).subspan(changes_before);
  if (added.empty() || !trial.innocent_of(ran.made)) return;
  report.verdict = Verdict::Clean;
  for (Changed& changed : added)
    if (!changed.weight) changed.suspects = {ran.node.name};
}

void Examiner::remember(const Ran& ran, const Trial& trial, size_t place) {
  Misdeed misdeed{.node = &ran.node};
  for (size_t o = 0; o < trial.got().size() && o < trial.expected().size(); ++o) {
    misdeed.got.emplace_back();
    misdeed.expected.emplace_back();
    if (!trial.got()[o]) continue;
    auto got = ran.record.outputs[o]->open();
    if (!got.ok()) return;
    auto expected = source_of(trial.expected()[o].value, (*got)->type());
    if (!expected.ok()) return;
    misdeed.got.back() = std::move(got).value();
    misdeed.expected.back() = std::move(expected).value();
  }
  misdeeds_.push_back(std::move(misdeed));
  culprits_.push_back(place);
}

void Examiner::tell_shares(const Walk& walk, std::span<const Held> results) {
  if (misdeeds_.empty() || question_.others) return;  // one rank alone cannot run the model again
  Correction correction(question_.model, walk.inputs(), results, misdeeds_);
  if (const Status status = correction.prepare(); !status.ok()) {
    report_.notes.push_back("what the final outputs would be without them is not known: " + status.message);
    return;
  }
  for (size_t i = 0; i < misdeeds_.size(); ++i)
    if (const auto share = correction.share(i); share.ok()) report_.operators[culprits_[i]].evidence->share = *share;
}

std::vector<std::string> Examiner::who_ran(uint64_t from, uint64_t until) const {
  std::vector<std::string> names;
  for (const Record& record : executions_.back().records)
    if (record.time >= from && record.time <= until && record.op_type != "Data") names.push_back(record.op);
  return names;
}

}  // namespace belay::blame
