// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "executor/program.h"
#include "graph/model/graph.h"

namespace belay::executor {

// On a constant that was computed here: it is no weight of the file.
inline constexpr std::string_view kComputed = "_belay_computed";

// The model with every subgraph of constants computed: its results are constants as any others, and what only they were
// made of is gone. The model itself when there is nothing to compute. What cannot be computed stays as it is and fails,
// or not, when the model runs.
std::shared_ptr<const graph::Model> compute_constants(std::shared_ptr<const graph::Model> model,
                                                      const ProgramOptions& options);

}  // namespace belay::executor
