// SPDX-License-Identifier: Apache-2.0
#include "blame/blame.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/closest.h"
#include "base/text.h"
#include "blame/examiner.h"
#include "blame/executions.h"
#include "blame/model_file.h"
#include "blame/record_names.h"
#include "compare/matching.h"
#include "dump/format/names.h"
#include "executor/branch.h"

namespace belay::blame {
namespace {

std::set<std::string> names_in(const graph::Model& model) {
  std::set<std::string> names;
  for (const graph::Graph& graph : model.graphs)
    for (const graph::Node& node : graph.nodes)
      if (executor::has_task(node)) names.insert({node.name, dump::mangled(node.name)});
  return names;
}

bool is_of(const Execution& execution, const RecordNames& names) {
  return std::ranges::any_of(execution.records,
                             [&](const Record& record) { return record.op_type != "Data" && names.knows(record); });
}

// How many records the model has a place for; `by_name`: without looking at what they were before fusion.
size_t known_records(const std::vector<Execution>& executions, const RecordNames& names, bool by_name) {
  size_t count = 0;
  for (const Execution& execution : executions)
    for (const Record& record : execution.records)
      count += by_name ? !names.by_name(record).empty() : names.knows(record);
  return count;
}

Status no_execution(const Question& question, const std::vector<Execution>& all, const std::set<std::string>& names) {
  if (all.empty() || all[0].records.empty())
    return {ACL_ERROR_PARSE_FILE,
            formatted("{} holds no tensors; blame needs the tensors themselves: dump with \"dump_data\":\"tensor\" and "
                      "\"dump_mode\":\"all\" (or \"output\")",
                      question.side->name)};
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string& op = all[0].records[0].op;
  return {
      ACL_ERROR_PARSE_FILE,
      formatted("no operator of {} is in model {}; the first in the dump is {}, the closest names in the model are {}",
                question.side->name, question.model->name, op, closest_names(op, known))};
}

Status no_such_step(const Question& question, const std::vector<Execution>& executions) {
  std::string steps;
  for (const Execution& execution : executions) steps += (steps.empty() ? "" : ", ") + std::to_string(execution.step);
  return {ACL_ERROR_PARSE_FILE,
          formatted("{} has no execution {} of this model, only {}", question.side->name, *question.step, steps)};
}

// The other side's partner of each output; `note` says how many have one.
Result<Truth> pair_sides(const Question& question, std::string& note) {
  if (!question.truth) return Truth();
  const auto matching = TRY(compare::match(*question.side, *question.truth, {}));
  auto partners = std::make_shared<std::map<const compare::SideTensor*, const compare::SideTensor*>>();
  for (const compare::Pair& pair : matching.pairs)
    partners->emplace(&question.side->tensors[pair.ours], &question.truth->tensors[pair.truth]);
  const auto outputs = std::ranges::count(question.side->tensors, false, &compare::SideTensor::input);
  note = formatted("{} of {} outputs have a partner in {}", partners->size(), outputs, question.truth->name);
  if (partners->empty()) return Status{ACL_ERROR_PARSE_FILE, note + "; belay match says why"};
  return Truth([partners](const compare::SideTensor& output) -> Source {
    const auto partner = partners->find(&output);
    if (partner == partners->end()) return nullptr;
    auto source = partner->second->open();
    return source.ok() ? std::move(source).value() : nullptr;
  });
}

bool tells_more(const Report& report, const Report& than) {
  return report.count(Verdict::Inherits) > 0 && than.count(Verdict::Inherits) == 0;
}

}  // namespace

Result<std::shared_ptr<const graph::Model>> read_model_of(const compare::Side& side,
                                                          const std::filesystem::path& path) {
  auto fused = TRY(read_model(path));
  if (path.extension() != ".onnx") return fused;
  const std::vector<Execution> executions = executions_of(side);
  size_t all = 0;
  for (const Execution& execution : executions) all += execution.records.size();
  const size_t known = known_records(executions, RecordNames(*fused), true);
  if (known == all) return fused;
  auto plain = TRY(read_model(path, false));
  return known_records(executions, RecordNames(*plain), false) > known ? plain : fused;
}

Result<std::vector<Execution>> executions_of(const Question& question) {
  const std::vector<Execution> all = executions_of(*question.side);
  const RecordNames names(*question.model);
  std::vector<Execution> executions;
  std::ranges::copy_if(all, std::back_inserter(executions), [&](const Execution& each) { return is_of(each, names); });
  if (executions.empty()) return no_execution(question, all, names_in(*question.model));
  return executions;
}

Result<Report> examine(const Question& question) {
  const std::vector<Execution> executions = TRY(executions_of(question));
  std::string note;
  const Truth truth = TRY(pair_sides(question, note));
  std::optional<Report> first;
  for (size_t i = 0; i < executions.size(); ++i) {
    if (question.step && executions[i].step != *question.step) continue;
    Examiner examiner(question, std::span(executions).first(i + 1), truth);
    Report report = examiner.examine();
    if (!note.empty()) report.notes.insert(report.notes.begin(), note);
    if (report.anyone_guilty() || question.step) return report;
    if (!first || tells_more(report, *first)) first = std::move(report);
  }
  if (!first) return no_such_step(question, executions);
  return *std::move(first);
}

}  // namespace belay::blame
