// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace belay::graph {

// What atc --mode=1 writes for an .om file: its model, attributes decoded; of a file with several (a dynamic-shape
// model and its compiled parts) the first one, with the graphs of the others after its own. The file need not be
// runnable. 145006 and 100013 when it is no .om file or its graph is damaged.
Result<std::string> om_to_json(std::span<const std::byte> image);
// What atc --mode=5 writes for a graph in protobuf's text form (ge_proto_*.txt).
Result<std::string> ge_text_to_json(std::string_view text);
// What atc --mode=6 prints for an .om file.
Result<std::string> om_summary(std::span<const std::byte> image);

}  // namespace belay::graph
