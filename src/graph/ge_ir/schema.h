// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/ge_ir/proto_json.h"

namespace belay::graph {

// The ModelDef message of GE IR, with all its fields under the names that --mode=1 shows.
const ProtoMessageType& model_def_type();

}  // namespace belay::graph
