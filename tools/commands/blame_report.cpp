// SPDX-License-Identifier: Apache-2.0
#include "commands/blame_report.h"

#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "commands/json_values.h"
#include "commands/say.h"
#include "commands/table.h"
#include "dump/format/csv.h"
#include "dump/format/types.h"
#include "inspect/tensor.h"

namespace belay::tools {
namespace {

using blame::Changed;
using blame::Evidence;
using blame::OperatorReport;
using blame::OutputReport;
using blame::Report;
using blame::Verdict;
using exact::Numbers;
using Json = nlohmann::ordered_json;

constexpr size_t kNamesShown = 8;
constexpr size_t kReasonsShown = 10;

std::string real(double value, const char* pattern = "%.3g") {
  char text[40];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string type_text(graph::DataType type) { return std::string(dump::type_name(graph::to_proto(type))); }

std::string joined(const std::vector<std::string>& names, size_t most = kNamesShown) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < most; ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

std::string in_quotes(const std::string& text) {
  return text.find_first_of(" '\"$&;|<>()*?[]{}\\") == std::string::npos ? text : "'" + text + "'";
}

// As the user may type it.
std::filesystem::path place_of(const Report& report, const BlameView& view) {
  return report.place.empty() ? view.dump : view.dump / report.place;
}

void print_counts(const Report& report, const BlameView& view) {
  say("%zu operator%s in %s:", report.operators.size(), report.operators.size() == 1 ? "" : "s",
      place_of(report, view).c_str());
  const char* comma = " ";
  for (const Verdict verdict : {Verdict::Clean, Verdict::Inherits, Verdict::Guilty, Verdict::NotCheckable}) {
    const size_t count = report.count(verdict);
    if (count == 0 && (verdict == Verdict::Inherits || verdict == Verdict::NotCheckable)) continue;
    say("%s%zu %s", comma, count, std::string(blame::name_of(verdict)).c_str());
    comma = ", ";
  }
  if (view.unread > 0) say("; %zu file%s could not be read", view.unread, view.unread == 1 ? "" : "s");
  say("\n");
}

void print_worst(const OutputReport& output) {
  const Numbers& numbers = output.numbers;
  say("   output %zu %s %s: %lld of %lld elements %s wrong\n", output.index, type_text(output.type).c_str(),
      graph::to_text(output.shape).c_str(), static_cast<long long>(numbers.wrong),
      static_cast<long long>(numbers.count), numbers.wrong == 1 ? "is" : "are");
  say("   worst at %s: got %s, expected %s +- %s\n", inspect::index_text(output.shape, numbers.worst).c_str(),
      real(numbers.got, "%.9g").c_str(), real(numbers.expected, "%.9g").c_str(), real(numbers.allowed).c_str());
}

void print_evidence(const Report& report, const OperatorReport& op, const Evidence& evidence, const BlameView& view) {
  if (!op.together.empty()) say("   or one before it that is not in the dump: %s\n", joined(op.together).c_str());
  print_worst(op.outputs[evidence.output]);
  for (const std::string& term : evidence.terms) say("      %s\n", term.c_str());
  for (const auto& input : evidence.inputs)
    say("   input %zu %s %s: %s\n", input.index, type_text(input.type).c_str(), graph::to_text(input.shape).c_str(),
        input.origin.c_str());
  say("   cause: %s\n", evidence.cause.empty() ? "the data shows none" : evidence.cause.c_str());
  if (evidence.share)
    say("   when it alone is corrected, %s %% of the error of the model's outputs is gone\n",
        real(100 * *evidence.share).c_str());
  if (op.op_type.starts_with("Hcom")) return;  // not alone
  say("   belay replay %s --model %s --op %s\n", in_quotes(place_of(report, view).string()).c_str(),
      in_quotes(view.model.string()).c_str(), in_quotes(op.recorded_as.empty() ? op.op : op.recorded_as).c_str());
}

void print_guilty(const Report& report, const BlameView& view) {
  size_t number = 0;
  for (const OperatorReport& op : report.operators) {
    if (op.verdict != Verdict::Guilty) continue;
    say("%zu. guilty: %s\n", ++number, name_of(op).c_str());
    print_guilt(report, op, view);
  }
}

// Operators that could not be checked, by reason.
void print_unchecked(const Report& report) {
  std::map<std::string, std::vector<std::string>> reasons;
  for (const OperatorReport& op : report.operators)
    if (op.verdict == Verdict::NotCheckable) reasons[op.why].push_back(op.op);
  size_t shown = 0;
  for (const auto& [reason, names] : reasons) {
    if (shown++ == kReasonsShown) return (void)say("and %zu reasons more\n", reasons.size() - kReasonsShown);
    say("not checkable: %s: %s\n", joined(names).c_str(), reason.c_str());
  }
}

void print_operators(const Report& report, const BlameView& view) {
  std::vector<std::vector<std::string>> rows{{"operator", "", "output", "verdict", "contributed", "allowed"}};
  if (view.other_side) rows[0].push_back("inherited");
  rows[0].push_back("worst element");
  for (const OperatorReport& op : report.operators) {
    if (op.outputs.empty()) rows.push_back({op.op_type, op.op, "", std::string(blame::name_of(op.verdict)), "", ""});
    for (const OutputReport& output : op.outputs) {
      const Numbers& numbers = output.numbers;
      rows.push_back({op.op_type, op.op, std::to_string(output.index), std::string(blame::name_of(op.verdict)),
                      real(numbers.contributed), real(numbers.allowed)});
      if (view.other_side) rows.back().push_back(std::isnan(numbers.inherited) ? "" : real(numbers.inherited));
      rows.back().push_back(numbers.worst < 0 ? "" : inspect::index_text(output.shape, numbers.worst));
    }
  }
  print_table(rows);
}

Json real_json(double value) { return std::isfinite(value) ? Json(value) : Json(real(value)); }

Json output_json(const OutputReport& output) {
  const Numbers& numbers = output.numbers;
  Json json{{"output", output.index},
            {"dtype", type_text(output.type)},
            {"shape", output.shape},
            {"contributed", real_json(numbers.contributed)},
            {"allowed", real_json(numbers.allowed)}};
  if (!std::isnan(numbers.inherited)) json["inherited"] = real_json(numbers.inherited);
  json["wrong"] = numbers.wrong;
  json["elements"] = numbers.count;
  if (numbers.worst < 0) return json;
  json["worst"] = {{"index", dims_json(inspect::index_text(output.shape, numbers.worst))},
                   {"got", real_json(numbers.got)},
                   {"expected", real_json(numbers.expected)}};
  return json;
}

Json operator_json(const OperatorReport& op) {
  Json json{{"op", op.op}, {"type", op.op_type}, {"sources", op.sources}, {"verdict", blame::name_of(op.verdict)}};
  if (!op.recorded_as.empty()) json["recorded_as"] = op.recorded_as;
  if (!op.together.empty()) json["together"] = op.together;
  if (!op.why.empty()) json["why"] = op.why;
  json["outputs"] = Json::array();
  for (const OutputReport& output : op.outputs) json["outputs"].push_back(output_json(output));
  if (!op.evidence) return json;
  json["cause"] = op.evidence->cause;
  json["terms"] = op.evidence->terms;
  if (op.evidence->share) json["share"] = *op.evidence->share;
  return json;
}

Json changed_json(const Changed& changed) {
  return {{"tensor", changed.tensor},       {"kind", changed.weight ? "weight" : "overwritten"},
          {"reader", changed.reader},       {"input", changed.input},
          {"different", changed.different}, {"elements", changed.count},
          {"suspects", changed.suspects}};
}

}  // namespace

std::string name_of(const OperatorReport& op) {
  std::string text = op.op_type + " " + op.op;
  if (op.sources.size() != 1 || op.sources[0] != op.op) text += ", made of " + joined(op.sources);
  if (!op.recorded_as.empty()) text += ", in the dump as " + op.recorded_as;
  return text;
}

void print_guilt(const Report& report, const OperatorReport& op, const BlameView& view) {
  if (!op.why.empty()) say("   %s\n", op.why);
  if (op.evidence) print_evidence(report, op, *op.evidence, view);
}

void print_changed(const Changed& changed) {
  say("%s %s: %s reads it as input %zu, and %lld of %lld elements differ\n", changed.tensor.c_str(),
      changed.weight ? "is not what the model holds" : "was overwritten", changed.reader.c_str(), changed.input,
      static_cast<long long>(changed.different), static_cast<long long>(changed.count));
  say("   first at %s: %s became %s\n", inspect::index_text(changed.shape, changed.first).c_str(),
      real(changed.was, "%.9g").c_str(), real(changed.is, "%.9g").c_str());
  if (changed.weight) return;
  say("   by %s%s\n", changed.suspects.size() == 1 ? "" : "one that ran meanwhile: ", joined(changed.suspects).c_str());
}

void print_blame(const Report& report, const BlameView& view) {
  if (view.all) print_operators(report, view);
  print_counts(report, view);
  for (const std::string& mismatch : report.mismatches) say("%s\n", mismatch.c_str());
  for (const Changed& changed : report.changed) print_changed(changed);
  print_guilty(report, view);
  print_unchecked(report);
  if (!report.unrecorded.empty()) say("not in the dump: %s\n", joined(report.unrecorded).c_str());
  if (!report.foreign.empty()) say("not in the model: %s\n", joined(report.foreign).c_str());
  for (const std::string& note : report.notes) say("%s\n", note.c_str());
}

namespace {

Json report_json(const Report& report, const BlameView& view) {
  Json json{{"dump", place_of(report, view).string()}, {"model", view.model.string()}};
  json["operators"] = Json::array();
  for (const OperatorReport& op : report.operators) json["operators"].push_back(operator_json(op));
  json["changed"] = Json::array();
  for (const Changed& changed : report.changed) json["changed"].push_back(changed_json(changed));
  json["mismatches"] = report.mismatches;
  json["unrecorded"] = report.unrecorded;
  json["foreign"] = report.foreign;
  json["notes"] = report.notes;
  return json;
}

}  // namespace

std::string blame_json(const Report& report, const BlameView& view, const std::vector<std::string>& problems) {
  Json json = report_json(report, view);
  json["problems"] = problems;
  return json_text(json, 1);
}

std::string ranks_json(const blame::RanksReport& report, const std::vector<BlameView>& views,
                       const std::vector<std::string>& problems) {
  const auto places = [&](const std::vector<blame::RanksReport::At>& all) {
    Json list = Json::array();
    for (const auto& at : all) list.push_back({{"rank", at.rank}, {"op", report.at(at).op}});
    return list;
  };
  Json json{{"first", places(report.first)}, {"disagreements", report.disagreements}, {"missing", report.missing}};
  json["collectives"] = Json::array();
  for (const auto& joint : report.joints)
    json["collectives"].push_back({{"group", joint.group}, {"number", joint.number}, {"ranks", places(joint.ranks)}});
  json["ranks"] = Json::array();
  for (size_t rank = 0; rank < report.ranks.size(); ++rank)
    json["ranks"].push_back(report_json(report.ranks[rank], views[rank]));
  json["problems"] = problems;
  return json_text(json, 1);
}

std::string blame_csv(const Report& report) {
  std::string text = "op,type,sources,verdict,output,dtype,shape,contributed,allowed,inherited,wrong,elements,why\n";
  const auto line = [&](const OperatorReport& op, const OutputReport* output) {
    const Numbers none, &numbers = output ? output->numbers : none;
    std::string sources;
    for (const std::string& source : op.sources) sources += (sources.empty() ? "" : " ") + source;
    std::vector<std::string> cells{op.op, op.op_type, sources, std::string(blame::name_of(op.verdict))};
    if (output)
      cells.insert(cells.end(), {std::to_string(output->index), type_text(output->type), graph::to_text(output->shape),
                                 real(numbers.contributed, "%.9g"), real(numbers.allowed, "%.9g"),
                                 std::isnan(numbers.inherited) ? "" : real(numbers.inherited, "%.9g"),
                                 std::to_string(numbers.wrong), std::to_string(numbers.count)});
    else
      cells.insert(cells.end(), 8, "");
    cells.push_back(op.why);
    for (size_t i = 0; i < cells.size(); ++i) text += (i ? "," : "") + dump::csv_field(cells[i]);
    text += "\n";
  };
  for (const OperatorReport& op : report.operators) {
    if (op.outputs.empty()) line(op, nullptr);
    for (const OutputReport& output : op.outputs) line(op, &output);
  }
  return text;
}

}  // namespace belay::tools
