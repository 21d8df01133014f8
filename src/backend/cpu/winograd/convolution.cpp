// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/convolution.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "backend/cpu/panels/geometry.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/winograd/guard.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

using graph::Convolution;
using namespace winograd;

// Below it, the fewer products do not pay for reading 16 or 36 weights instead of 9.
constexpr int64_t fewest_tiles = 40;
constexpr float largest_weight = 0x1p20f;  // with greater ones sums might overflow

// Groups of tiles that are transformed at a time and stay in the second cache, while one panel of the filter after the
// other is used. The same number for each thread, unless the groups would become too small to pay for a panel.
int64_t divide(const Geometry& g, int64_t threads) {
  constexpr int64_t smallest_group = 24;
  static_assert(smallest_group >= panels::row_step, "a group without tiles");
  const int64_t most_tiles = g.tile == 2 ? std::clamp<int64_t>(16384 / g.inputs, smallest_group, 54)
                                         : std::clamp<int64_t>(8192 / g.inputs, smallest_group, 48);
  const int64_t groups = (g.tiles() + most_tiles - 1) / most_tiles, even = (groups + threads - 1) / threads * threads;
  return groups > 1 && g.tiles() >= even * smallest_group ? even : groups;
}

class WinogradConvolution : public Kernel {
 public:
  WinogradConvolution(const KernelRequest& request, const Chain& chain, const Convolution& c, const Geometry& g,
                      const Trust& trust, PackedWeights weights)
      : geometry_(g),
        trust_(trust),
        plainly_(c),
        x_(panels::input_at(chain, c.x)),
        filter_(panels::input_at(chain, c.filter)),
        bias_(panels::input_at(chain, c.bias)),
        addend_(chain.addend),
        steps_(panels::steps_of(chain.activation)),
        layout_(c.axes.channel == 1 ? Layout::ChannelsLast : Layout::Plain),
        groups_(divide(g, std::max(request.threads, 1))),
        threads_(std::clamp<int64_t>(std::min<int64_t>(request.threads, panels::worth_threads(panels::Geometry(c))), 1,
                                     groups_ * panels())),
        weights_(std::move(weights)),
        zeros_(static_cast<size_t>(g.inputs)),
        given_(*chain.infos[c.filter].value),
        taps_of_(c, chain.infos[c.filter].shape, given_.bytes.data()),
        threads_tiles_(static_cast<size_t>(threads_)),
        tame_(std::make_unique<bool[]>(static_cast<size_t>(g.tiles()))) {
    for (Tiles& tiles : threads_tiles_) tiles.tame = std::make_unique<bool[]>(static_cast<size_t>(together()));
  }

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    const auto* x = inputs[static_cast<size_t>(x_)].as<const float>();
    const auto floats_of = [&](int i) { return i < 0 ? nullptr : inputs[static_cast<size_t>(i)].as<const float>(); };
    const panels::Finish how{floats_of(bias_), floats_of(addend_), steps_};
    auto* y = outputs[0].as<float>();
    for (Tiles& tiles : threads_tiles_) tiles.group = -1;
    parallel_pieces(groups_ * panels(), threads_, [&](int64_t piece, int64_t thread) {
      const int64_t group = piece / panels(), panel = piece % panels();
      const Tiles& tiles = transform(x, group, thread);
      if (panel == 0) std::copy_n(tiles.tame.get(), count_of(group), tame_.get() + begin_of(group));
      if (tiles.any_tame) run_panel(group, panel * panels::panel_width, thread, how, y);
    });
    return run_wild(x, how, y);
  }

  Layout wants(size_t i) const override {
    return static_cast<int>(i) == x_ || static_cast<int>(i) == addend_ ? layout_ : Layout::Plain;
  }
  Layout gives(size_t) const override { return layout_; }
  bool packed(size_t i) const override { return static_cast<int>(i) == filter_; }
  size_t scratch_bytes() const override {
    return static_cast<size_t>(threads_ * (tile_floats() + product_floats())) * sizeof(float);
  }
  void set_scratch(void* scratch) override { scratch_ = static_cast<float*>(scratch); }

 private:
  // What a thread has transformed.
  struct Tiles {
    int64_t group = -1;
    std::unique_ptr<bool[]> tame;
    bool any_tame = false;
  };
  // Tiles of one row, one after the other.
  struct Run {
    int64_t first, count;
  };

  int64_t panels() const { return (geometry_.outputs + panels::panel_width - 1) / panels::panel_width; }
  int64_t begin_of(int64_t group) const { return panels::begin_of(group, groups_, geometry_.tiles()); }
  int64_t count_of(int64_t group) const { return begin_of(group + 1) - begin_of(group); }
  int64_t together() const { return panels::longest_part(groups_, geometry_.tiles()); }
  // From a point to the next. A line more than the data: planes whose distance is a multiple of 4096 bytes would fight
  // for the same places of the first cache.
  int64_t plane_of(int64_t channels) const { return together() * channels + panels::lane_step; }
  int64_t tile_floats() const { return geometry_.points() * plane_of(geometry_.inputs); }
  int64_t product_floats() const { return geometry_.points() * plane_of(panels::panel_width); }
  float* tiles_of(int64_t thread) const { return scratch_ + thread * (tile_floats() + product_floats()); }

  // Each thread transforms for itself what its pieces need: to take it out of another core's cache would last longer.
  const Tiles& transform(const float* x, int64_t group, int64_t thread) {
    Tiles& tiles = threads_tiles_[static_cast<size_t>(thread)];
    if (tiles.group == group) return tiles;
    tiles.group = group;
    const int64_t first = begin_of(group), count = count_of(group);
    judge(geometry_, trust_, x, first, count, tiles.tame.get());
    tiles.any_tame = std::find(tiles.tame.get(), tiles.tame.get() + count, true) != tiles.tame.get() + count;
    if (tiles.any_tame)
      transform_input(geometry_, x, zeros_.data(), first, count, tiles_of(thread), plane_of(geometry_.inputs));
    return tiles;
  }

  void run_panel(int64_t group, int64_t channel, int64_t thread, const panels::Finish& how, float* y) const {
    const int64_t depth = geometry_.inputs, width = panels::width_at(channel, geometry_.outputs);
    const int64_t pitch = panels::pitch_of(width);
    const int64_t first = begin_of(group), count = count_of(group), plane = plane_of(panels::panel_width);
    const int64_t points = geometry_.points();
    const float *v = tiles_of(thread), *u = static_cast<const float*>(weights_.get()) + points * channel * depth;
    float* m = tiles_of(thread) + tile_floats();
    std::vector<const float*> rows(static_cast<size_t>(count));
    for (int64_t p = 0; p < points; ++p) {
      for (int64_t t = 0; t < count; ++t) rows[static_cast<size_t>(t)] = v + p * plane_of(depth) + t * depth;
      panels::multiply({rows.data(), count, count, 1, depth}, u + p * depth * pitch, pitch, {}, m + p * plane,
                       m + p * plane, pitch);
    }
    transform_output(geometry_, m, plane, first, count, channel, width, how, y);
  }

  std::vector<Run> wild_runs() const {
    constexpr int64_t most_tiles = 24;
    std::vector<Run> runs;
    for (int64_t t = 0; t < geometry_.tiles(); ++t) {
      if (tame_[static_cast<size_t>(t)]) continue;
      const bool follows = !runs.empty() && runs.back().first + runs.back().count == t &&
                           runs.back().count < most_tiles && t % geometry_.tile_columns() != 0;
      if (follows)
        ++runs.back().count;
      else
        runs.push_back({t, 1});
    }
    return runs;
  }

  // The tiles that break the promise, by plain sums.
  Status run_wild(const float* x, const panels::Finish& how, float* y) {
    const std::vector<Run> runs = wild_runs();
    if (runs.empty()) return {};
    if (!taps_) taps_ = TRY(panels::pack_taps(taps_of_));
    parallel_pieces(static_cast<int64_t>(runs.size()) * panels(), threads_, [&](int64_t piece, int64_t) {
      run_plainly(x, runs[static_cast<size_t>(piece / panels())], piece % panels() * panels::panel_width, how, y);
    });
    return {};
  }

  void run_plainly(const float* x, const Run& run, int64_t channel, const panels::Finish& how, float* y) const {
    const Geometry& g = geometry_;
    const int64_t column = run.first % g.tile_columns() * g.tile, tile_row = run.first / g.tile_columns();
    const int64_t row = tile_row % g.tile_rows() * g.tile, image = tile_row / g.tile_rows();
    const int64_t count = std::min(run.count * g.tile, g.out_width - column), taps = plainly_.taps();
    const int64_t width = panels::width_at(channel, g.outputs);
    std::vector<const float*> seen(static_cast<size_t>(count * taps));
    std::vector<float> sums(static_cast<size_t>(count * panels::pitch_of(width)));
    for (int64_t r = row; r < std::min(row + g.tile, g.out_height); ++r) {
      const int64_t place = (image * g.out_height + r) * g.out_width + column, at = place * g.outputs + channel;
      panels::find_rows(plainly_, x, zeros_.data(), place, count, seen.data());
      panels::multiply({seen.data(), count, count, taps, g.inputs},
                       static_cast<const float*>(taps_.get()) + channel * plainly_.depth(), width,
                       {how.bias ? how.bias + channel : nullptr, how.addend ? how.addend + at : nullptr, how.steps},
                       sums.data(), y + at, g.outputs);
    }
  }

  const Geometry geometry_;
  const Trust trust_;
  const panels::Geometry plainly_;
  const int x_, filter_, bias_, addend_;
  const std::vector<panels::Step> steps_;
  const Layout layout_;
  const int64_t groups_, threads_;
  const PackedWeights weights_;
  const std::vector<float> zeros_;
  const graph::Constant given_;
  const panels::Filter taps_of_;
  PackedWeights taps_;  // null until they are needed
  std::vector<Tiles> threads_tiles_;
  const std::unique_ptr<bool[]> tame_;
  float* scratch_ = nullptr;
};

Status check(const KernelRequest& request, const Chain& chain, const Convolution& c) {
  TRY(panels::check_convolution(request, chain, c));
  if (c.groups != 1 || c.window.rank() != 2) return refuse("only one group and two dimensions");
  if (std::min(c.input_channels, c.output_channels) < panels::lane_step) return refuse("few channels");
  if (!chain.infos[c.filter].value) return refuse("the filter is not constant");
  for (size_t i = 0; i < 2; ++i)
    if (c.window.kernel[i] != 3 || c.window.stride[i] != 1 || c.window.dilation[i] != 1)
      return refuse("only filters of 3 x 3 that move by 1");
  return {};
}

Status check_weights(const graph::Constant& filter) {
  const auto* weights = reinterpret_cast<const float*>(filter.bytes.data());
  if (!std::all_of(weights, weights + filter.bytes.size() / sizeof(float),
                   [](float weight) { return std::fabs(weight) <= largest_weight; }))
    return refuse("the weights are too large");
  return {};
}

Geometry read_geometry(int64_t tile, const Convolution& c, const Shape& x, const Shape& y) {
  const size_t rows = c.axes.spatial[0], columns = c.axes.spatial[1];
  return {tile,
          x[c.axes.batch],
          x[rows],
          x[columns],
          c.input_channels,
          y[rows],
          y[columns],
          c.output_channels,
          c.window.pad_begin[0],
          c.window.pad_begin[1]};
}

template <int64_t tile>
MadeKernel make(const KernelRequest& request) {
  const Chain chain = TRY(read_chain(request));
  const graph::InferContext context(*chain.head, chain.infos);
  const Convolution c = TRY(graph::read_convolution(context));
  TRY(check(request, chain, c));
  const Geometry g = read_geometry(tile, c, chain.infos[c.x].shape, request.outputs[0].shape);
  if (g.tiles() < fewest_tiles) return refuse("the image is small");
  TRY(check_weights(*chain.infos[c.filter].value));
  const panels::Filter filter(c, chain.infos[c.filter].shape, chain.infos[c.filter].value->bytes.data());
  const Trust trust(g, filter);
  if (!trust.suffices(g.inputs))
    return refuse("few channels, or weights that are mostly of few: it would not be exact");
  const PackedWeights weights =
      TRY(panels::pack_filter(tile == 2 ? "winograd" : "winograd 4", filter,
                              g.points() * g.inputs * panels::pitch_of(g.outputs), transform_filter<tile>));
  return std::unique_ptr<Kernel>(new WinogradConvolution(request, chain, c, g, trust, weights));
}

// The larger tile first: it refuses where there are too few of them.
constexpr KernelRow rows[] = {
    {"Conv2D", "winograd 4", make<4>},
    {"Conv2D", "fused winograd 4", make<4>},
    {"Conv2D", "winograd", make<2>},
    {"Conv2D", "fused winograd", make<2>},
};

}  // namespace

std::span<const KernelRow> winograd_rows() { return rows; }

}  // namespace belay::backend::cpu
