// SPDX-License-Identifier: Apache-2.0
// atc: ONNX to .om, with the options, words and exit codes that scripts know.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "atc_modes.h"
#include "backend/packing_scope.h"
#include "base/exception_words.h"
#include "base/files/standard_streams.h"
#include "base/json_text.h"
#include "base/printable.h"
#include "convert/atc/option_rows.h"
#include "convert/atc/options.h"
#include "executor/loaded_model.h"
#include "graph/om/external_weights.h"
#include "graph/om/om.h"

namespace {

using namespace belay;
namespace fs = std::filesystem;

constexpr int kFailed = 255;

// Beside the model; where the environment names a folder for such files, there.
fs::path fusion_result_path(const fs::path& om) {
  const char* work = std::getenv("ASCEND_WORK_PATH");
  const fs::path folder = work && *work ? fs::path(work) / "FE" / std::to_string(getpid()) : om.parent_path();
  return folder / "fusion_result.json";
}

Status write_fusion_result(const std::vector<convert::PassCount>& passes, const fs::path& path) {
  nlohmann::json graph_fusion = nlohmann::json::object(), ub_fusion = nlohmann::json::object();
  for (const auto& pass : passes) {
    nlohmann::json counts{{"effect_times", std::to_string(pass.effective)},
                          {"match_times", std::to_string(pass.matched)}};
    if (pass.ub) counts["repository_hit_times"] = "0";
    (pass.ub ? ub_fusion : graph_fusion)[pass.pass] = counts;
  }
  const nlohmann::json report{{"session_and_graph_id_0_0", {{"graph_fusion", graph_fusion}, {"ub_fusion", ub_fusion}}}};
  return atc::write_text(path, json_text(report, 4) + "\n");
}

bool is_dynamic(const graph::Model& model) {
  const auto& main = model.main();
  for (const int node : main.input_nodes())
    if (!graph::is_known(main.nodes[node].outputs[0].shape)) return true;
  return false;
}

// A dynamic-shape model's file is named after the host that runs it.
fs::path output_path(const convert::AtcOptions& options, const graph::Model& model) {
  std::string name = options.output;
#if defined(__aarch64__)
  if (is_dynamic(model)) name += "_linux_aarch64";
#else
  if (is_dynamic(model)) name += "_linux_x86_64";
#endif
  return name + ".om";
}

// Why a model cannot be converted, after the report of it was written.
Status with_check_report(const convert::AtcOptions& options, Status refused) {
  if (const Status written = atc::write_check_report(options, refused); !written.ok())
    refused.message += "\n" + written.message;
  return refused;
}

Status convert_model(const convert::AtcOptions& options) {
  auto converted = convert::convert_onnx(options.model, options.convert);
  if (!converted.ok()) return with_check_report(options, converted.status());
  const auto& made = *converted;
  // What is written can be loaded: kernels may refuse a node for its types or sizes, which is better known now.
  const backend::PackingScope none(false);
  if (auto loaded = executor::load(made.model, {.threads = 1}); !loaded.ok())
    return with_check_report(options, {loaded.status().code, loaded.status().message, "E16002"});
  const fs::path path = output_path(options, *made.model);
  if (options.external_weight > 0) {
    const auto combined =
        options.external_weight == 2 ? fs::path(options.output).filename().string() + "_weight_combined" : "";
    for (const auto& file : graph::take_out_weights(*made.model, combined))
      TRY(atc::write_file(path.parent_path() / "weight" / file.name, graph::pieces_of(file)));
  }
  const auto image = TRY(graph::make_om(*made.model, {.compress_attributes = options.compress_attributes}));
  TRY(atc::write_file(path, image.pieces));
  TRY(write_fusion_result(made.passes, fusion_result_path(path)));
  const auto& mode = options.convert.precision_mode_v2;
  std::printf("precision mode: %s\n", mode.empty() ? options.convert.precision_mode.c_str() : mode.c_str());
  for (const auto& warning : made.warnings) std::printf("warning: %s\n", printable(warning).c_str());
  return options.display_model_info ? atc::show_info(path) : Status{};
}

Status run(const convert::AtcOptions& options) {
  if (!options.singleop.empty()) return atc::convert_single_ops(options);
  switch (options.mode) {
    case 1:
      return atc::show_json(options);
    case 3:
      return atc::check_model(options);
    case 5:
      return atc::show_text_graph(options);
    case 6:
      return atc::show_info(options.om);
    default:
      return convert_model(options);
  }
}

// "E16002: ..." whether the message has its number already or not.
std::string numbered(const Status& status) {
  const std::string& text = status.message;
  if (text.empty()) return "E19999: Internal Error!";
  const bool has_number = text.size() > 6 && text[0] == 'E' && text[6] == ':';
  return has_number ? text : std::string(status.message_id ? status.message_id : "E10001") + ": " + text;
}

// "<the sentence> (E16002)", its further lines as they are.
std::string sentence_first(const std::string& report) {
  const size_t end = std::min(report.find('\n'), report.size());
  std::string sentence = report.substr(8, end - 8);
  const bool colon = sentence.ends_with(':');
  if (colon) sentence.pop_back();
  return sentence + " (" + report.substr(0, 6) + ")" + (colon ? ":" : "") + report.substr(end);
}

// Stdout has what scripts look for; a person reads the sentence first, and only once.
int fail(const Status& status) {
  const std::string report = numbered(status);
  std::fflush(stdout);
  std::fprintf(stderr, "atc: %s\n", printable_lines(sentence_first(report)).c_str());
  std::printf("...\nATC run failed, Please check the detail log, Try 'atc --help' for more information\n");
  if (!isatty(STDOUT_FILENO) || !isatty(STDERR_FILENO)) std::printf("%s\n", printable_lines(report).c_str());
  return kFailed;
}

void print_without_effect(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "--" : ", --") + name;
  if (!text.empty()) std::printf("without effect on a CPU: %s\n", text.c_str());
}

void print_rows(const char* title, convert::AtcOptionRow::Kind kind) {
  std::printf("\n%s\n", title);
  for (const auto& row : convert::atc_option_rows()) {
    if (row.kind != kind) continue;
    const std::string fallback(row.fallback), ending = fallback == "required" ? fallback : "default: " + fallback;
    std::printf("  --%s\n      %s (%s)\n", row.name.data(), row.text.data(), ending.c_str());
  }
}

void print_help() {
  using Kind = convert::AtcOptionRow::Kind;
  std::printf(
      "Converts an ONNX model to an .om file.\n"
      "\n"
      "  atc --model=net.onnx --framework=5 --output=net --soc_version=Ascend910B3\n"
      "\n"
      "Options are written --name=value. Ends with 0, or with 255 and a sentence that says why.\n");
  print_rows("Options:", Kind::Works);
  print_rows("Accepted, without effect on a CPU:", Kind::WithoutEffect);
  print_rows("Known and refused:", Kind::Refused);
  std::printf("\n  --help\n      Print this help.\n");
}

int call(const std::vector<std::string>& arguments) {
  std::printf("ATC start working now, please wait for a moment.\n");
  try {
    auto options = convert::parse_atc_options(arguments);
    if (!options.ok()) return fail(options.status());
    if ((*options).help) return print_help(), 0;
    print_without_effect((*options).without_effect);
    if (const Status status = run(*options); !status.ok()) return fail(status);
  } catch (const std::bad_alloc&) {
    return fail({ACL_ERROR_BAD_ALLOC, "E19999: there is not enough memory"});
  } catch (const std::exception& error) {
    return fail({ACL_ERROR_INTERNAL_ERROR, "E19999: " + exception_words(error)});
  }
  std::printf("...\nATC run success, welcome to the next use.\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  const int code = call({argv + 1, argv + argc});
  const std::string lost = unwritten_output();
  if (lost.empty()) return code;
  std::fprintf(stderr, "atc: %s\n", lost.c_str());
  return kFailed;
}
