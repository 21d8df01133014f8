// SPDX-License-Identifier: Apache-2.0
// Poolings of floats, in the layout that their input has.
#include <algorithm>

#include "backend/cpu/arguments.h"
#include "backend/cpu/nn/divisor.h"
#include "backend/cpu/nn/volume.h"
#include "backend/cpu/pool/fold_row.h"
#include "backend/cpu/pool/global.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/layout_plan.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

// A tensor as volumes, one after the other, whose places have `inner` elements side by side.
struct Volumes {
  int64_t count, inner;
};

Volumes volumes_of(const Shape& shape, size_t channel, Layout layout) {
  const int64_t batch = shape[0], channels = shape[channel];
  if (channel != 1 || layout == Layout::ChannelsLast) return {batch, channels};
  return {batch * channels, 1};
}

// The layout in which x is read and y written.
Layout layout_of(const KernelRequest& request, size_t channel) {
  return channel == 1 ? request.input_layouts[0] : Layout::Plain;
}

class Pooling : public Kernel {
 public:
  Pooling(const KernelRequest& request, const Volume& volume, Volumes volumes, Layout layout, bool average,
          const Divisor& divisor)
      : volume_(volume),
        volumes_(volumes),
        layout_(layout),
        average_(average),
        along_{volume.input[2],  volume.output[2], volumes.inner,      volumes.inner,
               volume.kernel[2], volume.stride[2], volume.dilation[2], volume.pad_begin[2]},
        rows_(volumes.count * volume.output[0] * volume.output[1]),
        threads_(std::max(request.threads, 1)) {
    if (average) count_elements(divisor);
  }

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    const int64_t row_length = volume_.output[2] * volumes_.inner;
    const int64_t work = row_length * volume_.kernel[0] * volume_.kernel[1] * volume_.kernel[2];
    const int64_t together = std::max<int64_t>(1, piece_work / work), pieces = (rows_ + together - 1) / together;
    const int64_t most = std::min(threads_, threads_for(double(rows_ * work), 4 * double(inputs[0].count())));
    parallel_pieces(pieces, most, [&](int64_t piece, int64_t thread) {
      std::byte* own = scratch_ + static_cast<size_t>(thread) * thread_bytes();
      const int64_t end = std::min((piece + 1) * together, rows_);
      for (int64_t row = piece * together; row < end; row += tasks)
        run_rows(inputs[0].as<const float>(), row, std::min(row + tasks, end), own, outputs[0].as<float>());
    });
    return {};
  }

  Layout wants(size_t i) const override { return i == 0 ? layout_ : Layout::Plain; }
  Layout gives(size_t) const override { return layout_; }
  size_t scratch_bytes() const override { return static_cast<size_t>(threads_) * thread_bytes(); }
  void set_scratch(void* scratch) override { scratch_ = static_cast<std::byte*>(scratch); }

 private:
  static constexpr int64_t piece_work = 1 << 13;  // elements that a piece sees, at the least

  static constexpr auto tasks = static_cast<int64_t>(pool::most_tasks);

  size_t pointers_of_row() const { return static_cast<size_t>(volume_.kernel[0] * volume_.kernel[1]); }
  size_t pointer_bytes() const { return (pool::most_tasks * pointers_of_row() * sizeof(float*) + 63) / 64 * 64; }
  size_t thread_bytes() const {
    return pointer_bytes() + (static_cast<size_t>(pool::scratch_floats(along_)) * sizeof(float) + 63) / 64 * 64;
  }

  // What each window's sum is divided by: a product of what each dimension counts.
  void count_elements(const Divisor& divisor) {
    const Volume& v = volume_;
    for (size_t d = 0; d < 3; ++d) {
      for (int64_t place = 0; place < v.output[d]; ++place) {
        const int64_t start = place * v.stride[d] - v.pad_begin[d];
        int64_t count = count_before(v.input[d] + v.pad_end[d], start, v.kernel[d], v.dilation[d]);
        if (divisor.only_inside)
          count = count_before(v.input[d], start, v.kernel[d], v.dilation[d]) -
                  count_before(0, start, v.kernel[d], v.dilation[d]);
        if (divisor.fixed > 0) count = d == 0 ? divisor.fixed : 1;
        counts_[d].push_back(static_cast<float>(std::max<int64_t>(count, 1)));  // the sum of nothing is 0
      }
    }
    counts_[2].resize(counts_[2].size() + pool::slack, 1.0f);
  }

  void run_rows(const float* x, int64_t begin, int64_t end, std::byte* own, float* y) const {
    auto** seen = reinterpret_cast<const float**>(own);
    auto* floats = reinterpret_cast<float*>(own + pointer_bytes());
    pool::Task all[pool::most_tasks];
    const auto count = static_cast<size_t>(end - begin);
    Place at{begin / (volume_.output[0] * volume_.output[1]), begin / volume_.output[1] % volume_.output[0],
             begin % volume_.output[1]};
    for (size_t i = 0; i < count; ++i, seen += pointers_of_row()) {
      all[i] = task_of(x, at, seen, y + (begin + static_cast<int64_t>(i)) * volume_.output[2] * volumes_.inner);
      if (++at.h < volume_.output[1]) continue;
      at.h = 0;
      if (++at.d == volume_.output[0]) at.d = 0, ++at.volume;
    }
    if (average_)
      pool::average_in_rows(along_, {all, count}, counts_[2].data(), floats);
    else
      pool::largest_in_rows(along_, {all, count}, floats);
  }

  // Of a row of y.
  struct Place {
    int64_t volume, d, h;
  };

  pool::Task task_of(const float* x, const Place& place, const float** seen, float* y) const {
    const Volume& v = volume_;
    const int64_t line = v.input[2] * volumes_.inner, plane = v.input[1] * line, d = place.d, h = place.h;
    x += place.volume * v.input[0] * plane;
    size_t count = 0;
    for (int64_t kd = 0; kd < v.kernel[0]; ++kd) {
      const int64_t z = d * v.stride[0] - v.pad_begin[0] + kd * v.dilation[0];
      if (z < 0 || z >= v.input[0]) continue;
      for (int64_t kh = 0; kh < v.kernel[1]; ++kh) {
        const int64_t at = h * v.stride[1] - v.pad_begin[1] + kh * v.dilation[1];
        if (at >= 0 && at < v.input[1]) seen[count++] = x + z * plane + at * line;
      }
    }
    const float divisor = average_ ? counts_[0][static_cast<size_t>(d)] * counts_[1][static_cast<size_t>(h)] : 1;
    return {{seen, count}, divisor, y};
  }

  const Volume volume_;
  const Volumes volumes_;
  const Layout layout_;
  const bool average_;
  const pool::Along along_;
  const int64_t rows_;  // of y
  const int64_t threads_;
  std::vector<float> counts_[3];
  std::byte* scratch_ = nullptr;
};

Status check(const KernelRequest& request) {
  if (request.outputs.size() != 1) return refuse("the positions of the maxima are asked for");
  for (const auto* info : {&request.inputs[0], &request.outputs[0]}) {
    if (info->type != DataType::Float) return refuse("only float");
    if (graph::element_count(info->shape) == 0) return refuse("an empty tensor");
  }
  return {};
}

// One window, and nothing else is in it.
bool covers_all(const Volume& v) {
  constexpr Triple ones{1, 1, 1}, zeros{0, 0, 0};
  return v.kernel == v.input && v.output == ones && v.dilation == ones && v.pad_begin == zeros;
}

MadeKernel make_pooling(const KernelRequest& request, bool average) {
  TRY(check(request));
  const graph::InferContext context(request.node, request.inputs);
  const graph::Pooling pooling = TRY(graph::read_pooling(context));
  const Volume volume(pooling.window);
  const Divisor divisor = read_divisor(request.node);
  const size_t channel = pooling.axes.channel;
  if (channel == 1 && covers_all(volume) && divisor.fixed == 0) return make_global_pool(request, average);
  const Layout layout = layout_of(request, channel);
  const Volumes volumes = volumes_of(request.inputs[0].shape, channel, layout);
  return std::unique_ptr<Kernel>(new Pooling(request, volume, volumes, layout, average, divisor));
}

MadeKernel make_max(const KernelRequest& request) { return make_pooling(request, false); }
MadeKernel make_average(const KernelRequest& request) { return make_pooling(request, true); }

MadeKernel make_either(const KernelRequest& request) {
  const int64_t mode = get_or(request.node.attributes, "mode", int64_t{0});
  if (mode != 0 && mode != 1) return refuse(formatted("mode must be 0 (max) or 1 (average), not {}", mode));
  return make_pooling(request, mode == 1);
}

constexpr KernelRow rows[] = {
    {"AvgPool", "simd", make_average}, {"AvgPool3D", "simd", make_average}, {"AvgPoolV2", "simd", make_average},
    {"MaxPool", "simd", make_max},     {"MaxPool3D", "simd", make_max},     {"MaxPoolExt2", "simd", make_max},
    {"MaxPoolV3", "simd", make_max},   {"Pooling", "simd", make_either},
};

}  // namespace

std::span<const KernelRow> simd_pooling_rows() { return rows; }

}  // namespace belay::backend::cpu
