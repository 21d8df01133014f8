// SPDX-License-Identifier: Apache-2.0
// belay overflow: the operators that overflowed, in order of occurrence, why, and how near the others are.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/dump_page.h"
#include "commands/json_values.h"
#include "commands/say.h"
#include "commands/table.h"
#include "inspect/overflow_report.h"

namespace belay::tools {
namespace {

using inspect::Cause;
using inspect::ChainLink;
using inspect::Overflow;
using inspect::OverflowReport;
using inspect::OverflowTensor;
using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

constexpr size_t kHeadroomLines = 10;

struct OverflowOptions {
  std::vector<std::filesystem::path> dumps;
  size_t most = SIZE_MAX;
  bool json = false, all = false;
  std::filesystem::path html;
};

std::string statistic(const OverflowTensor& tensor, const std::string& name) {
  for (const auto& [key, value] : tensor.line.statistics)
    if (key == name) return value;
  return "";
}

std::string real(double value, const char* pattern = "%.6g") {
  char text[32];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string headroom_text(const inspect::Magnitude& value) {
  const auto binades = inspect::headroom(value.type, value.most);
  return binades ? real(*binades, "%.1f") : "";
}

std::string op_name(const Overflow& overflow) {
  return overflow.tensors.empty() ? overflow.op->op_name : overflow.tensors[0].line.op_name;
}

void print_cause(const Cause& cause) {
  const auto& [tensor, index, value] = cause.result;
  say("   %s%s %s is %s", cause.why.empty() ? "" : (cause.why + ": ").c_str(), tensor.c_str(), index.c_str(),
      value.c_str());
  if (cause.operands.empty()) return (void)say("\n");
  say(cause.why.empty() ? "; the largest operand:" : ", from");
  for (size_t i = 0; i < cause.operands.size(); ++i)
    say("%s %s %s = %s", i ? "," : "", cause.operands[i].tensor.c_str(), cause.operands[i].index.c_str(),
        cause.operands[i].value.c_str());
  say("\n");
}

void print_tensors(const std::vector<OverflowTensor>& tensors) {
  if (tensors.empty()) return;
  Rows rows{{"tensor", "dtype", "shape", "max", "min", "mean", "nan", "-inf", "+inf", "first not finite"}};
  for (const OverflowTensor& tensor : tensors) {
    rows.push_back({tensor.line.label, tensor.line.type, tensor.line.shape});
    for (const char* name : {"max", "min", "mean", "nan", "-inf", "+inf"})
      rows.back().push_back(statistic(tensor, name));
    rows.back().push_back(tensor.first_index.empty() ? "" : tensor.first_value + " at " + tensor.first_index);
  }
  print_table(rows, 3);
}

void print_chain(const std::vector<ChainLink>& chain) {
  if (chain.empty()) return;
  Rows rows{{"how it grew", "", "tensor", "dtype", "largest", "headroom"}};
  for (const ChainLink& link : chain)
    rows.push_back({link.op_type, link.op_name, link.value.label, link.value.type, real(link.value.most),
                    headroom_text(link.value)});
  print_table(rows, 3);
}

void print_headroom(const OverflowReport& report, bool all) {
  const size_t lines = all ? report.headroom.size() : std::min(report.headroom.size(), kHeadroomLines);
  if (lines == 0) return;
  say("headroom in binades, smallest first\n");
  Rows rows{{"op", "", "tensor", "dtype", "largest", "headroom"}};
  for (size_t i = 0; i < lines; ++i) {
    const auto& [op_type, name, value, binades] = report.headroom[i];
    rows.push_back({op_type, name, value.label, value.type, real(value.most), real(binades, "%.1f")});
  }
  print_table(rows, 3);
  if (lines < report.headroom.size()) say("   and %zu more; --all shows them\n", report.headroom.size() - lines);
}

void print_text(const OverflowReport& report, bool all) {
  if (report.overflows.empty()) say(report.headroom.empty() ? "no overflow recorded\n" : "no overflow\n");
  for (size_t i = 0; i < report.overflows.size(); ++i) {
    const auto& [overflow, chain] = report.overflows[i];
    const std::string name =
        overflow.op ? overflow.op->op_type + " " + op_name(overflow) : "an operator whose dump file is missing";
    say("%zu. %s: task %llu, stream %llu", i + 1, name.c_str(), static_cast<unsigned long long>(overflow.task),
        static_cast<unsigned long long>(overflow.stream));
    if (overflow.status) say(", status 0x%llx", static_cast<unsigned long long>(overflow.status));
    say("\n   %s\n", overflow.found_by.path.parent_path().c_str());
    if (overflow.cause) print_cause(*overflow.cause);
    print_tensors(overflow.tensors);
    print_chain(chain);
  }
  print_headroom(report, all);
}

Json real_json(double value) { return std::isfinite(value) ? Json(value) : Json(real(value)); }

Json tensor_json(const OverflowTensor& tensor) {
  Json entry{{"tensor", tensor.line.label}, {"dtype", tensor.line.type}, {"shape", dims_json(tensor.line.shape)}};
  for (const auto& [name, value] : tensor.line.statistics) entry[name] = number_json(value);
  if (tensor.first_index.empty()) return entry;
  entry["first_index"] = dims_json(tensor.first_index);
  entry["first_value"] = tensor.first_value;
  return entry;
}

Json element_json(const inspect::Element& element) {
  return {{"tensor", element.tensor}, {"index", dims_json(element.index)}, {"value", element.value}};
}

Json value_json(const std::string& op_type, const std::string& name, const inspect::Magnitude& value) {
  Json entry{{"op_type", op_type},
             {"op_name", name},
             {"tensor", value.label},
             {"dtype", value.type},
             {"max_abs", real_json(value.most)}};
  if (const auto binades = inspect::headroom(value.type, value.most)) entry["headroom"] = *binades;
  return entry;
}

Json overflow_json(const Overflow& overflow, const std::vector<ChainLink>& chain) {
  Json entry{{"file", overflow.found_by.path.string()},
             {"model_id", overflow.model_id},
             {"stream_id", overflow.stream},
             {"task_id", overflow.task},
             {"status", overflow.status}};
  if (overflow.op) {
    entry["op_type"] = overflow.op->op_type;
    entry["op_name"] = op_name(overflow);
    entry["op_file"] = overflow.op->path.string();
  }
  entry["tensors"] = Json::array();
  for (const OverflowTensor& tensor : overflow.tensors) entry["tensors"].push_back(tensor_json(tensor));
  if (overflow.cause) {
    Json operands = Json::array();
    for (const auto& operand : overflow.cause->operands) operands.push_back(element_json(operand));
    entry["cause"] = {{"result", element_json(overflow.cause->result)},
                      {"operands", std::move(operands)},
                      {"why", overflow.cause->why}};
  }
  entry["chain"] = Json::array();
  for (const ChainLink& link : chain) entry["chain"].push_back(value_json(link.op_type, link.op_name, link.value));
  return entry;
}

void print_json(const OverflowReport& report) {
  Json overflows = Json::array(), headroom = Json::array();
  for (const auto& [overflow, chain] : report.overflows) overflows.push_back(overflow_json(overflow, chain));
  for (const auto& each : report.headroom) headroom.push_back(value_json(each.op_type, each.op_name, each.value));
  const Json whole{{"overflows", std::move(overflows)}, {"headroom", std::move(headroom)}};
  std::printf("%s\n", json_text(whole, 1).c_str());
}

int show_overflows(const OverflowOptions& options) {
  auto found = inspect::find_dumps(options.dumps);
  if (!found.ok()) {
    complain("belay overflow: %s\n", found.status().message.c_str());
    return kBadInput;
  }
  OverflowReport report = inspect::report_overflows((*found).files);
  report.problems.insert(report.problems.begin(), (*found).problems.begin(), (*found).problems.end());
  for (const std::string& problem : report.problems) complain("belay overflow: %s\n", problem.c_str());
  const bool any = !report.overflows.empty();
  if (report.overflows.size() > options.most) report.overflows.resize(options.most);
  if (!options.html.empty())
    write_dump_page(
        options.dumps, [](const auto&) { return true; }, &report, options.html);
  else
    options.json ? print_json(report) : print_text(report, options.all);
  return !report.problems.empty() ? kBadInput : any ? kDiffer : kAgree;
}

}  // namespace

void add_overflow(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "overflow", "Name the operators that overflowed, in order of occurrence, why, and how near the others are");
  auto options = std::make_shared<OverflowOptions>();
  command->add_option("dump", options->dumps, "Directories with dumps beneath them")->type_name("DIR")->required();
  command->add_option("-n", options->most, "Show at most this many overflows (default: all)")
      ->type_name("N")
      ->check(whole_number(0, 1000000000));
  command->add_flag("--all", options->all, "Show the headroom of every operator (default: of the ten with the least)");
  auto* json = command->add_flag("--json", options->json, "Print JSON (default: text)");
  command->add_option("--html", options->html, "Write a page to look at instead (default: text)")
      ->type_name("FILE")
      ->excludes(json);
  command->callback([options, &exit_code] { exit_code = show_overflows(*options); });
}

}  // namespace belay::tools
