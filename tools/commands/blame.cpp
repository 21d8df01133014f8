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
#include "commands/blame_report.h"
#include "commands/commands.h"
#include "commands/compare_side.h"
#include "commands/progress.h"
#include "commands/say.h"

namespace belay::tools {
namespace {

struct BlameOptions {
  std::filesystem::path dump, other, model, csv;
  std::vector<std::string> inputs;
  std::optional<int64_t> step;
  bool json = false, all = false;
};

int blame_dump(const BlameOptions& options) {
  set_faults({});  // those of BELAY_FAULT are for what was run, not for what runs now
  if (is_model(options.dump))
    throw UsageError("DUMP is what a run left behind, not a model: belay blame DUMP --model " + options.dump.string());
  if (is_model(options.other))
    throw UsageError("OTHER is what is right, a dump or a folder of .npy files; belay compare takes a model as a side");
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
  return report.anyone_guilty() ? kDiffer : !problems.empty() ? kBadInput : kAgree;
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
  command->add_option("other", options->other, "What is right: another dump, or a folder of .npy files (default: none)")
      ->type_name("OTHER");
  command
      ->add_option("-m,--model", options->model,
                   "The .om or .onnx file that the dump came from (default: none, it must be given)")
      ->type_name("FILE")
      ->required();
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
  command->callback([options, &exit_code] { exit_code = blame_dump(*options); });
}

}  // namespace belay::tools
