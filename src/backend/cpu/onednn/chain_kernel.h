// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "backend/cpu/onednn/call.h"
#include "backend/cpu/onednn/post_ops.h"
#include "backend/cpu/onednn/weights.h"

namespace belay::backend::cpu::onednn {

// A convolution or product and the rest of its chain as one primitive. A NaN in the result survives the activation.
class ChainKernel : public Kernel {
 public:
  // What a primitive is given from the node's inputs, or from memory that the kernel keeps.
  struct Source {
    int argument;
    int input = -1;
    Desc desc;
    Layout layout = Layout::Plain;
  };
  struct Parts {
    std::function<Call(bool with_activation)> make;  // the primitive with all arguments added but those of `sources`
    std::vector<Source> sources;
    PackedWeights weights;   // null: packed at each run
    int weights_input = -1;  // -1: they are among the sources
    Desc weights_given, weights_wanted;
    int addend = -1;  // the input that the result's memory must hold before; in the result's layout
    Layout gives = Layout::Plain;
    Desc result;
    bool has_activation = false;
  };

  static MadeKernel make(Parts parts);

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override;
  Layout wants(size_t i) const override;
  Layout gives(size_t) const override { return parts_.gives; }
  bool in_place(size_t, size_t i) const override { return static_cast<int>(i) == parts_.addend; }
  bool packed(size_t i) const override { return parts_.weights && static_cast<int>(i) == parts_.weights_input; }
  size_t scratch_bytes() const override { return fused_.scratch_bytes(); }
  void set_scratch(void* scratch) override { fused_.set_scratch(scratch); }

 private:
  explicit ChainKernel(Parts parts) : parts_(std::move(parts)) {}
  bool repacks() const { return parts_.weights_input >= 0 && !parts_.weights; }
  Call make_call(bool with_activation) const;
  void bind(Call& call, std::span<const Tensor> inputs, void* result) const;
  Status run_once(Call& call, const void* addend, void* result) const;
  Status run_with_nan(std::span<const Tensor> inputs, const void* addend, void* result);

  Parts parts_;
  std::shared_ptr<void> repacked_;
  Call fused_;
  bool keeps_addend_ = false;  // since a NaN was met in a result that had taken over the addend's memory
  std::vector<std::byte> kept_;
};

}  // namespace belay::backend::cpu::onednn
