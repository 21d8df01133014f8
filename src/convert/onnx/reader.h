// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "base/status.h"
#include "convert/onnx/model.h"

namespace belay::convert::onnx {

// Reads a model in ONNX's protobuf form. Weights borrow the image, which `owner` keeps alive, or the mapped files of
// external data, looked for in `directory` and below. 100013 when the bytes are no ONNX model; names the broken part.
Result<Model> read_model(std::span<const std::byte> image, std::shared_ptr<const void> owner,
                         const std::filesystem::path& directory);

}  // namespace belay::convert::onnx
