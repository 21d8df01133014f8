// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::blame {

// The model of an .om file, or of an .onnx file, which is converted as atc does it by default; `fuse` false: without
// fusions. What is computed from constants alone is constant, as in a loaded model. The file stays mapped.
Result<std::shared_ptr<const graph::Model>> read_model(const std::filesystem::path& path, bool fuse = true);

}  // namespace belay::blame
