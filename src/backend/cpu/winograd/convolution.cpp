// SPDX-License-Identifier: Apache-2.0
#include "graph/convolution.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "backend/cpu/fast_rows.h"
#include "backend/cpu/other_row.h"
#include "backend/cpu/parallel.h"
#include "backend/cpu/winograd/tiles.h"

namespace belay::backend::cpu {
namespace {

using graph::Convolution;
using onednn::Chain;
using onednn::PackedWeights;
using namespace winograd;

// Below it, the fewer products do not pay for reading 16 weights instead of 9.
constexpr int64_t fewest_tiles = 40;
// With greater magnitudes, or infinities and NaNs, the sums of neighbours would show in results that do not depend on
// them.
constexpr float largest_input = 0x1p100f, largest_weight = 0x1p20f;

class WinogradConvolution : public Kernel {
 public:
  WinogradConvolution(const KernelRequest& request, const Chain& chain, const Convolution& c, const Geometry& g,
                      PackedWeights weights)
      : geometry_(g),
        x_(panels::input_at(chain, c.x)),
        filter_(panels::input_at(chain, c.filter)),
        bias_(panels::input_at(chain, c.bias)),
        relu_(!chain.activation.empty()),
        layout_(c.axes.channel == 1 ? Layout::ChannelsLast : Layout::Plain),
        threads_(std::max(request.threads, 1)),
        weights_(std::move(weights)),
        zeros_(static_cast<size_t>(g.inputs)),
        direct_(request, request.node.attributes.contains(graph::kMembers) ? "fused panels" : "panels") {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    std::atomic<bool> tame = true;
    const int64_t tiles = geometry_.tiles();
    parallel_for(threads_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part)
        if (!run_tiles(inputs, outputs[0], part, tiles * part / threads_, tiles * (part + 1) / threads_)) tame = false;
    });
    return tame ? Status{} : direct_.run(inputs, outputs);
  }

  Layout wants(size_t i) const override { return static_cast<int>(i) == x_ ? layout_ : Layout::Plain; }
  Layout gives(size_t) const override { return layout_; }
  bool packed(size_t i) const override { return static_cast<int>(i) == filter_; }
  size_t scratch_bytes() const override { return static_cast<size_t>(threads_ * scratch_floats()) * sizeof(float); }
  void set_scratch(void* scratch) override { scratch_ = static_cast<float*>(scratch); }

 private:
  // Tiles that are transformed at a time: they shall stay in the second cache.
  int64_t together() const { return std::clamp<int64_t>(16384 / geometry_.inputs / 12, 2, 8) * 12; }
  int64_t scratch_floats() const { return points * together() * (geometry_.inputs + panels::panel_width); }

  // False: an input is too large, and the results are not to be used.
  bool run_tiles(std::span<const Tensor> inputs, const Tensor& y, int64_t part, int64_t begin, int64_t end) {
    const auto* x = inputs[static_cast<size_t>(x_)].as<const float>();
    const float* bias = bias_ < 0 ? nullptr : inputs[static_cast<size_t>(bias_)].as<const float>();
    float* v = scratch_ + part * scratch_floats();
    float* m = v + points * together() * geometry_.inputs;
    for (int64_t first = begin; first < end; first += together()) {
      const int64_t count = std::min(together(), end - first);
      if (!(transform_input(geometry_, x, zeros_.data(), first, count, v) <= largest_input)) return false;
      for (int64_t channel = 0; channel < geometry_.outputs; channel += panels::panel_width)
        run_panel(v, m, first, count, channel, bias, y.as<float>());
    }
    return true;
  }

  void run_panel(const float* v, float* m, int64_t first, int64_t count, int64_t channel, const float* bias,
                 float* y) const {
    const int64_t depth = geometry_.inputs, width = panels::width_at(channel, geometry_.outputs);
    const float* u = static_cast<const float*>(weights_.get()) + channel * depth;
    for (int64_t p = 0; p < points; ++p)
      panels::multiply(v + p * count * depth, depth, u + p * depth * geometry_.outputs, count, depth, width,
                       m + p * count * width);
    transform_output(geometry_, m, first, count, channel, width, bias, relu_, y);
  }

  const Geometry geometry_;
  const int x_, filter_, bias_;
  const bool relu_;
  const Layout layout_;
  const int64_t threads_;
  const PackedWeights weights_;
  const std::vector<float> zeros_;
  OtherRow direct_;
  float* scratch_ = nullptr;
};

Status check(const KernelRequest& request, const Chain& chain, const Convolution& c) {
  TRY(panels::check_convolution(request, chain, c));
  for (size_t i = 0; i < 2; ++i)
    if (c.window.kernel[i] != 3 || c.window.stride[i] != 1 || c.window.dilation[i] != 1)
      return refuse("only filters of 3 x 3 that move by 1");
  if (chain.addend >= 0) return refuse("a sum is not fused");
  const graph::Constant& filter = *chain.infos[c.filter].value;
  const auto* weights = reinterpret_cast<const float*>(filter.bytes.data());
  if (!std::all_of(weights, weights + filter.bytes.size() / sizeof(float),
                   [](float weight) { return std::fabs(weight) <= largest_weight; }))
    return refuse("the weights are too large");
  return {};
}

Geometry read_geometry(const Convolution& c, const Shape& x, const Shape& y) {
  const size_t rows = c.axes.spatial[0], columns = c.axes.spatial[1];
  return {x[c.axes.batch],
          x[rows],
          x[columns],
          c.input_channels,
          y[rows],
          y[columns],
          c.output_channels,
          c.window.pad_begin[0],
          c.window.pad_begin[1]};
}

MadeKernel make(const KernelRequest& request) {
  const Chain chain = TRY(onednn::read_chain(request));
  const graph::InferContext context(*chain.head, chain.infos);
  const Convolution c = TRY(graph::read_convolution(context));
  TRY(check(request, chain, c));
  const Geometry g = read_geometry(c, chain.infos[c.x].shape, request.outputs[0].shape);
  if (g.tiles() < fewest_tiles) return refuse("the image is small");
  const PackedWeights weights =
      TRY(panels::pack_filter("winograd", c, chain.infos[c.filter], points * g.inputs * g.outputs, transform_filter));
  return std::unique_ptr<Kernel>(new WinogradConvolution(request, chain, c, g, weights));
}

constexpr KernelRow rows[] = {{"Conv2D", "winograd", make}, {"Conv2D", "fused winograd", make}};

}  // namespace

std::span<const KernelRow> winograd_rows() { return rows; }

}  // namespace belay::backend::cpu
