// SPDX-License-Identifier: Apache-2.0
// belay replay: one operator of a dump once more, by itself.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/json_text.h"
#include "base/package_version.h"
#include "base/text.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/replay_runner.h"
#include "commands/run_inputs.h"
#include "commands/say.h"
#include "commands/tensor_io.h"
#include "replay/capsule.h"
#include "replay/extract.h"
#include "replay/judge.h"
#include "replay/onnx_part.h"
#include "replay/shrink.h"

namespace belay::tools {
namespace {

using replay::Operator;

struct ReplayOptions {
  std::string dump, op, model, capsule;
  std::vector<std::string> inputs;
  bool shrink = false, json = false;
  double seconds = 60;
};

template <class T>
T value_or_throw(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().message);
  return std::move(result).value();
}

// What came out of one output, beside what was dumped and what should have come out.
struct OutputReport {
  graph::Constant replayed;
  std::optional<replay::Distance> dumped;
  std::optional<exact::Numbers> dumped_verdict, replayed_verdict;
};

struct Report {
  replay::Extracted taken;
  std::vector<exact::Output> expected;
  std::string not_recomputed;  // why; empty: it was
  std::vector<OutputReport> outputs;
};

Report replayed(const replay::Extracted& taken, ReplayRunner& runner) {
  Report report{.taken = taken};
  auto expected = replay::recompute(taken.op);
  if (expected.ok())
    report.expected = std::move(expected).value();
  else
    report.not_recomputed = expected.status().message;
  const auto outputs = value_or_throw(runner.run(taken.op));
  for (size_t i = 0; i < outputs.size(); ++i) {
    OutputReport made{.replayed = outputs[i]};
    const bool dumped = i < taken.op.dumped.size() && !taken.op.dumped[i].bytes.empty();
    if (dumped) made.dumped = value_or_throw(replay::distance(outputs[i], taken.op.dumped[i]));
    if (i < report.expected.size()) {
      if (dumped) made.dumped_verdict = value_or_throw(replay::judge(taken.op.dumped[i], report.expected[i]));
      made.replayed_verdict = value_or_throw(replay::judge(outputs[i], report.expected[i]));
    }
    report.outputs.push_back(std::move(made));
  }
  return report;
}

std::string shapes_text(const Operator& op) {
  std::string text;
  for (const replay::Input& input : op.inputs)
    if (input.present) text += (text.empty() ? "" : ", ") + graph::to_text(input.value.shape);
  return text;
}

void print_verdict(const char* what, const graph::Constant& tensor, const exact::Numbers& verdict) {
  say("    %s: %lld of %lld elements are farther from the recomputation in double than allowed", what,
      static_cast<long long>(verdict.wrong), static_cast<long long>(verdict.count));
  if (verdict.wrong > 0 || verdict.contributed > 0)
    say("; worst %s: %.9g for %.9g, allowed %.3g", replay::place_text(tensor, verdict.worst).c_str(), verdict.got,
        verdict.expected, verdict.allowed);
  say("\n");
}

void print(const Report& report) {
  const auto& [op, file, executions, from_producers, from_model] = report.taken;
  say("%s %s of %s\n", op.node.type.c_str(), op.node.name.c_str(), file.c_str());
  if (executions > 1) say("  the first of %zu executions; give their folder for another one\n", executions);
  say("  inputs %s", shapes_text(op).c_str());
  if (from_producers > 0) say("; %zu from the outputs of producers", from_producers);
  if (from_model > 0) say("; %zu from the model", from_model);
  say("\n");
  for (size_t i = 0; i < report.outputs.size(); ++i) {
    const OutputReport& output = report.outputs[i];
    say("  output %zu %s %s: ", i, std::string(graph::name_of(output.replayed.type)).c_str(),
        graph::to_text(output.replayed.shape).c_str());
    if (!output.dumped)
      say("not dumped\n");
    else if (output.dumped->unequal == 0)
      say("the same bits as dumped\n");
    else
      say("%lld of %lld elements have other bits than dumped; worst %s: %.9g, dumped %.9g\n",
          static_cast<long long>(output.dumped->unequal), static_cast<long long>(output.dumped->count),
          replay::place_text(output.replayed, output.dumped->worst).c_str(), output.dumped->a, output.dumped->b);
    if (output.dumped_verdict) print_verdict("dumped", output.replayed, *output.dumped_verdict);
    if (output.replayed_verdict) print_verdict("replayed", output.replayed, *output.replayed_verdict);
  }
  if (!report.not_recomputed.empty()) say("  not recomputed in double: %s\n", report.not_recomputed.c_str());
}

nlohmann::json as_json(const graph::Constant& tensor, const exact::Numbers& verdict) {
  nlohmann::json made{{"outside", verdict.wrong}};
  if (verdict.wrong > 0 || verdict.contributed > 0)
    made.update({{"worst", replay::place_text(tensor, verdict.worst)},
                 {"value", verdict.got},
                 {"expected", verdict.expected},
                 {"allowed", verdict.allowed}});
  return made;
}

nlohmann::json as_json(const Report& report) {
  nlohmann::json outputs = nlohmann::json::array();
  for (const OutputReport& output : report.outputs) {
    nlohmann::json made{{"type", graph::name_of(output.replayed.type)}, {"shape", output.replayed.shape}};
    if (output.dumped) {
      made["unequal"] = output.dumped->unequal;
      made["elements"] = output.dumped->count;
      if (output.dumped->worst >= 0)
        made.update({{"worst", replay::place_text(output.replayed, output.dumped->worst)},
                     {"replayed_value", output.dumped->a},
                     {"dumped_value", output.dumped->b}});
    }
    if (output.dumped_verdict) made["dumped"] = as_json(output.replayed, *output.dumped_verdict);
    if (output.replayed_verdict) made["replayed"] = as_json(output.replayed, *output.replayed_verdict);
    outputs.push_back(std::move(made));
  }
  nlohmann::json inputs = nlohmann::json::array();
  for (const replay::Input& input : report.taken.op.inputs)
    if (input.present)
      inputs.push_back(
          {{"type", graph::name_of(input.value.type)}, {"shape", input.value.shape}, {"constant", input.constant}});
  nlohmann::json made{{"operator", report.taken.op.node.name},
                      {"type", report.taken.op.node.type},
                      {"file", report.taken.file.string()},
                      {"inputs", inputs},
                      {"outputs", outputs}};
  if (!report.not_recomputed.empty()) made["not_recomputed"] = report.not_recomputed;
  return made;
}

// By what is allowed; where that is not known, by bits: another order of sums has other bits too.
bool differs(const Report& report) {
  return std::ranges::any_of(report.outputs, [](const OutputReport& output) {
    if (output.replayed_verdict && output.replayed_verdict->wrong > 0) return true;
    if (output.dumped_verdict) return output.dumped_verdict->wrong > 0;
    return output.dumped && !output.replayed_verdict && output.dumped->unequal > 0;
  });
}

std::string command_of(const ReplayOptions& options) {
  std::string text = "belay replay " + options.dump + " --op " + options.op;
  if (!options.model.empty()) text += " --model " + options.model;
  if (options.shrink) text += " --shrink";
  return text + " -o " + options.capsule;
}

std::string versions() {
  return formatted("belay {}\nAscendCL {}.{}.{}\n", BELAY_VERSION, ACL_MAJOR_VERSION, ACL_MINOR_VERSION,
                   ACL_PATCH_VERSION) +
         formatted("soc {}\n", aclrtGetSocName());
}

Result<std::string> onnx_of(const ReplayOptions& options, const graph::Model* model, const Operator& op, bool shrunk) {
  if (std::filesystem::path(options.model).extension() != ".onnx")
    return Status{ACL_ERROR_UNSUPPORTED_DATA_TYPE, "the model was not given as .onnx"};
  const bool weights = std::ranges::any_of(op.inputs, [](const replay::Input& input) { return input.constant; });
  if (shrunk && weights)
    return Status{ACL_ERROR_UNSUPPORTED_DATA_TYPE,
                  "the operator was shrunk, and its weights are not those of the ONNX file any more"};
  return replay::onnx_part(options.model, *model, op);
}

// The files of --input by the names of the model's inputs.
replay::ModelInputs read_inputs(const ReplayOptions& options, const graph::Model* model) {
  if (options.inputs.empty()) return {};
  if (!model) throw UsageError("--input needs --model");
  std::vector<std::string> names;
  for (const int node : model->main().input_nodes())
    names.push_back(model->main().nodes[static_cast<size_t>(node)].name);
  const GivenInputs given(options.inputs, {}, names);
  replay::ModelInputs made;
  for (const int index : model->main().input_nodes()) {
    const graph::Node& node = model->main().nodes[static_cast<size_t>(index)];
    const std::string file = given.file(node.name);
    if (file.empty()) continue;
    const graph::TensorDesc& desc = node.outputs.front();
    HostTensor tensor = read_tensor(file, {node.name, static_cast<aclDataType>(desc.type), desc.shape, {}});
    auto bytes = std::make_shared<const std::vector<std::byte>>(std::move(tensor.bytes));
    made[node.name] = {desc.type, tensor.shape, graph::Format::ND, *bytes, bytes};
  }
  return made;
}

int replay_one(const ReplayOptions& options) {
  const auto tree = value_or_throw(replay::DumpedTree::open(options.dump));
  for (const std::string& problem : tree.problems()) complain("belay replay: %s\n", problem);
  std::shared_ptr<const graph::Model> model;
  if (!options.model.empty()) model = value_or_throw(replay::open_model(options.model));
  auto taken = value_or_throw(replay::extract(tree, options.op, model.get(), read_inputs(options, model.get())));
  ReplayRunner runner;
  Report report = replayed(taken, runner);
  nlohmann::json json = as_json(report);
  if (!options.json) print(report);
  const bool different = differs(report);
  if (options.shrink) {
    const auto run = [&](const Operator& op) { return runner.run(op); };
    auto shrunk = value_or_throw(replay::shrink(taken.op, run, {.seconds = options.seconds}));
    taken.op = std::move(shrunk.op);
    report = replayed(taken, runner);
    json["shrunk"] = as_json(report);
    json["tries"] = shrunk.tries;
    json["finished"] = shrunk.finished;
    if (!options.json) {
      say("shrunk in %zu tries%s, where \"dumped\" is what it gives here now:\n", shrunk.tries,
          shrunk.finished ? "" : " (the time was over before nothing was left to try)");
      print(report);
    }
  }
  if (!options.capsule.empty()) {
    const auto onnx = onnx_of(options, model.get(), taken.op, options.shrink);
    const std::string origin = formatted(
        "{} `{}` of `{}`{}.", taken.op.node.type, taken.op.node.name, taken.file.string(),
        options.shrink ? ", shrunk while its output stays wrong: `dumped_*` is what the shrunk one gave" : "");
    const Status written = replay::write_capsule(options.capsule, taken.op, report.expected, onnx,
                                                 {origin, command_of(options), versions()});
    if (!written.ok()) throw std::runtime_error(written.message);
    json["capsule"] = options.capsule;
    if (!onnx.ok()) json["no_onnx"] = onnx.status().message;
    if (!options.json)
      say("capsule in %s%s\n", options.capsule.c_str(),
          onnx.ok() ? "" : (" without single.onnx: " + onnx.status().message).c_str());
  }
  if (options.json) std::printf("%s\n", json_text(json, 2).c_str());
  return different ? kDiffer : kAgree;
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("replay", "Run one operator of a dump once more, by itself");
  auto options = std::make_shared<ReplayOptions>();
  const auto add = [&](const char* name, auto& value, const char* type, const char* description) {
    return command->add_option(name, value, description)->type_name(type);
  };
  add("dump", options->dump, "DUMP", "A dump with its tensors: a folder, or the operator's file")->required();
  add("--op", options->op, "NAME",
      "The operator: its name, or that of a source operator that became part of it (default: none)")
      ->required();
  add("--model", options->model, "MODEL",
      "The .om or .onnx that was dumped: attributes and weights (default: those that the type has by itself)");
  add("--input", options->inputs, "FILE",
      "The model's inputs, .npy or raw bytes, in order or as NAME=FILE: where only outputs were dumped (default: "
      "none)");
  add("-o,--output", options->capsule, "DIR",
      "Write a capsule to this folder: model, tensors and programs that run it anywhere (default: none)");
  command->add_flag("--shrink", options->shrink,
                    "Make shapes and values smaller while the output stays wrong (default: no)");
  add("--seconds", options->seconds, "S", "Let --shrink try for this long (default: 60)")->check(positive_number());
  command->add_flag("--json", options->json, "Print JSON (default: text)");
  command->callback([options, &exit_code] { exit_code = replay_one(*options); });
}

}  // namespace belay::tools
