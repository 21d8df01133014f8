// SPDX-License-Identifier: Apache-2.0
// belay blame: the operator that is guilty, from what a dump says each of them read and made.
#include "blame/blame.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>

#include "base/faults.h"
#include "base/files/atomic_file.h"
#include "commands/arguments.h"
#include "commands/blame_inputs.h"
#include "commands/blame_ranks.h"
#include "commands/blame_report.h"
#include "commands/commands.h"
#include "commands/compare_side.h"
#include "commands/progress.h"
#include "commands/say.h"

namespace belay::tools {
namespace {

struct BlameOptions {
  std::filesystem::path dump, other, model, csv;
  std::vector<std::filesystem::path> others, models;  // as given; for one rank at most one of each
  std::vector<std::string> inputs;
  std::optional<int64_t> step;
  bool json = false, all = false, ranks = false;
};

int blame_dump(const BlameOptions& options) {
  keep_disk_faults();  // the others of BELAY_FAULT are for what was run, not for what runs now
  if (is_model(options.dump))
    throw UsageError("DUMP is what a run left behind, not a model: belay blame DUMP --model " + options.dump.string());
  if (is_model(options.other))
    throw UsageError("OTHER is what is right, a dump or a folder of .npy files; belay compare takes a model as a side");
  std::vector<std::string> read = options.inputs;
  for (const auto& file : {options.dump, options.other, options.model}) read.push_back(file.string());
  check_report("--csv", options.csv, read);
  const compare::Side side = open_dump_with_tensors(options.dump);
  std::optional<compare::Side> truth;
  if (!options.other.empty()) truth = or_throw(compare::open_side(options.other));
  std::vector<std::string> problems = side.problems;
  if (truth) problems.insert(problems.end(), truth->problems.begin(), truth->problems.end());
  for (const std::string& problem : problems) complain("belay blame: %s\n", problem);

  blame::Question question{.side = &side, .truth = truth ? &*truth : nullptr};
  question.model = or_throw(blame::read_model_of(side, options.model));
  question.given = blame_inputs(options.inputs, *question.model);
  question.step = options.step;
  std::optional<Progress> progress;
  question.plans = [&](size_t total) { progress.emplace("examining", total); };
  question.advances = [&] { progress->advance(); };
  const blame::Report report = or_throw(blame::examine(question));
  progress.reset();

  const BlameView view{options.dump, options.model, options.all, truth.has_value(), problems.size()};
  if (options.json)
    std::printf("%s\n", blame_json(report, view, problems).c_str());
  else
    print_blame(report, view);
  if (!options.csv.empty())
    if (const Status written = write_file(options.csv, blame_csv(report)); !written.ok())
      throw std::runtime_error(written.message);
  if (report.anyone_guilty()) return kDiffer;
  const bool checked = report.count(blame::Verdict::NotCheckable) < report.operators.size();
  if (!checked)
    complain("belay blame: no operator of the dump could be checked: is %s the model that it came from?\n",
             options.model.string());
  return checked && problems.empty() ? kAgree : kBadInput;
}

int blame_all_ranks(const BlameOptions& options) {
  if (!options.inputs.empty() || !options.csv.empty())
    throw UsageError("--input and --csv are for the dump of one rank, not for --ranks");
  BlameRanksOptions all{{options.dump}, options.models, options.step, options.json, options.all};
  all.dumps.insert(all.dumps.end(), options.others.begin(), options.others.end());
  return blame_ranks(all);
}

int blame_command(BlameOptions& options) {
  if (options.ranks) return blame_all_ranks(options);
  if (options.others.size() > 1)
    throw UsageError("there is one OTHER at most; --ranks takes the dumps of several ranks");
  if (options.models.size() > 1) throw UsageError("a dump came from one model; --ranks takes one for each rank");
  if (!options.others.empty()) options.other = options.others[0];
  options.model = options.models[0];
  return blame_dump(options);
}

}  // namespace

void add_blame(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("blame", "Name the operator that is guilty: compute each again from what it read");
  auto options = std::make_shared<BlameOptions>();
  command
      ->add_option("dump", options->dump,
                   "A dump, of ours or of an NPU: with inputs (\"dump_mode\":\"all\") or with outputs only")
      ->type_name("DUMP")
      ->required();
  command
      ->add_option(
          "other", options->others,
          "What is right: another dump, or a folder of .npy files; with --ranks, dumps of more ranks (default: "
          "none)")
      ->type_name("OTHER");
  command
      ->add_option("-m,--model", options->models,
                   "The .om or .onnx file that the dump came from; with --ranks one for each rank, in their order, or "
                   "one for all (default: none, it must be given)")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->required();
  command->add_flag("--ranks", options->ranks,
                    "Examine all ranks together: each device's folder in the dumps is one (default: one rank alone)");
  command
      ->add_option("-i,--input", options->inputs,
                   "An input of the model that is not in the dump: FILE in order, or NAME=FILE (default: "
                   "none)")
      ->type_name("FILE");
  command
      ->add_option("--step", options->step,
                   "Examine this execution (default: the first with a guilty operator, else the first)")
      ->type_name("N")
      ->check(whole_number(0, INT64_MAX));
  command->add_flag("--all", options->all,
                    "Print a line for every operator (default: only for those with something to tell)");
  command->add_option("--csv", options->csv, "Write a line for every output to this file (default: none)")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print JSON (default: text)");
  command->callback([options, &exit_code] { exit_code = blame_command(*options); });
}

}  // namespace belay::tools
