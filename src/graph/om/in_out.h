// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/status.h"
#include "graph/om/om.h"

namespace belay::graph {

// The MODEL_INOUT_INFO partition: blocks of type, length and content.
std::vector<std::byte> write_in_out(const ModelInOut& in_out);
// 545002 when a length leads out of the partition. Blocks of unknown types are skipped.
Result<ModelInOut> read_in_out(std::span<const std::byte> partition);

}  // namespace belay::graph
