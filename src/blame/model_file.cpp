// SPDX-License-Identifier: Apache-2.0
#include "blame/model_file.h"

#include "base/text.h"
#include "convert/convert.h"
#include "executor/loaded_model.h"
#include "graph/om/om.h"

namespace belay::blame {
namespace {

Result<std::shared_ptr<const graph::Model>> read_om_model(const std::filesystem::path& path) {
  auto file = TRY(graph::read_om(path));
  if (file.models.size() != 1)
    return Status{ACL_ERROR_INVALID_PARAM,
                  formatted("{} is a bundle of {} models; give the file of one", path.string(), file.models.size())};
  return std::shared_ptr<const graph::Model>(std::move(file.models.front()));
}

Result<std::shared_ptr<const graph::Model>> read_onnx_model(const std::filesystem::path& path, bool fuse) {
  convert::ConvertOptions options;
  options.name = path.stem().string();
  options.fuse = fuse;
  return std::shared_ptr<const graph::Model>(TRY(convert::convert_onnx(path, options)).model);
}

}  // namespace

Result<std::shared_ptr<const graph::Model>> read_model(const std::filesystem::path& path, bool fuse) {
  auto model = TRY(path.extension() == ".onnx" ? read_onnx_model(path, fuse) : read_om_model(path));
  return executor::compute_constants(std::move(model), executor::LoadOptions{});
}

}  // namespace belay::blame
