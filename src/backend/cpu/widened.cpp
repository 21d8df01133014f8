// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/widened.h"

#include <algorithm>

#include "backend/chosen_kernel.h"
#include "backend/cpu/simd/convert_floats.h"
#include "backend/layout.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

using graph::Constant;
using graph::TensorInfo;

constexpr int64_t grain = 1 << 14;
constexpr size_t alignment = 64;

bool is_half(DataType type) { return type == DataType::Float16 || type == DataType::BFloat16; }

void widen(DataType type, const uint16_t* from, float* to, int64_t count) {
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    load_floats(type, from + begin, to + begin, static_cast<size_t>(end - begin));
  });
}

void round(DataType type, const float* from, uint16_t* to, int64_t count) {
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    store_floats(type, from + begin, to + begin, static_cast<size_t>(end - begin));
  });
}

// Plain floats in another layout.
Result<Constant> in_layout(const Constant& plain, Layout layout) {
  const size_t bytes = graph::bytes_of(DataType::Float, graph::element_count(plain.shape));
  auto floats = std::make_shared_for_overwrite<std::byte[]>(bytes);
  Tensor to{DataType::Float, plain.shape, layout, floats.get()};
  TRY(reorder({DataType::Float, plain.shape, Layout::Plain, const_cast<std::byte*>(plain.bytes.data())}, to));
  const std::span<const std::byte> view(floats.get(), bytes);
  return Constant{DataType::Float, plain.shape, plain.format, view, std::move(floats)};
}

Constant widened(const Constant& constant) {
  const size_t count = constant.bytes.size() / sizeof(uint16_t);
  auto floats = std::make_shared_for_overwrite<float[]>(count);
  widen(constant.type, reinterpret_cast<const uint16_t*>(constant.bytes.data()), floats.get(),
        static_cast<int64_t>(count));
  const auto bytes = std::as_bytes(std::span(floats.get(), count));
  return {DataType::Float, constant.shape, constant.format, bytes, std::move(floats)};
}

// A node's tensors as floats, where they are halves.
struct Twin {
  explicit Twin(const KernelRequest& request)
      : inputs(request.inputs.begin(), request.inputs.end()), outputs(request.outputs.begin(), request.outputs.end()) {
    for (TensorInfo& output : outputs)
      if (is_half(output.type)) output.type = DataType::Float;
    constants.resize(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].present || !is_half(inputs[i].type)) continue;
      inputs[i].type = DataType::Float;
      if (!inputs[i].value) continue;
      constants[i] = std::make_unique<Constant>(widened(*inputs[i].value));
      inputs[i].value = constants[i].get();
    }
  }
  std::vector<TensorInfo> inputs, outputs;
  std::vector<std::unique_ptr<Constant>> constants;  // null where nothing was widened
};

// Scratch: the inner kernel's own, then the floats of each input and output that holds halves.
class Widened : public Kernel {
 public:
  Widened(const KernelRequest& request, Twin twin, std::unique_ptr<Kernel> inner)
      : inner_(std::move(inner)), constants_(std::move(twin.constants)), bytes_(aligned(inner_->scratch_bytes())) {
    for (size_t i = 0; i < twin.inputs.size(); ++i) add_input(request.inputs[i], i);
    for (size_t o = 0; o < twin.outputs.size(); ++o) add_output(request, o);
  }

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    TRY(run_inner(inputs, outputs));
    for (size_t o = 0; o < outputs.size(); ++o)
      if (outputs_[o].half && outputs[o].data)
        round(outputs[o].type, floats_at(outputs_[o]), outputs[o].as<uint16_t>(), outputs_[o].count);
    return {};
  }

  Layout wants(size_t i) const override { return inner_->wants(i); }
  Layout gives(size_t o) const override { return inner_->gives(o); }
  // Halves are written when all inputs have been read.
  bool in_place(size_t o, size_t) const override { return o < outputs_.size() && outputs_[o].half; }
  bool packed(size_t i) const override { return constants_[i] || inner_->packed(i); }
  size_t scratch_bytes() const override { return bytes_; }
  void set_scratch(void* scratch) override {
    scratch_ = static_cast<std::byte*>(scratch);
    inner_->set_scratch(scratch);
  }

 private:
  struct Place {
    bool half = false;  // the floats are in the scratch memory, from `offset` on
    size_t offset = 0;
    int64_t count = 0;  // elements, padding of blocks too
  };

  static size_t aligned(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }
  float* floats_at(const Place& place) const { return reinterpret_cast<float*>(scratch_ + place.offset); }

  Place place_of(const TensorInfo& info) {
    const size_t bytes = graph::bytes_of(DataType::Float, graph::element_count(info.shape));
    const Place place = {true, bytes_, static_cast<int64_t>(bytes / sizeof(float))};
    bytes_ += aligned(bytes);
    return place;
  }

  void add_input(const TensorInfo& info, size_t i) {
    inputs_.emplace_back();
    if (info.present && is_half(info.type) && !constants_[i]) inputs_[i] = place_of(info);
  }

  // In the place of an input where the inner kernel allows it.
  void add_output(const KernelRequest& request, size_t o) {
    outputs_.emplace_back();
    if (!is_half(request.outputs[o].type)) return;
    const size_t bytes = graph::bytes_of(DataType::Float, graph::element_count(request.outputs[o].shape));
    for (size_t i = 0; i < inputs_.size() && !outputs_[o].half; ++i) {
      const bool taken = std::ranges::any_of(
          outputs_, [&](const Place& other) { return other.half && other.offset == inputs_[i].offset; });
      if (inputs_[i].half && !taken && inner_->in_place(o, i) &&
          static_cast<size_t>(inputs_[i].count) * sizeof(float) == bytes)
        outputs_[o] = inputs_[i];
    }
    if (!outputs_[o].half) outputs_[o] = place_of(request.outputs[o]);
  }

  Status run_inner(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    taken_.assign(inputs.begin(), inputs.end());
    given_.assign(outputs.begin(), outputs.end());
    for (size_t i = 0; i < taken_.size(); ++i) {
      if (constants_[i]) {
        taken_[i].type = DataType::Float;
        taken_[i].layout = inner_->wants(i);
        taken_[i].data = const_cast<std::byte*>(constants_[i]->bytes.data());
      } else if (inputs_[i].half) {
        widen(taken_[i].type, taken_[i].as<uint16_t>(), floats_at(inputs_[i]), inputs_[i].count);
        taken_[i].type = DataType::Float;
        taken_[i].data = floats_at(inputs_[i]);
      }
    }
    for (size_t o = 0; o < given_.size(); ++o) {
      if (!outputs_[o].half) continue;
      given_[o].type = DataType::Float;
      if (given_[o].data) given_[o].data = floats_at(outputs_[o]);
    }
    return inner_->run(taken_, given_);
  }

  const std::unique_ptr<Kernel> inner_;
  const std::vector<std::unique_ptr<Constant>> constants_;  // empty where the inner kernel has packed it
  size_t bytes_;
  std::vector<Place> inputs_, outputs_;
  std::vector<Tensor> taken_, given_;
  std::byte* scratch_ = nullptr;
};

MadeKernel make(const KernelRequest& request, bool reference) {
  const auto half = [](const TensorInfo& info) { return info.present && is_half(info.type); };
  if (std::ranges::none_of(request.inputs, half) && std::ranges::none_of(request.outputs, half))
    return refuse("there are no half floats");
  Twin twin(request);
  std::string_view how;
  auto inner = TRY(make_kernel({request.node, twin.inputs, twin.outputs, request.input_layouts, request.threads},
                               reference ? "reference" : "", how));
  if (how == "reference" && !reference) return refuse("floats have the reference kernel only");
  for (size_t i = 0; i < twin.constants.size(); ++i) {
    if (!twin.constants[i]) continue;
    if (inner->packed(i))
      *twin.constants[i] = {};
    else if (inner->wants(i) != Layout::Plain)
      *twin.constants[i] = TRY(in_layout(*twin.constants[i], inner->wants(i)));
  }
  return std::unique_ptr<Kernel>(std::make_unique<Widened>(request, std::move(twin), std::move(inner)));
}

}  // namespace

MadeKernel make_widened(const KernelRequest& request) { return make(request, false); }

MadeKernel make_widened_reference(const KernelRequest& request) { return make(request, true); }

}  // namespace belay::backend::cpu
