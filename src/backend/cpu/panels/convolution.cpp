// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/convolution.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "backend/cpu/broadcast.h"
#include "backend/cpu/move/strided_copy.h"
#include "backend/cpu/panels/division.h"
#include "backend/cpu/panels/filter.h"
#include "backend/cpu/panels/geometry.h"
#include "backend/cpu/panels/product.h"
#include "backend/cpu/rows.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

using graph::Convolution;
using namespace panels;

// Of the packed filter: the panels of the first group, then those of the next.
int64_t panel_at(int64_t outputs, int64_t depth, int64_t group, int64_t first) {
  return (group * pitch_of(outputs) + first) * depth;
}

// Whether the inputs of an output lie side by side, each with all its taps.
bool is_row(const Filter& filter, int64_t taps) {
  const auto& [depth, height, width] = filter.size;
  return filter.along_input == taps && (width == 1 || filter.along[2] == 1) &&
         (height == 1 || filter.along[1] == width) && (depth == 1 || filter.along[0] == height * width);
}

// Such a filter: rows become columns, which then go to their taps.
void turn_panel(const Filter& filter, int64_t group, int64_t first, int64_t taps, float* to) {
  const int64_t width = width_at(first, filter.outputs), pitch = pitch_of(width), inputs = filter.inputs;
  if (taps == 1) return turn_floats(to, pitch, filter.at(group, first, 0), filter.along_output, inputs, width);
  const int64_t inputs_together = std::max<int64_t>(64 / taps, 1);
  std::vector<float> turned(static_cast<size_t>(inputs_together * taps * width));
  for (int64_t from = 0; from < inputs; from += inputs_together) {
    const int64_t rows = std::min(inputs_together, inputs - from) * taps;
    turn_floats(turned.data(), width, filter.at(group, first, from), filter.along_output, rows, width);
    for (int64_t r = 0; r < rows; ++r)
      std::copy_n(turned.data() + r * width, width, to + (r % taps * inputs + from + r / taps) * pitch);
  }
}

// The taps one after the other, as `find_rows` has them.
void pack_panel(const Filter& filter, int64_t group, int64_t first, float* to) {
  const int64_t taps = filter.size[0] * filter.size[1] * filter.size[2], inputs = filter.inputs;
  const int64_t width = width_at(first, filter.outputs), pitch = pitch_of(width);
  to += panel_at(filter.outputs, taps * inputs, group, first);
  for (int64_t k = 0; k < taps * inputs && pitch > width; ++k) std::fill_n(to + k * pitch + width, pitch - width, 0.0f);
  if (is_row(filter, taps)) return turn_panel(filter, group, first, taps, to);
  for (int64_t i = 0; i < inputs; ++i)
    for (int64_t o = 0; o < width; ++o) {
      const float* weights = filter.at(group, first + o, i);
      float* place = to + i * pitch + o;
      for_each_place(filter.size, [&](const Triple& k) {
        *place = weights[k[0] * filter.along[0] + k[1] * filter.along[1] + k[2] * filter.along[2]];
        place += inputs * pitch;
      });
    }
}

class PanelConvolution : public Kernel {
 public:
  PanelConvolution(const KernelRequest& request, const Chain& chain, const Convolution& c, Filter filter,
                   PackedWeights weights, std::optional<Gathered> gathered, Layout taken)
      : gathered_(std::move(gathered)),
        geometry_(gathered_ ? gathered_->geometry() : Geometry(c)),
        x_(input_at(chain, c.x)),
        filter_(input_at(chain, c.filter)),
        bias_(input_at(chain, c.bias)),
        addend_(chain.addend),
        steps_(steps_of(chain.activation)),
        takes_(taken),
        gives_(c.axes.channel == 1 ? Layout::ChannelsLast : Layout::Plain),
        threads_(std::clamp<int64_t>(request.threads, 1, worth_threads(geometry_))),
        division_(geometry_, threads_),
        given_(std::move(filter)),
        weights_(std::move(weights)),
        zeros_(static_cast<size_t>(geometry_.groups * geometry_.inputs)) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    const auto floats_of = [&](int i) { return i < 0 ? nullptr : inputs[static_cast<size_t>(i)].as<const float>(); };
    Operands o{floats_of(x_), static_cast<const float*>(weights_.get()), floats_of(bias_), floats_of(addend_),
               outputs[0].as<float>()};
    if (!weights_) {
      given_.data = floats_of(filter_);
      pack_panels(given_, pack_panel, scratch_);
      o.filter = scratch_;
    }
    if (gathered_) {
      float* copy = scratch_ + lines(packed_here());
      gathered_->copy(o.x, copy);
      o.x = copy;
    }
    parallel_pieces(division_.pieces(), threads_,
                    [&](int64_t piece, int64_t thread) { run_piece(o, thread, division_.piece(piece)); });
    return {};
  }

  Layout wants(size_t i) const override {
    if (static_cast<int>(i) == x_) return takes_;
    return static_cast<int>(i) == addend_ ? gives_ : Layout::Plain;
  }
  Layout gives(size_t) const override { return gives_; }
  bool in_place(size_t, size_t i) const override { return static_cast<int>(i) == addend_; }
  bool packed(size_t i) const override { return weights_ && static_cast<int>(i) == filter_; }
  size_t scratch_bytes() const override {
    return static_cast<size_t>(shared_floats()) * sizeof(float) + static_cast<size_t>(threads_) * thread_bytes();
  }
  void set_scratch(void* scratch) override { scratch_ = static_cast<float*>(scratch); }

 private:
  struct Operands {
    const float *x, *filter, *bias, *addend;
    float* y;
  };
  // Whole lines of the cache.
  static int64_t lines(int64_t floats) { return (floats + 15) / 16 * 16; }
  int64_t packed_here() const {
    return weights_ ? 0 : geometry_.groups * geometry_.depth() * pitch_of(geometry_.outputs);
  }
  int64_t shared_floats() const { return lines(packed_here()) + lines(gathered_ ? gathered_->count() : 0); }
  size_t sum_bytes() const { return static_cast<size_t>(division_.longest() * panel_width) * sizeof(float); }
  size_t thread_bytes() const {
    constexpr size_t line = 64;
    const size_t pointers = static_cast<size_t>(division_.longest() * geometry_.taps()) * sizeof(float*);
    return sum_bytes() + (pointers + line - 1) / line * line;
  }

  void run_piece(const Operands& o, int64_t thread, const Division::Piece& piece) const {
    const auto& [rows, panels] = piece;
    const Geometry& g = geometry_;
    const int64_t count = rows.end - rows.begin, stride = g.groups * g.outputs;
    const int64_t of_group = panels_of(g) / g.groups;
    std::byte* own =
        reinterpret_cast<std::byte*>(scratch_ + shared_floats()) + static_cast<size_t>(thread) * thread_bytes();
    auto* sums = reinterpret_cast<float*>(own);
    auto** seen = reinterpret_cast<const float**>(own + sum_bytes());
    find_rows(g, o.x, zeros_.data(), rows.begin, count, seen);
    for (int64_t p = panels.begin; p < panels.end; ++p) {
      const int64_t group = p / of_group, c = p % of_group * panel_width, channel = group * g.outputs + c;
      const int64_t place = rows.begin * stride + channel;
      multiply({seen, count, count, g.taps(), g.inputs, group * g.inputs},
               o.filter + panel_at(g.outputs, g.depth(), group, c), width_at(c, g.outputs),
               {o.bias ? o.bias + channel : nullptr, o.addend ? o.addend + place : nullptr, steps_}, sums, o.y + place,
               stride);
    }
  }

  const std::optional<Gathered> gathered_;
  const Geometry geometry_;
  const int x_, filter_, bias_, addend_;
  const std::vector<Step> steps_;
  const Layout takes_, gives_;
  const int64_t threads_;  // that it pays for
  const Division division_;
  Filter given_;
  const PackedWeights weights_;  // null: the filter is packed at each run
  const std::vector<float> zeros_;
  float* scratch_ = nullptr;  // the packed filter and the copy of x, where they are needed; then each thread's
};

// x as it comes is copied where it has few channels: the copy costs less than pieces of so few elements.
std::optional<Gathered> gather(const Convolution& c, const Shape& x, Layout layout) {
  if (c.groups != 1 || c.input_channels >= lane_step || c.window.dilation.back() != 1) return {};
  Shape strides = row_major_strides(x);
  if (layout == Layout::ChannelsLast) {
    strides[1] = 1;
    for (size_t d = x.size(), step = static_cast<size_t>(x[1]); d-- > 2; step *= static_cast<size_t>(x[d]))
      strides[d] = static_cast<int64_t>(step);
  }
  return Gathered(Geometry(c), VolumeStrides(strides, c.axes));
}

MadeKernel make(const KernelRequest& request) {
  const Chain chain = TRY(read_chain(request));
  const graph::InferContext context(*chain.head, chain.infos);
  const Convolution c = TRY(graph::read_convolution(context));
  TRY(check_convolution(request, chain, c));
  if (c.groups > 1 && c.input_channels == c.groups) return refuse("each channel is by itself");
  const graph::TensorInfo& given = chain.infos[c.filter];
  const Filter filter(c, given.shape, given.value ? given.value->bytes.data() : nullptr);
  PackedWeights weights;
  if (given.value) weights = TRY(pack_taps(filter));
  const auto x = static_cast<size_t>(input_at(chain, c.x));
  const bool last =
      c.axes.channel == 1 && x < request.input_layouts.size() && request.input_layouts[x] == Layout::ChannelsLast;
  const Layout comes = last ? Layout::ChannelsLast : Layout::Plain;
  auto gathered = gather(c, chain.infos[c.x].shape, comes);
  const Layout taken = gathered ? comes : c.axes.channel == 1 ? Layout::ChannelsLast : Layout::Plain;
  return std::unique_ptr<Kernel>(new PanelConvolution(request, chain, c, filter, weights, std::move(gathered), taken));
}

constexpr KernelRow rows[] = {
    {"Conv2D", "panels", make},
    {"Conv2D", "fused panels", make},
    {"Conv3D", "panels", make},
    {"Conv3D", "fused panels", make},
};
}  // namespace

Result<PackedWeights> panels::pack_taps(const Filter& filter) {
  const int64_t depth = filter.size[0] * filter.size[1] * filter.size[2] * filter.inputs;
  return pack_filter("panels", filter, panel_at(filter.outputs, depth, filter.groups, 0), pack_panel);
}

std::span<const KernelRow> panel_convolution_rows() { return rows; }

}  // namespace belay::backend::cpu
