// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/model/graph.h"

namespace belay::api {

// Between aclopStartDumpArgs and aclopStopDumpArgs: keeps a record of every operator of the graph (dump.md 3.7).
void record_arguments(const graph::Graph& graph);

}  // namespace belay::api
