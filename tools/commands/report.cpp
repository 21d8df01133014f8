// SPDX-License-Identifier: Apache-2.0
// belay report: a dump, a comparison or a blame as one page to look at.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <set>

#include "base/faults.h"
#include "base/text.h"
#include "blame/executions.h"
#include "commands/arguments.h"
#include "commands/blame_inputs.h"
#include "commands/commands.h"
#include "commands/compare_side.h"
#include "commands/dump_page.h"
#include "commands/progress.h"
#include "commands/say.h"
#include "compare/rules.h"
#include "report/page.h"
#include "report/times.h"

namespace belay::tools {
namespace {

struct ReportOptions {
  std::filesystem::path ours, truth, model, out, rules, trace;
  compare::MatchOptions match;
  std::vector<std::string> inputs;
  std::optional<int64_t> step;
  bool no_blame = false;
};

std::vector<size_t> of_pairs(const compare::Matching& matching, size_t compare::Pair::*side) {
  std::vector<size_t> tensors;
  for (const compare::Pair& pair : matching.pairs) tensors.push_back(pair.*side);
  return tensors;
}

// The sides of a page, and what is found out about them; each is there only when it was asked for.
class Looked {
 public:
  explicit Looked(const ReportOptions& options) : options_(options) {
    if (is_model(options.ours)) throw UsageError("A is what a run left; belay run makes a dump of a model");
    if (!options.rules.empty() && options.truth.empty()) throw UsageError("--rules are for a comparison: give B");
    ours_ = open_ours();
    check_step();
    if (!options.truth.empty()) compare_with_truth();
    if (!options.model.empty()) model_ = or_throw(blame::read_model_of(ours_, options.model));
    if (model_ && !options.no_blame && !ours_.tensors.empty()) examine();
    find_overflows();
  }

  report::Question question() const {
    report::Question question{.ours = &ours_, .model = model_.get()};
    if (comparison_) question.comparison = &*comparison_;
    if (blame_) question.blame = &*blame_;
    if (model_ && !blame_ && !options_.no_blame) question.not_judged = "A holds statistics, and only tensors can be";
    if (overflow_) question.overflow = &*overflow_;
    question.statistics = statistics_;
    if (!options_.trace.empty()) question.times = or_throw(report::read_times(options_.trace));
    question.step = options_.step;
    question.dump = options_.ours;
    question.model_path = options_.model;
    return question;
  }

  bool differs() const {
    return (blame_ && blame_->anyone_guilty()) || (comparison_ && comparison_->count(compare::Verdict::Differ) > 0) ||
           (overflow_ && !overflow_->overflows.empty());
  }
  std::vector<std::string> problems() const { return comparison_ ? comparison_->problems() : ours_.problems; }

 private:
  compare::Side open_ours() {
    const auto found = inspect::find_dumps({options_.ours});
    if (found.ok())
      for (const inspect::FoundDump& each : (*found).files)
        if (each.statistics) statistics_.push_back(each);
    auto side = compare::open_side(options_.ours);
    if (!side.ok() && !statistics_.empty()) return {.name = options_.ours.string()};
    return or_throw(std::move(side));
  }

  // --step names an execution that there is.
  void check_step() const {
    if (!options_.step) return;
    std::set<int64_t> known;
    for (const blame::Execution& execution : blame::executions_of(ours_)) known.insert(execution.step);
    known.erase(-1);
    if (known.contains(*options_.step)) return;
    throw UsageError(formatted("--step {}: A holds ", *options_.step) +
                     (known.empty() ? "no tensors of a numbered execution"
                                    : formatted("tensors of {} executions, {} to {}, and not of this one", known.size(),
                                                *known.begin(), *known.rbegin())));
  }

  void compare_with_truth() {
    compare::Rules rules;
    if (!options_.rules.empty()) rules.rules = or_throw(compare::read_rules(options_.rules));
    truth_ = std::make_unique<ComparedSide>(options_.truth, ModelInputs{options_.inputs, {}});
    const compare::Matching matching = or_throw(compare::match(ours_, truth_->side(), options_.match));
    truth_->compute(of_pairs(matching, &compare::Pair::truth));
    Progress progress("comparing", matching.pairs.size());
    comparison_ = compare::compare_sides(ours_, truth_->side(), matching, rules, [&] { progress.advance(); });
  }

  void examine() {
    blame::Question question{.side = &ours_, .truth = truth_ ? &truth_->side() : nullptr, .model = model_};
    question.given = blame_inputs(options_.inputs, *model_);
    question.step = options_.step;
    std::optional<Progress> progress;
    question.plans = [&](size_t total) { progress.emplace("examining", total); };
    question.advances = [&] { progress->advance(); };
    blame_ = or_throw(blame::examine(question));
  }

  void find_overflows() {
    const auto found = inspect::find_dumps({options_.ours});
    if (found.ok() && !(*found).files.empty()) overflow_ = inspect::report_overflows((*found).files);
  }

  const ReportOptions& options_;
  compare::Side ours_;
  std::unique_ptr<ComparedSide> truth_;
  std::optional<compare::Comparison> comparison_;
  std::shared_ptr<const graph::Model> model_;
  std::optional<blame::Report> blame_;
  std::optional<inspect::OverflowReport> overflow_;
  std::vector<inspect::FoundDump> statistics_;
};

int make_report(const ReportOptions& options) {
  if (!report::has_page()) or_throw(report::live_page());  // before hours of work
  keep_disk_faults();  // the others of BELAY_FAULT are for what was run, not for what runs now
  const Looked looked(options);
  write_page(looked.question(), options.out);
  const std::vector<std::string> problems = looked.problems();
  for (const std::string& problem : problems) complain("belay report: %s\n", problem);
  return !problems.empty() ? kBadInput : looked.differs() ? kDiffer : kAgree;
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("report", "Make a page to look at: one HTML file of a dump, a comparison or a blame");
  auto options = std::make_shared<ReportOptions>();
  command
      ->add_option("ours", options->ours,
                   "What is judged: a dump tree, dump file, or folder or file of .npy, .npz, .safetensors")
      ->type_name("A")
      ->required();
  command
      ->add_option("truth", options->truth,
                   "What it is held against: as A, or an .onnx or .om that computes it (default: none)")
      ->type_name("B");
  command->add_option("-o,--out", options->out, "The page to write (default: none, it must be given)")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("-m,--model", options->model,
                   "The .om or .onnx file that A came from: its graph is drawn, and the guilty operator is named "
                   "(default: none)")
      ->type_name("FILE");
  command->add_flag("--no-blame", options->no_blame,
                    "Only draw the graph of --model (default: examine every operator)");
  command
      ->add_option("-i,--input", options->inputs,
                   "An input of the model that is not in the dump: FILE in order, or NAME=FILE (default: none)")
      ->type_name("FILE");
  command
      ->add_option("--step", options->step,
                   "The execution to show in detail (default: the first with a guilty operator or a difference)")
      ->type_name("N");
  command
      ->add_option("--trace", options->trace,
                   "What belay run --trace wrote of the same model: shows the time of operators (default: none)")
      ->type_name("FILE");
  command
      ->add_option("--rules", options->rules, "Limits by operator and type, as belay compare has them (default: none)")
      ->type_name("FILE");
  command
      ->add_option("-f,--fusion", options->match.ours_fusion,
                   "The JSON that atc --mode=1 writes of A's model (default: what A's headers tell)")
      ->type_name("JSON");
  command
      ->add_option("--cf,--truth-fusion", options->match.truth_fusion,
                   "The same of B's model, also written -cf (default: what B's headers tell)")
      ->type_name("JSON");
  command->callback([options, &exit_code] { exit_code = make_report(*options); });
}

}  // namespace belay::tools
