// SPDX-License-Identifier: Apache-2.0
#include "api/model/file.h"

#include <cstring>

#include "base/log/log.h"
#include "base/strict.h"
#include "convert/convert.h"
#include "runtime/device/process.h"

namespace belay::api {
namespace {

constexpr uint32_t kOmMagic = 0x444F4D49;

bool is_om(std::span<const std::byte> image) {
  uint32_t magic = 0;
  if (image.size() < sizeof(magic)) return true;  // let the reader say what is missing
  std::memcpy(&magic, image.data(), sizeof(magic));
  return magic == kOmMagic;
}

// An ONNX file is a protobuf message that begins with its field 1 (ir_version, a number).
bool looks_like_onnx(std::span<const std::byte> image) { return !image.empty() && image[0] == std::byte{0x08}; }

graph::OmFile as_om_file(std::shared_ptr<graph::Model> model) {
  graph::OmFile file;
  file.in_out.push_back(graph::describe(*model));
  file.models.push_back(std::move(model));
  return file;
}

Result<graph::OmFile> from_onnx(Result<convert::Converted> converted) {
  auto made = TRY(std::move(converted));
  for (const auto& warning : made.warnings) log_warning(LogModule::Ge, "{}", warning);
  return as_om_file(std::move(made.model));
}

}  // namespace

Status require_model_executor() {
  if (process().initialized()) return {};
  return {static_cast<aclError>(ACL_ERROR_GE_EXEC_NOT_INIT), "call aclInit before using models"};
}

Result<graph::OmFile> open_model(const std::filesystem::path& path) {
  if (path.extension() != ".onnx" || strict_mode()) return graph::read_om(path);
  convert::ConvertOptions options;
  options.name = path.stem().string();
  return from_onnx(convert::convert_onnx(path, options));
}

Result<graph::OmFile> open_model(const void* image, size_t size) {
  const auto* bytes = static_cast<const std::byte*>(image);
  auto copy = std::make_shared<const std::vector<std::byte>>(bytes, bytes + size);
  const std::span<const std::byte> span(*copy);
  if (is_om(span) || !looks_like_onnx(span) || strict_mode()) return graph::read_om(span, copy);
  convert::ConvertOptions options;
  options.name = "model";
  return from_onnx(convert::convert_onnx(span, copy, ".", options));
}

}  // namespace belay::api
