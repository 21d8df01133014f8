// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/packed_weights.h"
#include "backend/cpu/recurrent/gate_vectors.h"
#include "backend/kernel.h"

namespace belay::backend::cpu {

// The columns of a recurrent layer's products in an order of their own: units_of_panel units together, a block of them
// for each gate, so that a panel has all gates of its units. The last units are padded with zeros.
struct UnitColumns {
  int64_t directions, gates, hidden;

  int64_t panels() const { return (hidden + units_of_panel - 1) / units_of_panel; }  // of a direction
  int64_t width() const { return gates * units_of_panel; }                           // of a panel
  int64_t of_direction() const { return panels() * width(); }
  int64_t units(int64_t panel) const { return std::min(units_of_panel, hidden - panel * units_of_panel); }
};

// Such weights, [directions, gates * hidden, depth] as ONNX has them, in panels for a product. They are packed when the
// kernel is made, or at each run where they are not constant.
class UnitWeights {
 public:
  // Panels are `blocks` blocks wide.
  UnitWeights(size_t input, const UnitColumns& columns, int64_t depth, int64_t blocks)
      : input_(input), columns_(columns), depth_(depth), blocks_(blocks) {}

  Status pack_constant(const KernelRequest& request);
  bool packed() const { return packed_ != nullptr; }
  size_t memory_bytes() const { return packed_ ? 0 : bytes(); }
  void set_memory(void* memory) { memory_ = static_cast<float*>(memory); }
  void pack_at_run(std::span<const Tensor> in);

  const float* data() const { return packed_ ? static_cast<const float*>(packed_.get()) : memory_; }
  const float* of_direction(int64_t direction) const { return data() + direction * columns_.of_direction() * depth_; }

 private:
  size_t bytes() const {
    return static_cast<size_t>(columns_.directions * columns_.of_direction() * depth_) * sizeof(float);
  }
  void pack(const float* from, float* to) const;

  size_t input_;
  UnitColumns columns_;
  int64_t depth_, blocks_;
  PackedWeights packed_;
  float* memory_ = nullptr;
};

}  // namespace belay::backend::cpu
