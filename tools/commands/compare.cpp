// SPDX-License-Identifier: Apache-2.0
// belay compare: how far the tensors of two sides differ.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>

#include "base/endings/trap.h"
#include "base/files/atomic_file.h"
#include "base/text.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/compare_side.h"
#include "commands/progress.h"
#include "commands/say.h"
#include "commands/table.h"
#include "compare/matching.h"
#include "compare/ranks.h"
#include "compare/report/csv.h"
#include "compare/report/json.h"
#include "compare/rows.h"
#include "inspect/tensor.h"

namespace belay::tools {
namespace {

using compare::Comparison;
using compare::Row;
using compare::Side;
using compare::SideTensor;
using compare::Unmatched;
using compare::Verdict;

constexpr size_t kShown = 10;
constexpr const char* kPrinted = "true";  // what the parser makes of --json without a file

struct CompareArguments {
  std::filesystem::path ours, truth, csv, rules;
  std::string json;  // "": none; kPrinted or a file
  compare::MatchOptions match;
  compare::Limits limits;
  ModelInputs inputs;
  bool ranks = false;
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string label(const SideTensor& tensor) {
  return (tensor.input ? "input " : "output ") + std::to_string(tensor.index);
}

std::string types(const Row& row) {
  const std::string ours = compare::type_text(row.ours_type), truth = compare::type_text(row.truth_type);
  return ours == truth ? ours : ours + "/" + truth;
}

std::string worst_element(const Row& row) {
  const compare::Place& worst = row.measures.worst;
  if (worst.at < 0) return "";
  return inspect::index_text(row.shape, worst.at) + " is " + compare::element_text(worst.ours, row.ours_type, "%.6g") +
         ", should be " + compare::element_text(worst.truth, row.truth_type, "%.6g");
}

std::vector<std::string> line(const Row& row) {
  std::vector<std::string> cells{name_of(row.verdict), row.ours->op_type, row.ours->op, label(*row.ours)};
  if (!row.measured) {
    const bool known = row.ours_type != graph::DataType::Undefined;
    cells.insert(cells.end(), {known ? types(row) : "", known ? graph::to_text(row.shape) : "", "", "", "", ""});
    cells.push_back(row.reason);
    return cells;
  }
  const compare::Measures& m = row.measures;
  cells.insert(cells.end(), {types(row), graph::to_text(row.shape), number(m.finite_cosine), number(m.finite_euclidean),
                             number(m.least_atol), number(m.max_ulp), worst_element(row)});
  return cells;
}

// Those that differ; when there are none, those that agree but are not equal.
void print_worst(const Comparison& made) {
  std::vector<std::vector<std::string>> rows{{"verdict", "type", "op", "tensor", "dtype", "shape", "cosine",
                                              "rel. Euclid", "max |x-y|", "max ulp", "worst element"}};
  const size_t differ = made.count(Verdict::Differ) + made.count(Verdict::Unread);
  size_t more = 0;
  for (const Row* row : made.worst_first()) {
    const bool bad = row->verdict == Verdict::Differ || row->verdict == Verdict::Unread;
    const bool inexact = row->verdict == Verdict::Agree && row->measures.different > 0;
    if (!bad && !(differ == 0 && inexact)) continue;
    if (rows.size() <= kShown)
      rows.push_back(line(*row));
    else
      ++more;
  }
  if (rows.size() > 1) print_table(rows, 2);
  if (more > 0) say("  and %zu more; --csv FILE and --json=FILE have all\n", more);
}

void print_lonely(const Side& side, const std::vector<Unmatched>& lonely) {
  if (lonely.empty()) return;
  say("only in %s: %zu\n", side.name.c_str(), lonely.size());
  std::vector<std::vector<std::string>> rows;
  for (const Unmatched& one : lonely) {
    if (rows.size() == kShown) break;
    const SideTensor& tensor = side.tensors[one.tensor];
    rows.push_back({tensor.op, label(tensor), one.reason + (one.nearest.empty() ? "" : "; nearest: " + one.nearest)});
  }
  print_table(rows, 2);
  if (lonely.size() > kShown) say("  and %zu more; belay match lists all\n", lonely.size() - kShown);
}

std::string name_of_first(const Comparison& made) {
  for (const Row& row : made.rows)
    if (row.verdict == Verdict::Differ) return row.ours->op + " " + label(*row.ours) + ": " + row.reason;
  return "";
}

size_t equal_ones(const Comparison& made) {
  size_t equal = 0;
  for (const Row& row : made.rows) equal += row.measured && row.measures.different == 0;
  return equal;
}

// What the verdict does not stand for.
std::string but_not(const Comparison& made) {
  const size_t unread = made.problems().size();
  return (unread == 0 ? "" : formatted("; {} could not be read", unread)) + made.unpaired();
}

void print_verdict(const Comparison& made) {
  const std::string but = but_not(made);
  const size_t differ = made.count(Verdict::Differ), agree = made.count(Verdict::Agree);
  const size_t compared = differ + agree, equal = equal_ones(made);
  const bool whole = made.unpaired().empty();
  const char *ours = made.ours->name.c_str(), *truth = made.truth->name.c_str();
  if (compared == 0)
    say("nothing of %s could be compared with %s%s\n", ours, truth, but);
  else if (differ > 0)
    say("%s and %s differ in %zu of %zu tensors, first in %s%s\n", ours, truth, differ, compared, name_of_first(made),
        but);
  else if (equal == compared)
    say("%s and %s agree%s: all %zu tensors are equal%s\n", ours, truth, whole ? "" : " in what both have", compared,
        but);
  else
    say("%s and %s agree in all %zu tensors%s; %zu are equal%s\n", ours, truth, compared,
        whole ? "" : " that both have", equal, but);
  if (const size_t ignored = made.count(Verdict::Ignored)) say("%zu ignored, as the rules say\n", ignored);
}

int refuse(const Status& problem) {
  complain("belay compare: %s\n", problem.message.c_str());
  return kBadInput;
}

// False: something could not be written; that has been said.
bool write_reports(const CompareArguments& arguments, const Comparison& made) {
  Status written;
  if (!arguments.csv.empty()) written = write_file(arguments.csv, compare::csv_report(made, {}));
  if (written.ok() && !arguments.json.empty() && arguments.json != kPrinted)
    written = write_file(arguments.json, compare::json_report(made) + "\n");
  if (!written.ok()) refuse(written);
  return written.ok();
}

int report(const CompareArguments& arguments, const Comparison& made) {
  if (arguments.json == kPrinted) {
    std::printf("%s\n", compare::json_report(made).c_str());
  } else {
    print_verdict(made);
    print_worst(made);
    print_lonely(*made.ours, made.only_ours);
    print_lonely(*made.truth, made.only_truth);
  }
  const std::vector<std::string> problems = made.problems();
  for (const std::string& problem : problems) complain("belay compare: %s\n", problem.c_str());
  if (!write_reports(arguments, made)) return kBadInput;
  const bool compared = made.count(Verdict::Agree) + made.count(Verdict::Differ) + made.count(Verdict::Ignored) > 0;
  if (!problems.empty() || !compared) return kBadInput;
  return made.count(Verdict::Differ) > 0 ? kDiffer : kAgree;
}

void check_inputs(const CompareArguments& arguments) {
  std::vector<std::string> read = arguments.inputs.files;
  for (const auto& file :
       {arguments.ours, arguments.truth, arguments.rules, arguments.match.ours_fusion, arguments.match.truth_fusion})
    read.push_back(file.string());
  check_report("--csv", arguments.csv, read);
  if (arguments.json != kPrinted) check_report("--json", arguments.json, read);
  const int models = is_model(arguments.ours) + is_model(arguments.truth);
  if (models == 0 && !(arguments.inputs.files.empty() && arguments.inputs.shapes.empty()))
    throw UsageError("--input and --shape are for a side that is a model, an .onnx or .om file");
  if (models == 1 && arguments.inputs.files.empty())
    throw UsageError(
        "a model is compared with what it should be: --input must give the inputs that made the other side");
}

std::vector<size_t> of_pairs(const compare::Matching& matching, size_t compare::Pair::*side) {
  std::vector<size_t> tensors;
  for (const compare::Pair& pair : matching.pairs) tensors.push_back(pair.*side);
  return tensors;
}

Comparison compared(const Side& ours, const Side& truth, const compare::Matching& matching,
                    const compare::Rules& rules) {
  Progress progress("comparing", matching.pairs.size());
  return compare::compare_sides(ours, truth, matching, rules, [&] { progress.advance(); });
}

// "out.csv" as "out.rank1.csv".
std::filesystem::path of_rank(const std::filesystem::path& file, size_t rank) {
  if (file.empty() || file == kPrinted) return file;
  return std::filesystem::path(file).replace_extension(formatted("rank{}{}", rank, file.extension().string()));
}

struct OpenedRanks {
  std::vector<compare::RankSide> ranks;
  bool whole;  // all files could be read
};

Result<OpenedRanks> open_ranks(const std::filesystem::path& path) {
  const Side side = TRY(compare::open_side(path));
  std::vector<std::string> said = side.problems;
  auto ranks = compare::ranks_of(side, said);
  for (const std::string& line : said) complain("belay compare: %s\n", line);
  return OpenedRanks{std::move(ranks), side.problems.empty()};
}

// Rank by rank; the worst of their exit codes.
int compare_ranks(const CompareArguments& arguments, const compare::Rules& rules) {
  if (is_model(arguments.ours) || is_model(arguments.truth))
    throw UsageError("--ranks is for dumps; compare a model with the dump of one rank");
  const auto opened = open_ranks(arguments.ours), other = open_ranks(arguments.truth);
  if (!opened.ok()) return refuse(opened.status());
  if (!other.ok()) return refuse(other.status());
  const auto &ours = (*opened).ranks, &truth = (*other).ranks;
  if (ours.size() != truth.size())
    return refuse({ACL_ERROR_PARSE_FILE, formatted("{} has {} ranks and {} has {}", arguments.ours.string(),
                                                   ours.size(), arguments.truth.string(), truth.size())});
  int worst = (*opened).whole && (*other).whole ? kAgree : kBadInput;
  for (size_t rank = 0; rank < ours.size(); ++rank) {
    CompareArguments own = arguments;
    own.csv = of_rank(arguments.csv, rank);
    own.json = of_rank(arguments.json, rank).string();
    const Side &a = ours[rank].side, &b = truth[rank].side;
    const auto matching = compare::match(a, b, arguments.match);
    if (!matching.ok()) return refuse(matching.status());
    if (own.json == kPrinted)
      say(rank ? ",\n" : "[\n");
    else
      say(rank ? "\nrank %zu\n" : "rank %zu\n", rank);
    worst = std::max(worst, report(own, compared(a, b, *matching, rules)));
  }
  if (arguments.json == kPrinted) say("]\n");
  return worst;
}

int compare_command(const CompareArguments& arguments) {
  compare::Rules rules{.otherwise = arguments.limits};
  if (!arguments.rules.empty()) {
    auto read = compare::read_rules(arguments.rules);
    if (!read.ok()) return refuse(read.status());
    rules.rules = std::move(read).value();
  }
  check_inputs(arguments);
  enable_traps();  // of files that are cut short while they are read
  if (arguments.ranks) return compare_ranks(arguments, rules);
  ComparedSide ours(arguments.ours, arguments.inputs), truth(arguments.truth, arguments.inputs);
  const auto matching = compare::match(ours.side(), truth.side(), arguments.match);
  if (!matching.ok()) return refuse(matching.status());
  ours.compute(of_pairs(*matching, &compare::Pair::ours));
  truth.compute(of_pairs(*matching, &compare::Pair::truth));
  return report(arguments, compared(ours.side(), truth.side(), *matching, rules));
}

void add_limits(CLI::App& command, compare::Limits& limits) {
  command
      .add_option("--rtol", limits.rtol,
                  "Elements may differ by this part of B's (default: by the type; docs/tools.md)")
      ->type_name("R")
      ->check(tolerance());
  command.add_option("--atol", limits.atol, "Elements may differ by this (default: 0 with --rtol, else by the type)")
      ->type_name("A")
      ->check(tolerance());
  command.add_option("--cosine", limits.cosine, "The cosine must be at least this (default: not looked at)")
      ->type_name("C")
      ->check(cosine());
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("compare", "Say whether two dumps agree, and measure how far every tensor differs");
  auto arguments = std::make_shared<CompareArguments>();
  const char* side =
      "dump tree, dump file, folder or file of .npy, .npz, .safetensors, or .onnx or .om that computes it";
  command->add_option("ours", arguments->ours, std::string("What is judged: a ") + side)->type_name("A")->required();
  command->add_option("truth", arguments->truth, std::string("What it is held against: a ") + side)
      ->type_name("B")
      ->required();
  command
      ->add_option("-f,--fusion", arguments->match.ours_fusion,
                   "The JSON that atc --mode=1 writes of A's model (default: what A's headers tell)")
      ->type_name("JSON");
  command
      ->add_option("--cf,--truth-fusion", arguments->match.truth_fusion,
                   "The same of B's model, also written -cf (default: what B's headers tell)")
      ->type_name("JSON");
  command->add_flag("--inputs", arguments->match.inputs, "Compare the operators' inputs too (default: outputs alone)");
  command
      ->add_option(
          "--input", arguments->inputs.files,
          "For a side that is a model: a .npy file, or one of raw bytes, for each input in order; or NAME=FILE "
          "(default: random numbers, the same for both sides)")
      ->type_name("FILE");
  command
      ->add_option("--shape", arguments->inputs.shapes,
                   "The shape of an input with dynamic dimensions, such as x:1,3,224,224 (default: that of its file)")
      ->type_name("NAME:DIMS");
  command->add_flag("--ranks", arguments->ranks,
                    "Compare rank by rank: each device's folder is one (default: the sides as a whole)");
  add_limits(*command, arguments->limits);
  command->add_option("--rules", arguments->rules, "Limits by operator and type, as JSON (default: none)")
      ->type_name("FILE");
  command->add_option("--csv", arguments->csv, "Write every row as CSV, the vendor's columns first (default: none)")
      ->type_name("FILE");
  command->add_flag("--json", arguments->json,
                    "Print everything as JSON, or write it with --json=FILE (default: text)");
  command->callback([arguments, &exit_code] { exit_code = compare_command(*arguments); });
}

}  // namespace belay::tools
