// SPDX-License-Identifier: Apache-2.0
// belay bisect: which operators must stay in float32 so that the outputs pass.
#include "bisect/bisect.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "commands/arguments.h"
#include "commands/bisect_lists.h"
#include "commands/bisect_report.h"
#include "commands/commands.h"
#include "commands/progress.h"
#include "commands/run_inputs.h"
#include "commands/tensor_io.h"
#include "compare/side.h"

namespace belay::tools {
namespace {

using bisect::Answer;
using bisect::Array;

struct BisectOptions {
  std::string model, precision = "fp16", folder;
  std::vector<std::string> inputs, shapes, against;
  compare::Limits limits;
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
std::vector<bisect::Truth> read_truth(const BisectOptions& options, const bisect::Signature& signature) {
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
  std::vector<bisect::Truth> truth;
  if (options.against.empty()) return truth;
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].empty())
      throw UsageError("--against: output " + signature.outputs[i] + " has no file; the model gives " + known);
    const auto side = needed(compare::open_side(files[i]));
    if (side.tensors.size() != 1 || !side.problems.empty())
      throw std::runtime_error(side.problems.empty() ? files[i] + " holds " + std::to_string(side.tensors.size()) +
                                                           " tensors; one is needed"
                                                     : side.problems.front());
    truth.push_back(needed(side.tensors.front().open()));
  }
  return truth;
}

int run_bisect(const BisectOptions& options) {
  const auto signature = needed(bisect::signature_of(options.model));
  const bisect::Question question{.model = options.model,
                                  .inputs = read_inputs(options, signature),
                                  .truth = read_truth(options, signature),
                                  .limits = options.limits,
                                  .narrow = options.precision == "bf16" ? bisect::Narrow::Brain : bisect::Narrow::Half,
                                  .threads = options.threads};
  std::optional<Progress> progress;
  size_t shown = 0;
  const auto answer = needed(bisect::bisect(question, [&](size_t done, size_t of) {
    if (!progress) progress.emplace("deciding operators", of);
    for (; shown < done; ++shown) progress->advance();
  }));
  progress.reset();
  const auto files =
      options.folder.empty() ? std::vector<std::string>{} : write_bisect_lists(question, answer, options.folder);
  const BisectReport report{options.model, options.precision, question, answer, files};
  if (options.json)
    print_json(report);
  else
    print_text(report);
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
      "A file with what each output should be, in order; or NAME=FILE (default: the model's own float32 results)");
  add("--rtol", options->limits.rtol, "R",
      "Pass with |x - y| <= atol + R * |y| (default: the usual limits of belay compare)")
      ->check(tolerance());
  add("--atol", options->limits.atol, "A",
      "Pass with |x - y| <= A + rtol * |y| (default: the usual limits of belay compare)")
      ->check(tolerance());
  add("--cosine", options->limits.cosine, "C",
      "Pass with a cosine of at least this (default: the usual limits of belay compare)")
      ->check(cosine());
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
