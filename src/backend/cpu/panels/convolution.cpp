// SPDX-License-Identifier: Apache-2.0
// A convolution as a product: each place of y is a row, with what the filter sees there side by side.
#include "graph/convolution.h"

#include <algorithm>
#include <cstring>

#include "backend/cpu/fast_rows.h"
#include "backend/cpu/panels/filter.h"
#include "backend/cpu/panels/product.h"
#include "backend/cpu/parallel.h"

namespace belay::backend::cpu {
namespace {

using graph::Convolution;
using onednn::Chain;
using onednn::PackedWeights;
using namespace panels;

struct Geometry {
  int64_t height, width, inputs;           // of x
  int64_t out_height, out_width, outputs;  // of y
  int64_t rows;                            // places of y in all images
  graph::Window window;
  int64_t depth() const { return window.kernel[0] * window.kernel[1] * inputs; }
  // Whether rows of x are what the filter sees.
  bool is_pointwise() const {
    for (size_t i = 0; i < 2; ++i)
      if (window.kernel[i] != 1 || window.stride[i] != 1 || window.pad_begin[i] != 0) return false;
    return height == out_height && width == out_width;
  }
};

Geometry read_geometry(const Convolution& c, const Shape& x, const Shape& y) {
  const size_t row = c.axes.spatial[0], column = c.axes.spatial[1];
  return {
      x[row],  x[column], c.input_channels, y[row], y[column], c.output_channels, y[c.axes.batch] * y[row] * y[column],
      c.window};
}

class PanelConvolution : public Kernel {
 public:
  PanelConvolution(const KernelRequest& request, const Chain& chain, const Convolution& c, Geometry g,
                   PackedWeights weights)
      : geometry_(std::move(g)),
        pointwise_(geometry_.is_pointwise()),
        x_(input_at(chain, c.x)),
        filter_(input_at(chain, c.filter)),
        bias_(input_at(chain, c.bias)),
        addend_(chain.addend),
        relu_(!chain.activation.empty()),
        layout_(c.axes.channel == 1 ? Layout::ChannelsLast : Layout::Plain),
        threads_(std::max(request.threads, 1)),
        together_(rows_together(geometry_)),
        weights_(std::move(weights)) {
    // The threads share the rows, or the panels where these are the larger part of what is read.
    row_parts_ = geometry_.rows >= geometry_.outputs ? threads_ : 1;
  }

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    const int64_t panels = (geometry_.outputs + panel_width - 1) / panel_width;
    const int64_t panel_parts = threads_ / row_parts_;
    parallel_for(threads_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        const int64_t r = part % row_parts_, p = part / row_parts_;
        run_part(inputs, outputs[0].as<float>(), part,
                 {geometry_.rows * r / row_parts_, geometry_.rows * (r + 1) / row_parts_},
                 {panels * p / panel_parts * panel_width,
                  std::min(panels * (p + 1) / panel_parts * panel_width, geometry_.outputs)});
      }
    });
    return {};
  }

  Layout wants(size_t i) const override {
    return static_cast<int>(i) == x_ || static_cast<int>(i) == addend_ ? layout_ : Layout::Plain;
  }
  Layout gives(size_t) const override { return layout_; }
  bool in_place(size_t, size_t i) const override { return static_cast<int>(i) == addend_; }
  bool packed(size_t i) const override { return static_cast<int>(i) == filter_; }
  size_t scratch_bytes() const override { return static_cast<size_t>(threads_ * scratch_floats()) * sizeof(float); }
  void set_scratch(void* scratch) override { scratch_ = static_cast<float*>(scratch); }

 private:
  struct Range {
    int64_t begin, end;
  };

  // Rows of one pass: what they see shall stay in the second cache. The passes are of equal length.
  static int64_t rows_together(const Geometry& g) {
    const int64_t most = std::clamp<int64_t>(262144 / g.depth(), 24, 96);
    const int64_t passes = (g.rows + most - 1) / most;
    return (g.rows + passes - 1) / passes;
  }
  int64_t scratch_floats() const {
    const int64_t floats = together_ * (panel_width + (pointwise_ ? 0 : geometry_.depth()));
    return (floats + lane_step - 1) / lane_step * lane_step;
  }

  void run_part(std::span<const Tensor> inputs, float* y, int64_t part, Range rows, Range columns) {
    const auto* x = inputs[static_cast<size_t>(x_)].as<const float>();
    const float* bias = bias_ < 0 ? nullptr : inputs[static_cast<size_t>(bias_)].as<const float>();
    const float* addend = addend_ < 0 ? nullptr : inputs[static_cast<size_t>(addend_)].as<const float>();
    const int64_t depth = geometry_.depth(), outputs = geometry_.outputs;
    float* m = scratch_ + part * scratch_floats();
    float* seen = m + together_ * panel_width;
    for (int64_t first = rows.begin; first < rows.end; first += together_) {
      const int64_t count = std::min(together_, rows.end - first);
      if (!pointwise_) gather(x, first, count, seen);
      const float* a = pointwise_ ? x + first * depth : seen;
      for (int64_t c = columns.begin; c < columns.end; c += panel_width) {
        const int64_t width = width_at(c, outputs), place = first * outputs + c;
        multiply(a, depth, static_cast<const float*>(weights_.get()) + c * depth, count, depth, width, m);
        finish(m, count, width, {bias ? bias + c : nullptr, addend ? addend + place : nullptr, relu_}, y + place,
               outputs);
      }
    }
  }

  void gather(const float* x, int64_t first, int64_t count, float* seen) const {
    const Geometry& g = geometry_;
    const graph::Window& w = g.window;
    const size_t pixel = static_cast<size_t>(g.inputs) * sizeof(float);
    for (int64_t place = first; place < first + count; ++place) {
      const int64_t image = place / (g.out_height * g.out_width);
      const int64_t top = place / g.out_width % g.out_height * w.stride[0] - w.pad_begin[0];
      const int64_t left = place % g.out_width * w.stride[1] - w.pad_begin[1];
      for (int64_t ky = 0; ky < w.kernel[0]; ++ky)
        for (int64_t kx = 0; kx < w.kernel[1]; ++kx, seen += g.inputs) {
          const int64_t row = top + ky * w.dilation[0], column = left + kx * w.dilation[1];
          if (row >= 0 && row < g.height && column >= 0 && column < g.width)
            std::memcpy(seen, x + ((image * g.height + row) * g.width + column) * g.inputs, pixel);
          else
            std::memset(seen, 0, pixel);
        }
    }
  }

  const Geometry geometry_;
  const bool pointwise_;
  const int x_, filter_, bias_, addend_;
  const bool relu_;
  const Layout layout_;
  const int64_t threads_, together_;
  int64_t row_parts_ = 1;
  const PackedWeights weights_;
  float* scratch_ = nullptr;
};

// Rows in the order in which `gather` puts what the filter sees.
void pack_panel(const Filter& filter, int64_t first, float* to) {
  const int64_t width = width_at(first, filter.outputs);
  to += first * filter.height * filter.width * filter.inputs;
  for (int64_t y = 0; y < filter.height; ++y)
    for (int64_t x = 0; x < filter.width; ++x)
      for (int64_t i = 0; i < filter.inputs; ++i, to += width)
        for (int64_t o = 0; o < width; ++o) to[o] = filter.at(first + o, i)[y * filter.along_y + x * filter.along_x];
}

MadeKernel make(const KernelRequest& request) {
  const Chain chain = TRY(onednn::read_chain(request));
  const graph::InferContext context(*chain.head, chain.infos);
  const Convolution c = TRY(graph::read_convolution(context));
  TRY(check_convolution(request, chain, c));
  Geometry g = read_geometry(c, chain.infos[c.x].shape, request.outputs[0].shape);
  const PackedWeights weights = TRY(pack_filter("panels", c, chain.infos[c.filter], g.depth() * g.outputs, pack_panel));
  return std::unique_ptr<Kernel>(new PanelConvolution(request, chain, c, std::move(g), weights));
}

constexpr KernelRow rows[] = {{"Conv2D", "panels", make}, {"Conv2D", "fused panels", make}};

}  // namespace

std::span<const KernelRow> panel_convolution_rows() { return rows; }

}  // namespace belay::backend::cpu
