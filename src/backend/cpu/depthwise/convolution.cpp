// SPDX-License-Identifier: Apache-2.0
// Convolutions of each channel by itself: as many groups as channels.
#include "graph/infer/convolution.h"

#include <algorithm>

#include "backend/cpu/depthwise/convolve_row.h"
#include "backend/cpu/nn/volume.h"
#include "backend/cpu/panels/filter.h"
#include "backend/cpu/panels/product.h"
#include "backend/cpu/rows.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

using graph::Convolution;

// Tap by tap, the output channels of all groups side by side.
void pack(const panels::Filter& f, int64_t group, int64_t first, float* to) {
  const int64_t channels = f.groups * f.outputs, end = std::min(first + panels::panel_width, f.outputs);
  for_each_place(f.size, [&](const Triple& k) {
    const int64_t tap = k[0] * f.along[0] + k[1] * f.along[1] + k[2] * f.along[2];
    for (int64_t o = first; o < end; ++o) to[group * f.outputs + o] = f.at(group, o, 0)[tap];
    to += channels;
  });
}

class DepthwiseConvolution : public Kernel {
 public:
  DepthwiseConvolution(const KernelRequest& request, const Chain& chain, const Convolution& c,
                       const panels::Filter& filter, PackedWeights weights)
      : volume_(c.window),
        batch_(c.batch),
        inputs_(c.input_channels),
        outputs_(c.output_channels),
        several_(c.output_channels / c.input_channels),
        filter_(filter),
        x_(panels::input_at(chain, c.x)),
        weights_input_(panels::input_at(chain, c.filter)),
        bias_(panels::input_at(chain, c.bias)),
        addend_(chain.addend),
        steps_(panels::steps_of(chain.activation)),
        layout_(c.axes.channel == 1 ? Layout::ChannelsLast : Layout::Plain),
        chunks_((outputs_ + chunk - 1) / chunk),
        threads_(std::max(request.threads, 1)),
        weights_(std::move(weights)) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    const auto* weights = static_cast<const float*>(weights_.get());
    if (!weights) {
      auto* packed = reinterpret_cast<float*>(scratch_ + static_cast<size_t>(threads_) * thread_bytes());
      panels::Filter given = filter_;
      given.data = inputs[static_cast<size_t>(weights_input_)].as<const float>();
      panels::pack_panels(given, pack, packed);
      weights = packed;
    }
    const int64_t rows = batch_ * volume_.output[0] * volume_.output[1];
    const auto elements = static_cast<double>(rows * volume_.output[2] * outputs_);
    const int64_t most = std::min(threads_, threads_for(2 * elements * double(taps()), 8 * elements));
    parallel_pieces(rows * chunks_, most, [&](int64_t piece, int64_t thread) {
      run_piece(inputs, weights, outputs[0].as<float>(), piece % chunks_ * chunk, piece / chunks_, thread);
    });
    return {};
  }

  Layout wants(size_t i) const override {
    return static_cast<int>(i) == x_ || static_cast<int>(i) == addend_ ? layout_ : Layout::Plain;
  }
  Layout gives(size_t) const override { return layout_; }
  bool in_place(size_t, size_t i) const override { return static_cast<int>(i) == addend_; }
  bool packed(size_t i) const override { return weights_ && static_cast<int>(i) == weights_input_; }
  size_t scratch_bytes() const override {
    const size_t packed = weights_ ? 0 : static_cast<size_t>(taps() * outputs_) * sizeof(float);
    return static_cast<size_t>(threads_) * thread_bytes() + packed;
  }
  void set_scratch(void* scratch) override { scratch_ = static_cast<std::byte*>(scratch); }

 private:
  static constexpr int64_t chunk = 128;  // channels of a piece

  int64_t taps() const { return volume_.kernel[0] * volume_.kernel[1] * volume_.kernel[2]; }
  int64_t rows_seen() const { return volume_.kernel[0] * volume_.kernel[1]; }
  size_t rows_bytes() const { return (static_cast<size_t>(rows_seen()) * sizeof(depthwise::SeenRow) + 63) / 64 * 64; }
  // A row of x with each channel as often as it has outputs.
  int64_t repeated_row() const { return several_ > 1 ? volume_.input[2] * chunk : 0; }
  size_t thread_bytes() const {
    return rows_bytes() + static_cast<size_t>(rows_seen() * repeated_row()) * sizeof(float);
  }

  void run_piece(std::span<const Tensor> inputs, const float* weights, float* y, int64_t channel, int64_t row,
                 int64_t thread) const {
    const Volume& v = volume_;
    const int64_t channels = std::min(chunk, outputs_ - channel), place = row * v.output[2] * outputs_ + channel;
    std::byte* own = scratch_ + static_cast<size_t>(thread) * thread_bytes();
    const auto input = [&](int i) { return i < 0 ? nullptr : inputs[static_cast<size_t>(i)].as<const float>(); };
    const float *bias = input(bias_), *addend = input(addend_);
    auto* seen = reinterpret_cast<depthwise::SeenRow*>(own);
    const size_t count = find_rows(input(x_), weights, channel, row, seen);
    if (several_ > 1) repeat({seen, count}, channel, channels, reinterpret_cast<float*>(own + rows_bytes()));
    depthwise::convolve_row({v.input[2], v.output[2], several_ > 1 ? chunk : inputs_, v.kernel[2], v.stride[2],
                             v.dilation[2], v.pad_begin[2]},
                            {{seen, count},
                             channels,
                             outputs_,
                             {bias ? bias + channel : nullptr, addend ? addend + place : nullptr, steps_},
                             y + place});
  }

  // The rows of x that a row of y sees.
  size_t find_rows(const float* x, const float* weights, int64_t channel, int64_t row, depthwise::SeenRow* seen) const {
    const Volume& v = volume_;
    const int64_t line = v.input[2] * inputs_, plane = v.input[1] * line;
    const int64_t h = row % v.output[1], d = row / v.output[1] % v.output[0];
    x += row / (v.output[0] * v.output[1]) * v.input[0] * plane + channel / several_;
    weights += channel;
    size_t count = 0;
    for (int64_t kd = 0; kd < v.kernel[0]; ++kd)
      for (int64_t kh = 0; kh < v.kernel[1]; ++kh, weights += v.kernel[2] * outputs_) {
        const int64_t z = d * v.stride[0] - v.pad_begin[0] + kd * v.dilation[0];
        const int64_t at = h * v.stride[1] - v.pad_begin[1] + kh * v.dilation[1];
        if (z >= 0 && z < v.input[0] && at >= 0 && at < v.input[1])
          seen[count++] = {x + z * plane + at * line, weights};
      }
    return count;
  }

  void repeat(std::span<depthwise::SeenRow> seen, int64_t channel, int64_t channels, float* to) const {
    const int64_t begun = channel % several_;
    for (depthwise::SeenRow& row : seen) {
      float* repeated = to;
      for (int64_t place = 0; place < volume_.input[2]; ++place, to += chunk) {
        const float* from = row.x + place * inputs_;
        int64_t left = several_ - begun;
        for (int64_t c = 0; c < channels; ++c) {
          to[c] = *from;
          if (--left == 0) ++from, left = several_;
        }
      }
      row.x = repeated;
    }
  }

  const Volume volume_;
  const int64_t batch_, inputs_, outputs_, several_;
  const panels::Filter filter_;
  const int x_, weights_input_, bias_, addend_;
  const std::vector<panels::Step> steps_;
  const Layout layout_;
  const int64_t chunks_, threads_;
  const PackedWeights weights_;  // null: packed at each run
  std::byte* scratch_ = nullptr;
};

MadeKernel make(const KernelRequest& request) {
  const Chain chain = TRY(read_chain(request));
  const graph::InferContext context(*chain.head, chain.infos);
  const Convolution c = TRY(graph::read_convolution(context));
  TRY(panels::check_convolution(request, chain, c));
  if (c.groups != c.input_channels || (c.groups == 1 && !c.depthwise_filter))
    return refuse("there are not as many groups as channels");
  const graph::TensorInfo& info = chain.infos[c.filter];
  const panels::Filter filter(c, info.shape, info.value ? info.value->bytes.data() : nullptr);
  PackedWeights weights;
  if (info.value) weights = TRY(panels::pack_filter("depthwise", filter, graph::element_count(info.shape), pack));
  return std::unique_ptr<Kernel>(new DepthwiseConvolution(request, chain, c, filter, std::move(weights)));
}

constexpr KernelRow rows[] = {
    {"Conv2D", "depthwise", make},       {"Conv2D", "fused depthwise", make},    {"Conv3D", "depthwise", make},
    {"Conv3D", "fused depthwise", make}, {"DepthwiseConv2D", "depthwise", make},
};

}  // namespace

std::span<const KernelRow> depthwise_rows() { return rows; }

}  // namespace belay::backend::cpu
