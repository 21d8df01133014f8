// SPDX-License-Identifier: Apache-2.0
// Normalisation of channels by given statistics, in the layout that x has: first or last.
#include <algorithm>
#include <cmath>
#include <optional>

#include "backend/cpu/nn/batch_norm.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/row_floats.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t grain = 1 << 15;  // elements that are worth a thread

// y = (x - mean) * factor + shift, for each channel.
class ChannelScales {
 public:
  ChannelScales(const GivenStatistics& g, Inputs in) : mean_(floats_of(in, g.mean)), shift_(floats_of(in, g.offset)) {
    const auto variance = floats_of(in, g.variance), scale = floats_of(in, g.scale);
    shift_.resize(mean_.size());
    for (size_t c = 0; c < variance.size(); ++c) {
      const double gain = scale.empty() ? 1 : static_cast<double>(scale[c]);
      factor_.push_back(static_cast<float>(gain / std::sqrt(static_cast<double>(variance[c]) + g.epsilon)));
    }
  }

  void scale_plane(const float* x, float* y, int64_t channel, int64_t count) const {
    const auto c = static_cast<size_t>(channel);
    scale_row(x, y, static_cast<size_t>(count), double(mean_[c]), double(factor_[c]), double(shift_[c]));
  }
  void scale_places(const float* x, float* y, int64_t count) const {
    scale_columns(x, y, static_cast<size_t>(count), mean_.size(), {mean_.data(), factor_.data(), shift_.data()});
  }

 private:
  static std::vector<float> floats_of(Inputs in, size_t i) {
    if (i >= in.size() || !in[i].present) return {};
    const auto* first = in[i].as<const float>();
    return {first, first + in[i].count()};
  }

  std::vector<float> mean_, shift_, factor_;
};

class BatchNorm : public Kernel {
 public:
  BatchNorm(const GivenStatistics& given, Layout layout, std::optional<ChannelScales> scales)
      : given_(given), layout_(layout), scales_(std::move(scales)) {}

  Status run(Inputs in, Outputs out) override {
    if (scales_)
      scale(*scales_, in[0].as<const float>(), out[0].as<float>());
    else
      scale(ChannelScales(given_, in), in[0].as<const float>(), out[0].as<float>());
    for (size_t o = 1; o < out.size(); ++o) {
      const Tensor& from = in[o % 2 == 1 ? given_.mean : given_.variance];
      std::copy_n(from.as<const float>(), from.count(), out[o].as<float>());
    }
    return {};
  }

  Layout wants(size_t i) const override { return i == 0 ? layout_ : Layout::Plain; }
  Layout gives(size_t o) const override { return o == 0 ? layout_ : Layout::Plain; }
  bool in_place(size_t o, size_t i) const override { return o == 0 && i == 0; }

 private:
  void scale(const ChannelScales& scales, const float* x, float* y) const {
    const Channels& c = given_.channels;
    const bool last = c.last || layout_ == Layout::ChannelsLast;
    const int64_t rows = c.batch * (last ? c.space : c.channels), length = last ? c.channels : c.space;
    parallel_for(rows, std::max<int64_t>(1, grain / std::max<int64_t>(length, 1)), [&](int64_t begin, int64_t end) {
      if (last) return scales.scale_places(x + begin * length, y + begin * length, end - begin);
      for (int64_t r = begin; r < end; ++r) scales.scale_plane(x + r * length, y + r * length, r % c.channels, length);
    });
  }

  const GivenStatistics given_;
  const Layout layout_;
  const std::optional<ChannelScales> scales_;  // none: the statistics are not constants
};

// All parameters as tensors, when they are constants.
std::optional<std::vector<Tensor>> constants_of(const KernelRequest& request) {
  std::vector<Tensor> all(1);
  for (const graph::TensorInfo& info : request.inputs.subspan(1)) {
    if (info.present && !info.value) return {};
    void* bytes = info.present ? const_cast<std::byte*>(info.value->bytes.data()) : nullptr;
    all.push_back({info.type, info.shape, Layout::Plain, bytes, info.present});
  }
  return all;
}

Status check(const KernelRequest& request, const GivenStatistics& given) {
  for (const auto* side : {&request.inputs, &request.outputs})
    for (const graph::TensorInfo& info : *side)
      if (info.present && info.type != DataType::Float) return refuse("only float is supported here");
  for (const graph::TensorInfo& info : request.inputs.subspan(1))
    if (info.present && graph::element_count(info.shape) != given.channels.channels)
      return refuse("the parameters are not of the channels");
  for (size_t o = 1; o < request.outputs.size(); ++o)
    if (graph::element_count(request.outputs[o].shape) != given.channels.channels)
      return refuse("the statistics that it gives are not of the channels");
  return {};
}

MadeKernel make(const KernelRequest& request) {
  const GivenStatistics given = TRY(read_given_statistics(request));
  TRY(check(request, given));
  const bool last = request.input_layouts[0] == Layout::ChannelsLast && !given.channels.last;
  std::optional<ChannelScales> scales;
  if (const auto constants = constants_of(request)) scales.emplace(given, *constants);
  return std::unique_ptr<Kernel>(
      std::make_unique<BatchNorm>(given, last ? Layout::ChannelsLast : Layout::Plain, std::move(scales)));
}

constexpr KernelRow rows[] = {
    {"BNInfer", "simd", make},
    {"BNInferenceD", "simd", make},
    {"BatchNorm", "simd", make},
    {"BatchNorm3D", "simd", make},
};

}  // namespace

std::span<const KernelRow> simd_batch_norm_rows() { return rows; }

}  // namespace belay::backend::cpu
