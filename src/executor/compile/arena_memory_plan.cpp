// SPDX-License-Identifier: Apache-2.0
#include "executor/compile/arena_memory_plan.h"

#include <algorithm>

namespace belay::executor {

std::vector<PlannedOutput> ArenaMemoryPlan::outputs_of(const graph::Node& node) const {
  const auto found = nodes_.find(&node);
  if (found == nodes_.end()) return {};
  std::vector<PlannedOutput> outputs;
  for (size_t o = 0; o < found->second.places.size(); ++o) {
    const Place& place = found->second.places[o];
    PlannedOutput output{found->second.task, (*found->second.tensors)[o], place.callers, place.last_reader, {}};
    for (const Written& other : written_) {
      const size_t begin = std::max(other.offset, place.offset);
      const size_t end = std::min(other.offset + other.bytes, place.offset + place.bytes);
      if (place.callers || other.value == place.value || begin >= end) continue;
      output.reuses.push_back({other.task, begin - place.offset, end - place.offset});
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace belay::executor
