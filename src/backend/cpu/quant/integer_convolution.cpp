// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/convolution.h"

#include <algorithm>

#include "backend/cpu/broadcast.h"
#include "backend/cpu/grain.h"
#include "backend/cpu/nn/volume.h"
#include "backend/cpu/other_row.h"
#include "backend/cpu/quant/exact_product.h"
#include "backend/cpu/rows.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

using graph::Convolution;

// A convolution of integers as a product: a column for each place of y, with what the filter sees there. Some rows of
// places at a time. Scratch: the floats of x and of the filter as it was given, then the filter in the order of the
// columns, the columns, and the sums as floats and as integers.
class IntegerConvolution : public Kernel {
 public:
  IntegerConvolution(const KernelRequest& request, const Convolution& c)
      : c_(c),
        volume_(c.window),
        x_(row_major_strides(request.inputs[c.x].shape), c.axes),
        y_(row_major_strides(request.outputs[0].shape), c.axes),
        filter_(row_major_strides(request.inputs[c.filter].shape)),
        in_group_(c.input_channels / c.groups),
        out_group_(c.output_channels / c.groups),
        spots_(volume_.kernel[0] * volume_.kernel[1] * volume_.kernel[2]),
        depth_(in_group_ * spots_),
        x_count_(graph::element_count(request.inputs[c.x].shape)),
        rows_(std::clamp<int64_t>(262144 / (depth_ * width()), 1, volume_.output[0] * volume_.output[1])),
        reference_(request, "reference") {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    float *x = scratch_, *given = x + x_count_, *filter = given + filter_count();
    const int64_t terms = exact_terms(load_integers(inputs[c_.x], x), load_integers(inputs[c_.filter], given));
    if (terms < fewest_terms) return reference_.run(inputs, outputs);
    order_filter(given, filter);
    const int32_t* bias = c_.bias < inputs.size() && inputs[c_.bias].present ? inputs[c_.bias].as<int32_t>() : nullptr;
    float* columns = filter + filter_count();
    float* part = columns + depth_ * rows_ * width();
    auto* sums = reinterpret_cast<int32_t*>(part + out_group_ * rows_ * width());
    const int64_t all = volume_.output[0] * volume_.output[1];
    for (int64_t n = 0; n < c_.batch; ++n)
      for (int64_t g = 0; g < c_.groups; ++g)
        for (int64_t first = 0; first < all; first += rows_) {
          const int64_t rows = std::min(rows_, all - first), places = rows * width();
          gather(x + n * x_.batch + g * in_group_ * x_.channel, first, rows, columns);
          exact_gemm(out_group_, places, depth_, {filter + g * out_group_ * depth_, depth_}, {columns, places}, terms,
                     part, sums);
          const int64_t channel = g * out_group_;
          scatter(sums, first, rows, bias ? bias + channel : nullptr,
                  outputs[0].as<int32_t>() + n * y_.batch + channel * y_.channel);
        }
    return {};
  }
  size_t scratch_bytes() const override {
    const int64_t places = rows_ * width();
    return static_cast<size_t>(x_count_ + 2 * filter_count() + (depth_ + 2 * out_group_) * places) * sizeof(float);
  }
  void set_scratch(void* scratch) override { scratch_ = static_cast<float*>(scratch); }

 private:
  int64_t width() const { return volume_.output[2]; }
  int64_t filter_count() const { return c_.output_channels * depth_; }
  Triple place_of(int64_t row) const { return {row / volume_.output[1], row % volume_.output[1], 0}; }
  Triple spot_of(int64_t spot) const {
    const Triple& kernel = volume_.kernel;
    return {spot / (kernel[1] * kernel[2]), spot / kernel[2] % kernel[1], spot % kernel[2]};
  }

  // By output channel, input channel and place.
  void order_filter(const float* given, float* to) const {
    const auto& axes = c_.filter_axes;
    for (int64_t o = 0; o < c_.output_channels; ++o)
      for (int64_t i = 0; i < in_group_; ++i)
        for (int64_t spot = 0; spot < spots_; ++spot) {
          int64_t at = o * filter_[axes.output] + i * filter_[axes.input];
          const Triple place = spot_of(spot);
          for (size_t d = 0; d < axes.spatial.size(); ++d)
            at += place[3 - axes.spatial.size() + d] * filter_[axes.spatial[d]];
          *to++ = given[at];
        }
  }

  void gather(const float* x, int64_t first, int64_t rows, float* columns) const {
    parallel_for(depth_, 8, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k)
        for (int64_t r = 0; r < rows; ++r)
          gather_row(x + k / spots_ * x_.channel, place_of(first + r), spot_of(k % spots_),
                     columns + (k * rows + r) * width());
    });
  }

  // What the filter's spot sees from the places of one row.
  void gather_row(const float* x, const Triple& place, const Triple& spot, float* to) const {
    const Volume& v = volume_;
    Triple at;
    for (size_t i = 0; i < 3; ++i) at[i] = place[i] * v.stride[i] - v.pad_begin[i] + spot[i] * v.dilation[i];
    if (at[0] < 0 || at[0] >= v.input[0] || at[1] < 0 || at[1] >= v.input[1]) {
      std::fill_n(to, width(), 0.0f);
      return;
    }
    x += at[0] * x_.spatial[0] + at[1] * x_.spatial[1];
    for (int64_t w = 0; w < width(); ++w, at[2] += v.stride[2])
      to[w] = at[2] >= 0 && at[2] < v.input[2] ? x[at[2] * x_.spatial[2]] : 0.0f;
  }

  void scatter(const int32_t* sums, int64_t first, int64_t rows, const int32_t* bias, int32_t* y) const {
    parallel_for(out_group_, grain_of(rows * width()), [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o)
        for (int64_t r = 0; r < rows; ++r) {
          int32_t* to = y + o * y_.channel + y_.at(place_of(first + r));
          const int32_t* from = sums + (o * rows + r) * width();
          const int32_t more = bias ? bias[o] : 0;
          for (int64_t w = 0; w < width(); ++w) to[w * y_.spatial[2]] = wrapping_sum(from[w], more);
        }
    });
  }

  const Convolution c_;
  const Volume volume_;
  const VolumeStrides x_, y_;
  const Shape filter_;
  const int64_t in_group_, out_group_, spots_, depth_, x_count_, rows_;
  OtherRow reference_;
  float* scratch_ = nullptr;
};

MadeKernel make(const KernelRequest& request) {
  const graph::InferContext context(request.node, request.inputs);
  const Convolution c = TRY(graph::read_convolution(context));
  const auto has = [&](size_t i) { return i < request.inputs.size() && request.inputs[i].present; };
  if (!loads_integers(request.inputs[c.x].type) || request.inputs[c.x].type != request.inputs[c.filter].type)
    return refuse("only two of int8, uint8 or int32");
  if (request.outputs[0].type != DataType::Int32) return refuse("only int32 results");
  if (has(c.offset) || (has(c.bias) && request.inputs[c.bias].type != DataType::Int32))
    return refuse("a bias that is not int32, or an offset");
  if (c.transposed || c.depthwise_filter) return refuse("only convolutions whose filter is not depth-wise");
  for (const auto* shape : {&request.inputs[c.x].shape, &request.inputs[c.filter].shape, &request.outputs[0].shape})
    if (graph::element_count(*shape) == 0) return refuse("an empty tensor");
  return std::unique_ptr<Kernel>(std::make_unique<IntegerConvolution>(request, c));
}

constexpr KernelRow rows[] = {{"Conv2D", "exact", make}, {"Conv3D", "exact", make}};

}  // namespace

std::span<const KernelRow> integer_convolution_rows() { return rows; }

}  // namespace belay::backend::cpu
