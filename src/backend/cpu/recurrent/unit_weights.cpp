// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/recurrent/unit_weights.h"

#include <algorithm>

#include "backend/cpu/move/strided_copy.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {

Status UnitWeights::pack_constant(const KernelRequest& request) {
  const graph::Constant* constant = request.inputs[input_].value;
  if (!constant) return {};
  const auto* data = reinterpret_cast<const float*>(constant->bytes.data());
  const std::string form =
      formatted("units {} {} {} {} {}", columns_.directions, columns_.gates, columns_.hidden, depth_, blocks_);
  packed_ = TRY(pack_as(form, data, constant->bytes.size(), bytes(), [&](void* to) -> Status {
    pack(data, static_cast<float*>(to));
    return {};
  }));
  return {};
}

void UnitWeights::pack_at_run(std::span<const Tensor> in) {
  if (!packed_) pack(in[input_].as<float>(), memory_);
}

void UnitWeights::pack(const float* from, float* to) const {
  const UnitColumns& c = columns_;
  const int64_t all = c.directions * c.panels() * c.gates;
  parallel_for(all, std::max<int64_t>(1, 16384 / (units_of_panel * depth_)), [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      const int64_t gate = block % c.gates, panel = block / c.gates % c.panels(),
                    direction = block / c.gates / c.panels(), units = c.units(panel);
      const int64_t first = block / blocks_ * blocks_, pitch = std::min(blocks_, all - first) * units_of_panel;
      float* at = to + first * units_of_panel * depth_ + (block - first) * units_of_panel;
      const int64_t row = (direction * c.gates + gate) * c.hidden + panel * units_of_panel;
      turn_floats(at, pitch, from + row * depth_, depth_, depth_, units);
      if (units < units_of_panel)
        for (int64_t k = 0; k < depth_; ++k) std::fill(at + k * pitch + units, at + k * pitch + units_of_panel, 0.0f);
    }
  });
}

}  // namespace belay::backend::cpu
