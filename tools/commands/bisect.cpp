// SPDX-License-Identifier: Apache-2.0
// belay bisect: which operators must stay in float32 so that the outputs pass.
#include "bisect/bisect.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "commands/arguments.h"
#include "commands/bisect_lists.h"
#include "commands/commands.h"
#include "commands/progress.h"
#include "commands/run_inputs.h"
#include "commands/table.h"
#include "commands/tensor_io.h"

namespace belay::tools {
namespace {

using bisect::Answer;
using bisect::Array;
using bisect::Distance;
using bisect::Needed;
using Json = nlohmann::ordered_json;

struct BisectOptions {
  std::string model, precision = "fp16", folder;
  std::vector<std::string> inputs, shapes, against;
  std::optional<double> rtol, atol, cosine;
  uint64_t seed = 0;
  int threads = 0;
  bool json = false;
};

template <class T>
T needed(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().message);
  return std::move(result).value();
}

Array as_array(HostTensor tensor) {
  return {std::move(tensor.name), static_cast<graph::DataType>(tensor.type), std::move(tensor.shape),
          std::move(tensor.bytes)};
}

std::vector<Array> read_inputs(const BisectOptions& options, const bisect::Signature& signature) {
  std::vector<std::string> names;
  for (const Array& input : signature.inputs) names.push_back(input.name);
  const GivenInputs given(options.inputs, options.shapes, names);
  std::mt19937_64 random(options.seed);
  std::vector<Array> arrays;
  for (const Array& input : signature.inputs) {
    const HostTensor declared{input.name, static_cast<aclDataType>(input.type), input.shape, {}};
    HostTensor tensor = declared;
    tensor.shape = shape_for(declared, given.shape(input.name));
    if (const std::string file = given.file(input.name); !file.empty()) {
      tensor = read_tensor(file, tensor);
      shape_for(declared, tensor.shape);
    } else {
      fill_random(tensor, random);
    }
    arrays.push_back(as_array(std::move(tensor)));
  }
  return arrays;
}

// In the order of the outputs: FILE for each, or NAME=FILE.
std::vector<Array> read_truth(const BisectOptions& options, const bisect::Signature& signature) {
  std::vector<std::string> files(signature.outputs.size());
  size_t position = 0;
  std::string known;
  for (const std::string& output : signature.outputs) known += (known.empty() ? "" : ", ") + output;
  for (const std::string& text : options.against) {
    const size_t equals = text.find('=');
    const auto found = std::ranges::find(signature.outputs, text.substr(0, equals));
    if (equals != std::string::npos && found == signature.outputs.end())
      throw std::runtime_error("--against " + text + ": the model has no output '" + text.substr(0, equals) +
                               "'; it has: " + known);
    if (equals == std::string::npos && position == files.size())
      throw std::runtime_error("--against " + text + ": the model has only " + std::to_string(files.size()) +
                               (files.size() == 1 ? " output" : " outputs"));
    const size_t place =
        equals == std::string::npos ? position++ : static_cast<size_t>(found - signature.outputs.begin());
    files[place] = equals == std::string::npos ? text : text.substr(equals + 1);
  }
  std::vector<Array> truth;
  if (options.against.empty()) return truth;
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].empty())
      throw UsageError("--against: output " + signature.outputs[i] + " has no file; the model gives " + known);
    truth.push_back(as_array(read_npy(files[i])));
  }
  return truth;
}

bisect::Limits limits_of(const BisectOptions& options) {
  if (options.rtol || options.atol || options.cosine) return {options.rtol, options.atol, options.cosine};
  return {.rtol = 1e-2, .atol = 1e-3};
}

std::string real(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::isnan(value) ? "nan" : text;
}

std::string limits_text(const bisect::Limits& limits) {
  std::string text;
  if (limits.rtol || limits.atol)
    text = "|x - y| <= " + real(limits.atol.value_or(0)) + " + " + real(limits.rtol.value_or(0)) + " * |y|";
  if (limits.cosine) text += (text.empty() ? "" : ", ") + std::string("cosine >= ") + real(*limits.cosine);
  return text;
}

// "y: cosine 0.99, element 3 is inf, should be 2 (passes)" of the output that is farthest off.
std::string text_of(const std::vector<Distance>& distances) {
  const auto worst = std::ranges::max_element(distances, [](const Distance& a, const Distance& b) {
    return std::tuple(!a.passes, a.used) < std::tuple(!b.passes, b.used);
  });
  if (worst == distances.end()) return "no outputs";
  std::string text = worst->output + ": cosine " + real(worst->cosine);
  if (worst->worst < 0) return text + ", equal";
  return text + ", element " + std::to_string(worst->worst) + " is " + real(worst->ours) + ", should be " +
         real(worst->truth);
}

Json json_of(const std::vector<Distance>& distances) {
  Json list = Json::array();
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(real(value)); };
  for (const Distance& one : distances)
    list.push_back({{"output", one.output},
                    {"passes", one.passes},
                    {"cosine", number(one.cosine)},
                    {"max_absolute_error", number(one.max_absolute)},
                    {"worst_index", one.worst},
                    {"ours", number(one.ours)},
                    {"truth", number(one.truth)}});
  return list;
}

const char* word_of(Answer::Kind kind) {
  switch (kind) {
    case Answer::Kind::AllNarrow:
      return "passes in the narrow type";
    case Answer::Kind::Found:
      return "passes with some operators in float32";
    case Answer::Kind::NeverPasses:
      return "does not pass in float32 either";
  }
  return "";
}

void print_json(const BisectOptions& options, const Answer& answer, const std::vector<std::string>& files) {
  Json report{{"model", options.model},
              {"precision", options.precision},
              {"result", word_of(answer.kind)},
              {"operators", answer.operators},
              {"trials", answer.trials}};
  report["keep_float32"] = Json::array();
  for (const Needed& one : answer.needed) {
    const bool finite = std::isfinite(one.sensitivity);
    report["keep_float32"].push_back({{"name", one.op.name},
                                      {"types", one.op.types},
                                      {"alone_narrow_relative_error", finite ? Json(one.sensitivity) : Json("inf")},
                                      {"without_it", json_of(one.without)}});
  }
  report["minimal"] = answer.kind == Answer::Kind::Found;
  report["in_float32"] = json_of(answer.in_float);
  report["all_narrow"] = json_of(answer.in_narrow);
  report["with_these_in_float32"] = json_of(answer.found);
  report["mixed_precision_black_list"] = answer.black ? Json(*answer.black) : Json();
  if (!answer.ordered) report["not_ordered_by_sensitivity"] = answer.unordered;
  report["files"] = files;
  std::printf("%s\n", json_text(report, 2).c_str());
}

void print_needed(const BisectOptions& options, const Answer& answer) {
  std::printf("all in %s: it fails (%s)\n", options.precision.c_str(), text_of(answer.in_narrow).c_str());
  std::printf("passes when %zu of %zu operators stay in float32:\n", answer.needed.size(), answer.operators);
  std::vector<std::vector<std::string>> rows = {{"operator", "type", "error of it alone", "without it"}};
  for (const Needed& one : answer.needed) {
    std::string types;
    for (const std::string& type : one.op.types) types += (types.empty() ? "" : "+") + type;
    rows.push_back({one.op.name, types, real(one.sensitivity), text_of(one.without)});
  }
  print_table(rows, 2);
  std::printf("with these: %s\n", text_of(answer.found).c_str());
  std::printf("minimal: without any one of them it fails; each was tried\n");
  if (!answer.ordered) std::printf("the search was not ordered by sensitivity: %s\n", answer.unordered.c_str());
  if (!answer.black)
    std::printf("mixed precision does not pass, with or without these types on its black list\n");
  else if (answer.black->empty())
    std::printf("mixed precision passes as it is\n");
  else
    std::printf("mixed precision passes with these types on its black list\n");
}

void print_text(const BisectOptions& options, const bisect::Question& question, const Answer& answer,
                const std::vector<std::string>& files) {
  std::printf("%s: %zu operators that %s changes; an output passes with %s%s\n", options.model.c_str(),
              answer.operators, options.precision.c_str(), limits_text(question.limits).c_str(),
              question.truth.empty() ? " of the model's own float32" : "");
  switch (answer.kind) {
    case Answer::Kind::AllNarrow:
      std::printf("passes with everything in %s: %s\n", options.precision.c_str(), text_of(answer.in_narrow).c_str());
      break;
    case Answer::Kind::NeverPasses:
      std::printf("does not pass even with everything in float32: %s\n", text_of(answer.in_float).c_str());
      std::printf("precision is not the cause; belay blame looks for another\n");
      break;
    case Answer::Kind::Found:
      print_needed(options, answer);
  }
  std::printf("%zu trials\n", answer.trials);
  for (const std::string& file : files) std::printf("wrote %s\n", file.c_str());
}

int run_bisect(const BisectOptions& options) {
  const auto signature = needed(bisect::signature_of(options.model));
  const bisect::Question question{.model = options.model,
                                  .inputs = read_inputs(options, signature),
                                  .truth = read_truth(options, signature),
                                  .limits = limits_of(options),
                                  .narrow = options.precision == "bf16" ? bisect::Narrow::Brain : bisect::Narrow::Half,
                                  .threads = options.threads};
  std::optional<Progress> progress;
  size_t shown = 0;
  const auto answer = needed(bisect::bisect(question, [&](size_t done, size_t of) {
    if (!progress) progress.emplace("deciding operators", of);
    for (; shown < done; ++shown) progress->advance();
  }));
  progress.reset();
  const auto files = options.folder.empty() ? std::vector<std::string>{} : write_bisect_lists(answer, options.folder);
  if (options.json)
    print_json(options, answer, files);
  else
    print_text(options, question, answer, files);
  return answer.kind == Answer::Kind::NeverPasses ? kDiffer : kAgree;
}

}  // namespace

void add_bisect(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("bisect", "Find the operators that must stay in float32 so that the outputs pass");
  auto options = std::make_shared<BisectOptions>();
  const auto add = [&](const char* name, auto& value, const char* type, const char* description) {
    return command->add_option(name, value, description)->type_name(type);
  };
  add("model", options->model, "MODEL", "An .onnx file")->required();
  add("--input", options->inputs, "FILE",
      "A .npy file, or one of raw bytes, for each input in order; or NAME=FILE (default: random numbers)");
  add("--shape", options->shapes, "NAME:DIMS",
      "The shape of an input with dynamic dimensions, such as x:1,3,224,224 (default: 1 for each)");
  add("--against", options->against, "FILE",
      "A .npy file with what each output should be, in order; or NAME=FILE (default: the model's own float32 results)");
  add("--rtol", options->rtol, "R", "Pass with |x - y| <= atol + R * |y| (default: 0.01, when no limit is given)");
  add("--atol", options->atol, "A", "Pass with |x - y| <= A + rtol * |y| (default: 0.001, when no limit is given)");
  add("--cosine", options->cosine, "C", "Pass with a cosine of at least this (default: it does not count)");
  add("--precision", options->precision, "TYPE", "The narrow type: fp16 or bf16 (default: fp16)")
      ->check(one_of({"fp16", "bf16"}));
  add("--seed", options->seed, "N", "Begin the random inputs with this seed (default: 0)")
      ->check(whole_number(0, UINT64_MAX));
  add("--threads", options->threads, "N", "Use this many threads (default: BELAY_NUM_THREADS, else one per core)")
      ->check(whole_number(1, 1024));
  add("-o,--output", options->folder, "DIR", "Write the lists here for atc and belay compare (default: not written)");
  command->add_flag("--json", options->json, "Print JSON (default: text)");
  command->callback([options, &exit_code] { exit_code = run_bisect(*options); });
}

}  // namespace belay::tools
