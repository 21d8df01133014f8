// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "api/model/data_buffer.h"
#include "base/status.h"
#include "executor/model_registry.h"
#include "graph/om/om.h"

namespace belay::api {

// The gear that the gear tensor of a dataset holds now. 500002 when it holds none of the model's.
Result<executor::Gear> read_gear(const executor::RegisteredModel& model, const aclDataBuffer& buffer);

// The shapes of all inputs in a gear, as they lie in memory.
std::vector<graph::Shape> input_shapes_in(const graph::ModelInOut& in_out, const executor::Gear& gear);
// 100000 when the model does not say it.
Result<graph::Shape> output_shape_in(const graph::ModelInOut& in_out, const executor::Gear& gear, size_t output);

// "1; 2; 8" or "224,224; 448,448".
std::string to_text(const std::vector<std::vector<int64_t>>& gears);

}  // namespace belay::api
