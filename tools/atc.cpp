// SPDX-License-Identifier: Apache-2.0
// atc: ONNX to .om, with the options, words and exit codes that scripts know.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "convert/atc_options.h"
#include "graph/om.h"

namespace {

using namespace belay;
namespace fs = std::filesystem;

constexpr int kFailed = 255;

void write_fusion_result(const std::vector<convert::PassCount>& passes) {
  nlohmann::json graph_fusion = nlohmann::json::object(), ub_fusion = nlohmann::json::object();
  for (const auto& pass : passes) {
    nlohmann::json counts{{"effect_times", std::to_string(pass.effective)},
                          {"match_times", std::to_string(pass.matched)}};
    if (pass.ub) counts["repository_hit_times"] = "0";
    (pass.ub ? ub_fusion : graph_fusion)[pass.pass] = counts;
  }
  const nlohmann::json report{{"session_and_graph_id_0_0", {{"graph_fusion", graph_fusion}, {"ub_fusion", ub_fusion}}}};
  std::ofstream("fusion_result.json") << report.dump(4) << "\n";
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

Status write_file(const fs::path& path, const std::vector<std::byte>& bytes) {
  std::error_code ignored;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), ignored);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file) return {};
  return {ACL_ERROR_WRITE_FILE, "E10001: " + path.string() + " cannot be written"};
}

Status run(const convert::AtcOptions& options) {
  auto converted = TRY(convert::convert_onnx(options.model, options.convert));
  graph::OmWriteOptions write_options;
  write_options.compress_attributes = options.compress_attributes;
  const auto image = TRY(graph::write_om(*converted.model, write_options));
  TRY(write_file(output_path(options, *converted.model), image));
  write_fusion_result(converted.passes);
  const auto& mode = options.convert.precision_mode_v2;
  std::printf("precision mode: %s\n", mode.empty() ? options.convert.precision_mode.c_str() : mode.c_str());
  for (const auto& warning : converted.warnings) std::printf("warning: %s\n", warning.c_str());
  return {};
}

int fail(const Status& status) {
  std::string text = status.message.empty() ? "E19999: Internal Error!" : status.message;
  if (text.empty() || text[0] != 'E') text = "E10001: " + text;
  std::printf("...\nATC run failed, Please check the detail log, Try 'atc --help' for more information\n%s\n",
              text.c_str());
  return kFailed;
}

void print_help() {
  std::printf("atc --model=FILE.onnx --framework=5 --output=PATH/NAME --soc_version=Ascend910B3 [options]\n");
  for (const std::string_view name : convert::atc_option_names())
    std::printf("  --%.*s\n", static_cast<int>(name.size()), name.data());
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  std::printf("ATC start working now, please wait for a moment.\n");
  try {
    auto options = convert::parse_atc_options(arguments);
    if (!options.ok()) return fail(options.status());
    if ((*options).help) return print_help(), 0;
    if (const Status status = run(*options); !status.ok()) return fail(status);
  } catch (const std::exception& error) {
    return fail({ACL_ERROR_INTERNAL_ERROR, std::string("E19999: ") + error.what()});
  }
  std::printf("...\nATC run success, welcome to the next use.\n");
  return 0;
}
