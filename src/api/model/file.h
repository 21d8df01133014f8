// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

#include "base/status.h"
#include "graph/om/om.h"

namespace belay::api {

// 145001 before aclInit and after aclFinalize.
Status require_model_executor();

// A model file, mapped: an .om, or a plain .onnx, which is converted in memory with the defaults of atc.
Result<graph::OmFile> open_model(const std::filesystem::path& path);
// The same from memory. The image is copied, because the program may free it after the call.
Result<graph::OmFile> open_model(const void* image, size_t size);

}  // namespace belay::api
