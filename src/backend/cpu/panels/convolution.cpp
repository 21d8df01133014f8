// SPDX-License-Identifier: Apache-2.0
// A convolution as a product: each place of y is a row, made of the pixels that the filter sees there.
#include "graph/convolution.h"

#include <algorithm>
#include <vector>

#include "backend/cpu/fast_rows.h"
#include "backend/cpu/panels/filter.h"
#include "backend/cpu/panels/product.h"
#include "backend/cpu/parallel.h"

namespace belay::backend::cpu {
namespace {

using graph::Convolution;
using namespace panels;

struct Geometry {
  int64_t height, width, inputs;           // of x
  int64_t out_height, out_width, outputs;  // of y
  int64_t rows;                            // places of y in all images
  graph::Window window;
  int64_t depth() const { return window.kernel[0] * window.kernel[1] * inputs; }
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
        x_(input_at(chain, c.x)),
        filter_(input_at(chain, c.filter)),
        bias_(input_at(chain, c.bias)),
        addend_(chain.addend),
        steps_(steps_of(chain.activation)),
        layout_(c.axes.channel == 1 ? Layout::ChannelsLast : Layout::Plain),
        pieces_(divide(geometry_, std::max(request.threads, 1))),
        threads_(std::clamp<int64_t>(request.threads, 1, pieces_.of_rows * pieces_.of_columns)),
        weights_(std::move(weights)),
        zeros_(static_cast<size_t>(geometry_.inputs)) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    parallel_pieces(pieces_.of_rows * pieces_.of_columns, threads_, [&](int64_t piece, int64_t thread) {
      const int64_t r = piece % pieces_.of_rows, c = piece / pieces_.of_rows * pieces_.columns;
      run_piece(inputs, outputs[0].as<float>(), thread,
                {begin_of(r, pieces_.of_rows, geometry_.rows), begin_of(r + 1, pieces_.of_rows, geometry_.rows)},
                {c, std::min(c + pieces_.columns, geometry_.outputs)});
    });
    return {};
  }

  Layout wants(size_t i) const override {
    return static_cast<int>(i) == x_ || static_cast<int>(i) == addend_ ? layout_ : Layout::Plain;
  }
  Layout gives(size_t) const override { return layout_; }
  bool in_place(size_t, size_t i) const override { return static_cast<int>(i) == addend_; }
  bool packed(size_t i) const override { return static_cast<int>(i) == filter_; }
  size_t scratch_bytes() const override { return static_cast<size_t>(threads_) * thread_bytes(); }
  void set_scratch(void* scratch) override { scratch_ = static_cast<std::byte*>(scratch); }

 private:
  struct Range {
    int64_t begin, end;
  };
  // What is computed at a time, by one thread.
  struct Pieces {
    int64_t of_rows, of_columns;  // how many
    int64_t columns;              // of a piece, at the most
  };

  // What is used again and again shall stay in the second cache: a small filter, or else one panel of it and x.
  static Pieces divide(const Geometry& g, int64_t threads) {
    constexpr int64_t small_filter = 160 * 1024, most_rows = 102;
    const int64_t of_rows = (g.rows + most_rows - 1) / most_rows;
    if (g.depth() * g.outputs > small_filter || of_rows < 4 * threads)
      return {of_rows, (g.outputs + panel_width - 1) / panel_width, panel_width};
    return {(of_rows + threads - 1) / threads * threads, 1, g.outputs};
  }

  int64_t rows_together() const { return longest_part(pieces_.of_rows, geometry_.rows); }
  int64_t taps() const { return geometry_.window.kernel[0] * geometry_.window.kernel[1]; }
  size_t sum_bytes() const { return static_cast<size_t>(rows_together() * panel_width) * sizeof(float); }
  size_t thread_bytes() const {
    constexpr size_t line = 64;
    const size_t pointers = static_cast<size_t>(rows_together() * taps()) * sizeof(float*);
    return sum_bytes() + (pointers + line - 1) / line * line;
  }

  void run_piece(std::span<const Tensor> inputs, float* y, int64_t thread, Range rows, Range columns) {
    const float* bias = bias_ < 0 ? nullptr : inputs[static_cast<size_t>(bias_)].as<const float>();
    const float* addend = addend_ < 0 ? nullptr : inputs[static_cast<size_t>(addend_)].as<const float>();
    const int64_t depth = geometry_.depth(), outputs = geometry_.outputs, count = rows.end - rows.begin;
    std::byte* own = scratch_ + static_cast<size_t>(thread) * thread_bytes();
    auto* sums = reinterpret_cast<float*>(own);
    auto** seen = reinterpret_cast<const float**>(own + sum_bytes());
    find_rows(inputs[static_cast<size_t>(x_)].as<const float>(), rows.begin, count, seen);
    for (int64_t c = columns.begin; c < columns.end; c += panel_width) {
      const int64_t place = rows.begin * outputs + c;
      multiply({seen, count, count, taps(), geometry_.inputs}, static_cast<const float*>(weights_.get()) + c * depth,
               width_at(c, outputs), {bias ? bias + c : nullptr, addend ? addend + place : nullptr, steps_}, sums,
               y + place, outputs);
    }
  }

  // Where each tap of the filter finds its pixel, for `count` places of y. What lies outside of x is zeros.
  void find_rows(const float* x, int64_t first, int64_t count, const float** seen) const {
    const Geometry& g = geometry_;
    const graph::Window& w = g.window;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t image = (first + i) / (g.out_height * g.out_width);
      const int64_t top = (first + i) / g.out_width % g.out_height * w.stride[0] - w.pad_begin[0];
      const int64_t left = (first + i) % g.out_width * w.stride[1] - w.pad_begin[1];
      const float** to = seen + i;
      for (int64_t ky = 0; ky < w.kernel[0]; ++ky)
        for (int64_t kx = 0; kx < w.kernel[1]; ++kx, to += count) {
          const int64_t row = top + ky * w.dilation[0], column = left + kx * w.dilation[1];
          const bool inside = row >= 0 && row < g.height && column >= 0 && column < g.width;
          *to = inside ? x + ((image * g.height + row) * g.width + column) * g.inputs : zeros_.data();
        }
    }
  }

  const Geometry geometry_;
  const int x_, filter_, bias_, addend_;
  const std::vector<Step> steps_;
  const Layout layout_;
  const Pieces pieces_;
  const int64_t threads_;  // that can have one
  const PackedWeights weights_;
  const std::vector<float> zeros_;
  std::byte* scratch_ = nullptr;
};

// The taps one after the other, as `find_rows` has them. Some inputs at a time, so that both sides stay in the cache.
void pack_panel(const Filter& filter, int64_t first, float* to) {
  const int64_t inputs_together = std::max<int64_t>(64 / (filter.height * filter.width), 4);
  const int64_t width = width_at(first, filter.outputs);
  to += first * filter.height * filter.width * filter.inputs;
  for (int64_t from = 0; from < filter.inputs; from += inputs_together)
    for (int64_t o = 0; o < width; ++o)
      for (int64_t i = from; i < std::min(from + inputs_together, filter.inputs); ++i) {
        const float* weights = filter.at(first + o, i);
        float* place = to + i * width + o;
        for (int64_t y = 0; y < filter.height; ++y)
          for (int64_t x = 0; x < filter.width; ++x, place += filter.inputs * width)
            *place = weights[y * filter.along_y + x * filter.along_x];
      }
}

MadeKernel make(const KernelRequest& request) {
  const Chain chain = TRY(read_chain(request));
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
