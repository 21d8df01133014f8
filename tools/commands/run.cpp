// SPDX-License-Identifier: Apache-2.0
// belay run: executes a model once or many times, as any AscendCL program would.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "acl/acl_dump.h"
#include "base/config_keys.h"
#include "base/files/atomic_file.h"
#include "base/files/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/run_profile.h"
#include "commands/run_session.h"
#include "commands/run_shadow.h"
#include "commands/say.h"
#include "dump/format/names.h"

namespace belay::tools {
namespace {

constexpr size_t kMostConfigBytes = 10 << 20;
// How the library begins its sentences.
constexpr std::string_view kTimelineLost = "BELAY_TIMELINE: ", kShadowLost = "BELAY_SHADOW: ";

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print_results(const std::vector<HostTensor>& results) {
  for (const HostTensor& tensor : results) {
    const Summary summary = summarize(tensor);
    say("  %-40s %-9s %-20s min %-12.6g max %-12.6g mean %.6g\n", tensor.name.c_str(), type_name(tensor.type),
        dims_text(tensor.shape).c_str(), summary.min, summary.max, summary.mean);
  }
}

nlohmann::json as_json(const std::vector<HostTensor>& results) {
  nlohmann::json outputs = nlohmann::json::array();
  for (const HostTensor& tensor : results) {
    const Summary summary = summarize(tensor);
    outputs.push_back({{"name", tensor.name},
                       {"type", type_name(tensor.type)},
                       {"shape", tensor.shape},
                       {"min", summary.min},
                       {"max", summary.max},
                       {"mean", summary.mean}});
  }
  return outputs;
}

// The library only logs it. What is wrong with the file itself aclInit says.
void say_unknown_keys_of(const std::string& acl_json) {
  const auto text = read_text(acl_json, kMostConfigBytes);
  if (!text.ok()) return;
  for (const std::string& sentence : unknown_keys(*text))
    complain("belay run: %s: %s\n", acl_json.c_str(), sentence.c_str());
}

// "12 dump files with ...": what aclFinalize left to be read; empty when nothing was lost.
std::string what_was_lost() {
  const char* said = aclGetRecentErrMsg();
  const std::string text = said ? said : "";
  const std::string_view by = "aclFinalize: ";
  const size_t at = text.find(by);
  return at == text.npos ? text : text.substr(at + by.size(), text.find('\n', at) - at - by.size());
}

void run(const RunOptions& options) {
  if (!options.dump.empty()) say_unknown_keys_of(options.dump);
  if (options.threads > 0) setenv("BELAY_NUM_THREADS", std::to_string(options.threads).c_str(), 1);
  std::optional<RunProfile> profile;
  if (options.profile || !options.trace.empty()) profile.emplace(options.trace);
  std::optional<RunShadow> shadow;
  if (!options.shadow.empty()) shadow.emplace();
  auto session = std::make_unique<RunSession>(options);
  for (int i = 0; i < options.warmup; ++i) session->execute();
  std::vector<double> times;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < options.repeat && !(i > 0 && seconds_since(start) >= options.seconds); ++i)
    times.push_back(session->execute());
  const auto results = session->results();
  if (!options.output_directory.empty()) {
    std::filesystem::create_directories(options.output_directory);
    for (size_t i = 0; i < results.size(); ++i)
      write_npy(options.output_directory + "/output_" + std::to_string(i) + ".npy", results[i]);
  }
  const double load_ms = session->load_ms();
  nlohmann::json memory;
  std::string memory_text;
  if (session->memory()) {
    const auto [work, weights] = session->work_and_weights();
    memory = session->memory()->json();
    memory["work_bytes"] = work;
    memory["weight_bytes"] = weights;
    memory_text = "memory: " + size_text(weights) + " of weights, " + size_text(work) + " to work in; " +
                  session->memory()->text();
  }
  const char* configured = acldumpGetPath(DATA_DUMP);
  const std::string dump = configured ? dump::local_path(configured) : "";
  (void)aclGetRecentErrMsg();
  session.reset();  // afterwards every file of the dump is there, or aclFinalize says which are not
  const std::string lost = what_was_lost();
  if (lost.starts_with(kTimelineLost)) throw std::runtime_error(lost.substr(kTimelineLost.size()));
  if (lost.starts_with(kShadowLost)) throw std::runtime_error(lost);
  if (options.profile) profile->read(times.size(), threads_given(options.threads));
  if (shadow) shadow->read();
  const bool dumped = !dump.empty() && std::filesystem::exists(dump);
  const double least = *std::min_element(times.begin(), times.end());
  if (options.json) {
    nlohmann::json report{{"model", options.model},     {"load_ms", load_ms}, {"runs", times.size()},
                          {"median_ms", median(times)}, {"min_ms", least},    {"outputs", as_json(results)}};
    if (!memory.is_null()) report["memory"] = memory;
    if (options.profile) report["profile"] = profile->json();
    if (shadow) report["shadow"] = shadow->json();
    if (!options.trace.empty()) report["trace"] = options.trace;
    if (!dump.empty()) report["dump"] = dumped ? nlohmann::json(dump) : nlohmann::json();
    if (!lost.empty()) report["dump_lost"] = lost;
    std::printf("%s\n", json_text(report, 2).c_str());
    if (!lost.empty()) throw std::runtime_error("the dump is not whole: " + lost);
    return;
  }
  say("%s: loaded in %.1f ms; %zu run%s, median %.3f ms, least %.3f ms\n", options.model.c_str(), load_ms, times.size(),
      times.size() == 1 ? "" : "s", median(times), least);
  print_results(results);
  if (!memory_text.empty()) say("%s\n", memory_text.c_str());
  if (options.profile) profile->print();
  if (shadow) shadow->print();
  if (!options.trace.empty()) say("timeline in %s\n", options.trace.c_str());
  if (dumped)
    say("dump in %s\n", dump.c_str());
  else if (!dump.empty() && lost.empty())
    say("nothing was dumped: the configuration chose nothing here; ASCEND_SLOG_PRINT_TO_STDOUT=1 shows why\n");
  if (!lost.empty()) throw std::runtime_error("the dump is not whole: " + lost);
}

// The log of the allocator's calls is written whatever becomes of the run.
void run_logged(RunOptions& options) {
  std::string lines = "call,bytes,address\n";
  options.memory.log = &lines;
  std::exception_ptr failed;
  try {
    run(options);
  } catch (...) {
    failed = std::current_exception();
  }
  const Status written = write_file(options.memory_log, lines);
  if (failed && !written.ok()) complain("belay run: %s\n", written.message.c_str());
  if (failed) std::rethrow_exception(failed);
  if (!written.ok()) throw std::runtime_error(written.message);
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("run", "Run an .om or .onnx model; show its outputs and how long it took");
  auto options = std::make_shared<RunOptions>();
  const auto add = [&](const char* name, auto& value, const char* type, const char* description) {
    return command->add_option(name, value, description)->type_name(type);
  };
  add("model", options->model, "MODEL", "An .om or .onnx file")->required();
  add("--input", options->inputs, "FILE",
      "A .npy file, or one of raw bytes, for each input in order; or NAME=FILE (default: random numbers)");
  add("--shape", options->shapes, "NAME:DIMS",
      "The shape of an input with dynamic dimensions, such as x:1,3,224,224 (default: 1 for each)");
  add("--gear", options->gear, "GEAR",
      "Of a model converted with gears: a batch, height,width, or each dimension (default: the largest)");
  add("--dump", options->dump, "FILE", "An acl.json that aclInit gets (default: no dump)");
  add("--repeat", options->repeat, "N", "Run the model this many times (default: 1)")
      ->check(whole_number(1, 1000000000));
  add("--warmup", options->warmup, "N", "Run it this many times before the clock starts (default: 0)")
      ->check(whole_number(0, 1000000000));
  add("--seconds", options->seconds, "S", "Begin no further run after this many seconds (default: no limit)")
      ->check(positive_number());
  add("--threads", options->threads, "N", "Use this many threads (default: BELAY_NUM_THREADS, else one per core)")
      ->check(whole_number(1, 1024));
  add("--seed", options->seed, "N", "Begin the random inputs with this seed (default: 0)")
      ->check(whole_number(0, UINT64_MAX));
  add("-o,--output", options->output_directory, "DIR", "Write the outputs here as .npy files (default: not written)");
  command->add_flag("--json", options->json, "Print JSON (default: text)");
  command->add_flag("--profile", options->profile, "Show where the time went, by kernel and operator (default: no)");
  add("--shadow", options->shadow, "fp64",
      "Compute each operator in double as well: who loses precision, and how much of it his types permit (default: no)")
      ->check(one_of({"fp64"}));
  add("--trace", options->trace, "FILE", "Write what ran when as JSON for chrome://tracing (default: not written)");
  auto* memory = command->add_flag("--memory", options->memory.shown,
                                   "Run on a stream with an allocator of the tool's own, and count (default: no)");
  add("--memory-limit", options->memory_limit, "SIZE",
      "Let that allocator give at most this, such as 64M (default: no limit)")
      ->needs(memory);
  add("--memory-log", options->memory_log, "FILE", "Write each of its calls to this .csv file (default: no log)")
      ->needs(memory);
  command->callback([options, &exit_code] {
    if (!options->memory_limit.empty()) {
      const auto limit = parse_size(options->memory_limit);
      if (!limit || *limit == 0)
        throw UsageError("--memory-limit: '" + options->memory_limit + "' is not a size such as 64M");
      options->memory.limit = *limit;
    }
    if (options->memory_log.empty())
      run(*options);
    else
      run_logged(*options);
    exit_code = kAgree;
  });
}

}  // namespace belay::tools
