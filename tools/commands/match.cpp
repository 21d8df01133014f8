// SPDX-License-Identifier: Apache-2.0
// belay match: which tensors of two sides belong together, and why the others do not.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/say.h"
#include "commands/table.h"
#include "compare/matching.h"

namespace belay::tools {
namespace {

using compare::Matching;
using compare::Side;
using compare::SideTensor;
using compare::Unmatched;
using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

struct MatchArguments {
  std::filesystem::path ours, truth;
  compare::MatchOptions options;
  bool json = false;
};

std::string label(const SideTensor& tensor) {
  return (tensor.input ? "input " : "output ") + std::to_string(tensor.index);
}

Json tensor_json(const SideTensor& tensor) {
  Json json{{"op", tensor.op}, {"op_type", tensor.op_type}, {"tensor", label(tensor)}};
  if (!tensor.origin.empty()) json["origin"] = tensor.origin + ":" + std::to_string(tensor.origin_index);
  if (!tensor.place.empty()) json["place"] = tensor.place.string();
  json["file"] = tensor.file.string();
  return json;
}

Json lonely_json(const Side& side, const std::vector<Unmatched>& lonely) {
  Json list = Json::array();
  for (const Unmatched& one : lonely) {
    Json entry = tensor_json(side.tensors[one.tensor]);
    entry["reason"] = one.reason;
    if (!one.nearest.empty()) entry["nearest"] = one.nearest;
    list.push_back(std::move(entry));
  }
  return list;
}

void print_json(const Side& ours, const Side& truth, const Matching& matching) {
  Json pairs = Json::array(), problems = Json::array();
  for (const compare::Pair& pair : matching.pairs)
    pairs.push_back({{"ours", tensor_json(ours.tensors[pair.ours])},
                     {"truth", tensor_json(truth.tensors[pair.truth])},
                     {"by", name_of(pair.by)}});
  for (const Side* side : {&ours, &truth})
    for (const std::string& problem : side->problems) problems.push_back(problem);
  const Json report{{"ours", ours.name},
                    {"truth", truth.name},
                    {"pairs", std::move(pairs)},
                    {"only_ours", lonely_json(ours, matching.ours)},
                    {"only_truth", lonely_json(truth, matching.truth)},
                    {"problems", std::move(problems)}};
  std::printf("%s\n", json_text(report, 1).c_str());
}

void print_lonely(const Side& side, const std::vector<Unmatched>& lonely) {
  if (lonely.empty()) return;
  say("\nonly in %s\n", side.name.c_str());
  Rows rows{{"op", "tensor", "nearest", "why"}};
  for (const Unmatched& one : lonely)
    rows.push_back({side.tensors[one.tensor].op, label(side.tensors[one.tensor]), one.nearest, one.reason});
  print_table(rows, 2);
}

void print_text(const Side& ours, const Side& truth, const Matching& matching) {
  std::map<std::string, size_t> counts;
  Rows rows{{ours.name, "", truth.name, "", "by"}};
  for (const auto& [mine, theirs, by] : matching.pairs) {
    const SideTensor &a = ours.tensors[mine], &b = truth.tensors[theirs];
    rows.push_back({a.op, label(a), b.op, label(b), name_of(by)});
    ++counts[name_of(by)];
  }
  if (!matching.pairs.empty()) print_table(rows);
  print_lonely(ours, matching.ours);
  print_lonely(truth, matching.truth);
  say("\n%zu pairs", matching.pairs.size());
  const char* before = ": ";
  for (const auto& [by, count] : counts) say("%s%zu by %s", std::exchange(before, ", "), count, by.c_str());
  say("; %zu only in %s, %zu only in %s\n", matching.ours.size(), ours.name.c_str(), matching.truth.size(),
      truth.name.c_str());
  if (const size_t unread = ours.problems.size() + truth.problems.size(); unread > 0)
    say("%zu could not be read\n", unread);
}

int refuse(const Status& problem) {
  complain("belay match: %s\n", problem.message.c_str());
  return kBadInput;
}

int match(const MatchArguments& arguments) {
  const auto ours = compare::open_side(arguments.ours);
  if (!ours.ok()) return refuse(ours.status());
  const auto truth = compare::open_side(arguments.truth);
  if (!truth.ok()) return refuse(truth.status());
  const auto matching = compare::match(*ours, *truth, arguments.options);
  if (!matching.ok()) return refuse(matching.status());
  (arguments.json ? print_json : print_text)(*ours, *truth, *matching);
  bool broken = false;
  for (const Side* side : {&*ours, &*truth})
    for (const std::string& problem : side->problems) {
      broken = true;
      complain("belay match: %s\n", problem.c_str());
    }
  return broken ? kBadInput : (*matching).ours.empty() ? kAgree : kDiffer;
}

}  // namespace

void add_match(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("match", "Show which tensors of two dumps belong together, and why others do not");
  auto arguments = std::make_shared<MatchArguments>();
  const char* side = "dump tree, dump file, or folder or file of .npy, .npz, .safetensors";
  command->add_option("ours", arguments->ours, std::string("What is judged: a ") + side)->type_name("A")->required();
  command->add_option("truth", arguments->truth, std::string("What it is held against: a ") + side)
      ->type_name("B")
      ->required();
  command
      ->add_option("-f,--fusion", arguments->options.ours_fusion,
                   "The JSON that atc --mode=1 writes of A's model (default: what A's headers tell)")
      ->type_name("JSON");
  command
      ->add_option("--cf,--truth-fusion", arguments->options.truth_fusion,
                   "The same of B's model, also written -cf (default: what B's headers tell)")
      ->type_name("JSON");
  command->add_flag("--inputs", arguments->options.inputs, "Pair the operators' inputs too (default: outputs alone)");
  command->add_flag("--json", arguments->json, "Print JSON (default: a table)");
  command->callback([arguments, &exit_code] { exit_code = match(*arguments); });
}

}  // namespace belay::tools
