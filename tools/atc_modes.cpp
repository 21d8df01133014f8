// SPDX-License-Identifier: Apache-2.0
#include "atc_modes.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/known_operators.h"
#include "base/files/atomic_file.h"
#include "base/files/file.h"
#include "base/files/mapped_file.h"
#include "base/json_text.h"
#include "convert/atc/single_op.h"
#include "convert/onnx/json.h"
#include "graph/om/json.h"
#include "graph/om/om.h"

namespace belay::atc {
namespace {

namespace fs = std::filesystem;

constexpr size_t largest_text = size_t{256} << 20;

// The folder of a file; said when it was missing.
Status make_folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  if (folder.empty() || fs::exists(folder)) return {};
  std::error_code error;
  if (fs::create_directories(folder, error)) return std::printf("made the folder %s\n", folder.c_str()), Status{};
  return {ACL_ERROR_WRITE_FILE, "the folder " + folder.string() + " cannot be made: " + error.message(), "E10001"};
}

// The graph as it is after import and shape inference, before anything is fused.
Result<std::string> imported_json(const convert::AtcOptions& options) {
  convert::ConvertOptions plain = options.convert;
  plain.fuse = false;
  plain.name = fs::path(options.model).stem().string();
  const auto converted = TRY(convert::convert_onnx(options.model, plain));
  return graph::om_to_json(TRY(graph::write_om(*converted.model, {.compress_attributes = false})));
}

Result<std::string> model_json(const convert::AtcOptions& options) {
  const bool framework = options.framework != -1;
  if (framework && options.dump_mode) return imported_json(options);
  const auto file = TRY(MappedFile::open(framework && options.om.empty() ? options.model : options.om));
  return framework ? convert::onnx_to_json(file->bytes()) : graph::om_to_json(file->bytes());
}

}  // namespace

Status write_file(const fs::path& path, const Pieces& content) {
  TRY(make_folder_of(path));
  Status written = belay::write_file(path.string(), content);
  written.message_id = "E10001";
  return written;
}

Status write_text(const fs::path& path, const std::string& text) {
  return write_file(path, Pieces{std::as_bytes(std::span(text))});
}

Status show_json(const convert::AtcOptions& options) { return write_text(options.json, TRY(model_json(options))); }

Status check_model(const convert::AtcOptions& options) {
  const auto converted = convert::convert_onnx(options.model, options.convert);
  const Status status = converted.ok() ? Status{} : converted.status();
  const Status written = write_check_report(options, status);
  return status.ok() ? written : status;
}

Status show_text_graph(const convert::AtcOptions& options) {
  return write_text(options.json, TRY(graph::ge_text_to_json(TRY(read_text(options.om, largest_text)))));
}

Status show_info(const fs::path& om) {
  const auto file = TRY(MappedFile::open(om));
  std::fputs(TRY(graph::om_summary(file->bytes())).c_str(), stdout);
  return {};
}

Status convert_single_ops(const convert::AtcOptions& options) {
  for (const auto& op : TRY(convert::read_single_ops(TRY(read_text(options.singleop, largest_text))))) {
    if (const std::string problems = backend::operators_without_kernel(*op.model); !problems.empty())
      return {ACL_ERROR_FEATURE_UNSUPPORTED, problems, "E16002"};
    op.model->attributes["soc_version"] = options.convert.soc_version;
    op.model->attributes["atc_cmdline"] = options.convert.command_line;
    const auto image = TRY(graph::make_om(*op.model, {.compress_attributes = options.compress_attributes}));
    TRY(write_file(fs::path(options.output) / (op.file + ".om"), image.pieces));
  }
  return {};
}

Status write_check_report(const convert::AtcOptions& options, const Status& status) {
  nlohmann::json report{{"model", options.model}, {"result", status.ok() ? "success" : "failed"}};
  report["cause"] = nlohmann::json::array();
  if (!status.ok())
    report["cause"].push_back(
        {{"code", status.message_id ? status.message_id : "E10001"}, {"message", status.message}});
  return write_text(options.check_report, json_text(report, 4) + "\n");
}

}  // namespace belay::atc
