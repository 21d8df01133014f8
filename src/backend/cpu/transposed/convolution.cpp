// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions by phases: the places of y that have one remainder by the strides see the same taps of the
// filter, and are a convolution with these alone.
#include "graph/infer/convolution.h"

#include <algorithm>
#include <vector>

#include "backend/cpu/panels/filter.h"
#include "backend/cpu/panels/product.h"
#include "backend/cpu/rows.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

using graph::Convolution;
using panels::panel_width;

// In one dimension: the taps that places with a remainder see, and where from `place / stride` each finds its x.
struct Phase {
  std::vector<int64_t> taps, offsets;
};

std::vector<Phase> phases_of(const Volume& v, size_t d) {
  std::vector<Phase> phases(static_cast<size_t>(v.stride[d]));
  for (int64_t remainder = 0; remainder < v.stride[d]; ++remainder)
    for (int64_t k = 0; k < v.kernel[d]; ++k) {
      const int64_t moved = remainder + v.pad_begin[d] - k * v.dilation[d];
      if (moved % v.stride[d] != 0) continue;
      phases[static_cast<size_t>(remainder)].taps.push_back(k);
      phases[static_cast<size_t>(remainder)].offsets.push_back(moved / v.stride[d]);
    }
  return phases;
}

struct Geometry {
  Geometry(const Convolution& c, const Shape& y)
      : volume(c.window),
        batch(c.batch),
        groups(c.groups),
        inputs(c.input_channels / c.groups),
        outputs(c.output_channels / c.groups) {
    for (size_t i = 0; i < c.axes.spatial.size(); ++i)
      volume.input[3 - c.axes.spatial.size() + i] = y[c.axes.spatial[i]];
    for (size_t d = 0; d < 3; ++d) phases[d] = phases_of(volume, d);
  }
  const Triple& x() const { return volume.output; }
  const Triple& y() const { return volume.input; }
  int64_t depth() const { return volume.kernel[0] * volume.kernel[1] * volume.kernel[2] * inputs; }
  // Floats of a group's packed filter.
  int64_t group_floats() const { return depth() * panels::pitch_of(outputs); }

  Volume volume;                           // the window moves over y
  int64_t batch, groups, inputs, outputs;  // channels of a group
  std::vector<Phase> phases[3];
};

// The remainders of a phase in each dimension.
template <class F>
void for_each_phase(const Geometry& g, const F& f) {
  for_each_place(g.volume.stride, f);
}

int64_t taps_of(const Geometry& g, const Triple& phase) {
  int64_t taps = 1;
  for (size_t d = 0; d < 3; ++d) taps *= static_cast<int64_t>(g.phases[d][static_cast<size_t>(phase[d])].taps.size());
  return taps;
}

// Phase by phase, tap by tap; of each tap the inputs, with the outputs side by side.
void pack(const Geometry& g, const panels::Filter& f, float* to) {
  const int64_t panels_each = (g.outputs + panel_width - 1) / panel_width;
  parallel_for(g.groups * panels_each, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t group = p / panels_each, first = p % panels_each * panel_width;
      const int64_t width = panels::width_at(first, g.outputs), pitch = panels::pitch_of(width);
      float* at = to + group * g.group_floats() + first * g.depth();
      std::fill_n(at, g.depth() * pitch, 0.0f);
      for_each_phase(g, [&](const Triple& phase) {
        const auto taps = [&](size_t d) -> const auto& { return g.phases[d][static_cast<size_t>(phase[d])].taps; };
        for (const int64_t kd : taps(0))
          for (const int64_t kh : taps(1))
            for (const int64_t kw : taps(2))
              for (int64_t i = 0; i < g.inputs; ++i, at += pitch)
                for (int64_t o = 0; o < width; ++o)
                  at[o] = f.at(group, first + o, i)[kd * f.along[0] + kh * f.along[1] + kw * f.along[2]];
      });
    }
  });
}

class TransposedConvolution : public Kernel {
 public:
  TransposedConvolution(const KernelRequest& request, const Chain& chain, const Convolution& c, Geometry g,
                        const panels::Filter& filter, PackedWeights weights)
      : geometry_(std::move(g)),
        filter_(filter),
        x_(panels::input_at(chain, c.x)),
        weights_input_(panels::input_at(chain, c.filter)),
        bias_(panels::input_at(chain, c.bias)),
        layout_(c.axes.channel == 1 ? Layout::ChannelsLast : Layout::Plain),
        threads_(std::max(request.threads, 1)),
        weights_(std::move(weights)),
        zeros_(static_cast<size_t>(geometry_.inputs)) {
    int64_t before = 0;
    for_each_phase(geometry_, [&](const Triple& phase) {
      taps_before_.push_back(before);
      before += taps_of(geometry_, phase);
      most_taps_ = std::max(most_taps_, taps_of(geometry_, phase));
    });
  }

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    const Geometry& g = geometry_;
    const auto* weights = static_cast<const float*>(weights_.get());
    if (!weights) {
      panels::Filter given = filter_;
      given.data = inputs[static_cast<size_t>(weights_input_)].as<const float>();
      auto* packed = reinterpret_cast<float*>(scratch_ + static_cast<size_t>(threads_) * thread_bytes());
      pack(g, given, packed);
      weights = packed;
    }
    const Operands o{inputs[static_cast<size_t>(x_)].as<const float>(), weights,
                     bias_ < 0 ? nullptr : inputs[static_cast<size_t>(bias_)].as<const float>(),
                     outputs[0].as<float>()};
    const int64_t lines = g.batch * g.y()[0] * g.y()[1];
    const auto products = static_cast<double>(g.batch * g.x()[0] * g.x()[1] * g.x()[2] * g.groups * g.outputs) *
                          static_cast<double>(g.depth());
    const int64_t most = std::min(threads_, threads_for(2 * products, 4 * static_cast<double>(outputs[0].count())));
    parallel_pieces(lines * g.groups, most, [&](int64_t piece, int64_t thread) {
      run_line(o, piece / g.groups, piece % g.groups, scratch_ + static_cast<size_t>(thread) * thread_bytes());
    });
    return {};
  }

  Layout wants(size_t i) const override { return static_cast<int>(i) == x_ ? layout_ : Layout::Plain; }
  Layout gives(size_t) const override { return layout_; }
  bool packed(size_t i) const override { return weights_ && static_cast<int>(i) == weights_input_; }
  size_t scratch_bytes() const override {
    const int64_t packed = weights_ ? 0 : geometry_.groups * geometry_.group_floats();
    return static_cast<size_t>(threads_) * thread_bytes() + static_cast<size_t>(packed) * sizeof(float);
  }
  void set_scratch(void* scratch) override { scratch_ = static_cast<std::byte*>(scratch); }

 private:
  struct Operands {
    const float *x, *weights, *bias;
    float* y;
  };

  // Places of a line that have one remainder, at the most.
  int64_t most_rows() const { return geometry_.y()[2] / geometry_.volume.stride[2] + 1; }
  size_t pointer_bytes() const {
    return (static_cast<size_t>(most_rows() * most_taps_) * sizeof(float*) + 63) / 64 * 64;
  }
  size_t thread_bytes() const {
    return pointer_bytes() + static_cast<size_t>(most_rows() * panel_width) * sizeof(float);
  }

  // A line of y, the channels of a group.
  void run_line(const Operands& o, int64_t line, int64_t group, std::byte* own) const {
    const Geometry& g = geometry_;
    const Triple &size = g.y(), &stride = g.volume.stride;
    const int64_t channels = g.groups * g.outputs, h = line % size[1], d = line / size[1] % size[0];
    auto** seen = reinterpret_cast<const float**>(own);
    auto* sums = reinterpret_cast<float*>(own + pointer_bytes());
    for (int64_t w = 0; w < std::min(stride[2], size[2]); ++w) {
      const Triple phase{d % stride[0], h % stride[1], w};
      const int64_t rows = (size[2] - w + stride[2] - 1) / stride[2];
      const Seen taps = find_rows(o.x + group * g.inputs, line / (size[0] * size[1]), {d, h, w}, phase, rows, seen);
      const int64_t place = (line * size[2] + w) * channels + group * g.outputs, pitch = stride[2] * channels;
      const auto number = static_cast<size_t>((phase[0] * stride[1] + phase[1]) * stride[2] + phase[2]);
      for (int64_t c = 0; c < g.outputs; c += panel_width) {
        const int64_t width = panels::width_at(c, g.outputs);
        const float* bias = o.bias ? o.bias + group * g.outputs + c : nullptr;
        if (taps.count == 0) {
          fill_rows(bias, width, o.y + place + c, rows, pitch);
          continue;
        }
        const float* panel = o.weights + group * g.group_floats() + c * g.depth() +
                             (taps_before_[number] + taps.first) * g.inputs * panels::pitch_of(width);
        panels::multiply({seen, rows, rows, taps.count, g.inputs}, panel, width, {bias}, sums, o.y + place + c, pitch);
      }
    }
  }

  // What no tap reaches.
  static void fill_rows(const float* bias, int64_t width, float* y, int64_t rows, int64_t pitch) {
    for (int64_t r = 0; r < rows; ++r, y += pitch) {
      if (bias)
        std::copy_n(bias, width, y);
      else
        std::fill_n(y, width, 0.0f);
    }
  }

  // The taps of a phase that see something, from the first to the last.
  struct Seen {
    int64_t first = 0, count = 0;
  };

  // Where each of them finds its pixel, for the places of a line from `first` on. What lies outside is zeros.
  Seen find_rows(const float* x, int64_t image, const Triple& first, const Triple& phase, int64_t rows,
                 const float** seen) const {
    const Geometry& g = geometry_;
    const Triple& size = g.x();
    const int64_t channels = g.groups * g.inputs;
    const auto offsets = [&](size_t d) -> const auto& { return g.phases[d][static_cast<size_t>(phase[d])].offsets; };
    const auto inside = [&](size_t d, int64_t at) { return at >= 0 && at < size[d]; };
    const auto columns = static_cast<int64_t>(offsets(2).size());
    Seen found;
    int64_t number = 0, end = 0;  // of taps until here, and of those until the last that sees something
    for (const int64_t depth : offsets(0))
      for (const int64_t height : offsets(1)) {
        const int64_t z = first[0] / g.volume.stride[0] + depth, row = first[1] / g.volume.stride[1] + height;
        const bool in_plane = inside(0, z) && inside(1, row);
        number += columns;
        if (in_plane && end == 0) found.first = number - columns;
        if (in_plane) end = number;
        if (end == 0) continue;
        const float* line = x + (((image * size[0] + z) * size[1] + row) * size[2]) * channels;
        for (const int64_t column : offsets(2))
          for (int64_t r = 0; r < rows; ++r)
            *seen++ = in_plane && inside(2, r + column) ? line + (r + column) * channels : zeros_.data();
      }
    found.count = end - found.first;
    return found;
  }

  const Geometry geometry_;
  const panels::Filter filter_;
  const int x_, weights_input_, bias_;
  const Layout layout_;
  const int64_t threads_;
  const PackedWeights weights_;  // null: packed at each run
  const std::vector<float> zeros_;
  std::vector<int64_t> taps_before_;  // by phase
  int64_t most_taps_ = 0;
  std::byte* scratch_ = nullptr;
};

Status check(const KernelRequest& request, const Chain& chain, const Convolution& c) {
  if (!c.transposed) return refuse("only transposed convolutions");
  if (request.outputs[0].type != DataType::Float) return refuse("only float");
  for (const size_t port : {c.x, c.filter, c.bias})
    if (panels::input_at(chain, port) >= 0 && chain.infos[port].type != DataType::Float) return refuse("only float");
  if (panels::input_at(chain, c.offset) >= 0) return refuse("offset_w is not supported");
  for (const auto* shape : {&chain.infos[c.x].shape, &chain.infos[c.filter].shape, &request.outputs[0].shape})
    if (graph::element_count(*shape) == 0) return refuse("an empty tensor");
  return {};
}

// The filter's output channels are x's.
panels::Filter read_filter(const Convolution& c, const graph::TensorInfo& info) {
  panels::Filter filter(c, info.shape, info.value ? info.value->bytes.data() : nullptr);
  std::swap(filter.along_output, filter.along_input);
  filter.along_group = filter.inputs * filter.along_input;
  return filter;
}

std::string form_of(const Geometry& g, const panels::Filter& f) {
  std::string form = "transposed";
  const auto add = [&](int64_t number) { form += " " + std::to_string(number); };
  for (const int64_t number : {f.groups, f.outputs, f.inputs, f.along_group, f.along_output, f.along_input})
    add(number);
  for (const Triple& three : {f.size, f.along, g.volume.stride, g.volume.dilation, g.volume.pad_begin})
    for (const int64_t number : three) add(number);
  return form;
}

MadeKernel make(const KernelRequest& request) {
  const Chain chain = TRY(read_chain(request));
  const graph::InferContext context(*chain.head, chain.infos);
  const Convolution c = TRY(graph::read_convolution(context));
  TRY(check(request, chain, c));
  const graph::TensorInfo& info = chain.infos[c.filter];
  Geometry g(c, request.outputs[0].shape);
  const panels::Filter filter = read_filter(c, info);
  PackedWeights weights;
  if (info.value)
    weights = TRY(pack_as(form_of(g, filter), filter.data, info.value->bytes.size(),
                          static_cast<size_t>(g.groups * g.group_floats()) * sizeof(float), [&](void* to) -> Status {
                            pack(g, filter, static_cast<float*>(to));
                            return {};
                          }));
  return std::unique_ptr<Kernel>(
      new TransposedConvolution(request, chain, c, std::move(g), filter, std::move(weights)));
}

constexpr KernelRow rows[] = {
    {"Conv2DBackpropInput", "phases", make}, {"Conv2DBackpropInputD", "phases", make},
    {"Conv2DTranspose", "phases", make},     {"Conv2DTransposeD", "phases", make},
    {"Conv3DTranspose", "phases", make},     {"Conv3DTransposeD", "phases", make},
    {"Deconvolution", "phases", make},
};

}  // namespace

std::span<const KernelRow> transposed_rows() { return rows; }

}  // namespace belay::backend::cpu
