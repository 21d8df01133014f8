// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/convolution.h"

#include "backend/cpu/arguments.h"
#include "backend/cpu/broadcast.h"
#include "backend/cpu/element.h"
#include "backend/cpu/elementwise/integer.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/grain.h"
#include "backend/cpu/nn/volume.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

// A convolution as loops need it: sizes and strides.
struct Plan {
  Plan(const graph::Convolution& c, const KernelRequest& request)
      : convolution(c),
        volume(c.window),
        x(row_major_strides(request.inputs[c.x].shape), c.axes),
        y(row_major_strides(request.outputs[0].shape), c.axes) {
    const Shape strides = row_major_strides(request.inputs[c.filter].shape);
    filter_output = strides[c.filter_axes.output];
    filter_input = strides[c.filter_axes.input];
    const auto& spatial = c.filter_axes.spatial;
    for (size_t i = 0; i < spatial.size(); ++i) filter_spatial[3 - spatial.size() + i] = strides[spatial[i]];
    multiplier = request.inputs[c.filter].shape[c.filter_axes.output];
  }

  int64_t filter_at(const Triple& k) const {
    return k[0] * filter_spatial[0] + k[1] * filter_spatial[1] + k[2] * filter_spatial[2];
  }

  graph::Convolution convolution;
  Volume volume;
  VolumeStrides x, y;
  int64_t filter_output = 0, filter_input = 0, multiplier = 1;
  Triple filter_spatial{0, 0, 0};
};

template <class T>
sum_t<T> sum_forward(const Plan& plan, const T* x, const T* filter, int64_t oc, const Triple& place) {
  const graph::Convolution& c = plan.convolution;
  const Volume& v = plan.volume;
  const int64_t in_group = c.input_channels / c.groups, group = oc / (c.output_channels / c.groups);
  sum_t<T> sum = 0;
  for_each_place(v.kernel, [&](const Triple& k) {
    Triple at;
    for (size_t i = 0; i < 3; ++i) {
      at[i] = place[i] * v.stride[i] - v.pad_begin[i] + k[i] * v.dilation[i];
      if (at[i] < 0 || at[i] >= v.input[i]) return;
    }
    const T* from = x + group * in_group * plan.x.channel + plan.x.at(at);
    const T* weight = filter + plan.filter_at(k);
    weight += c.depthwise_filter ? oc / plan.multiplier * plan.filter_input + oc % plan.multiplier * plan.filter_output
                                 : oc * plan.filter_output;
    for (int64_t ic = 0; ic < in_group; ++ic)
      sum = sum_of(sum, product_of(sum_t<T>(from[ic * plan.x.channel]), sum_t<T>(weight[ic * plan.filter_input])));
  });
  return sum;
}

// y gathers from those places of x whose window reaches it.
template <class T>
sum_t<T> sum_transposed(const Plan& plan, const T* x, const T* filter, int64_t oc, const Triple& place) {
  const graph::Convolution& c = plan.convolution;
  const Volume& v = plan.volume;
  const int64_t out_group = c.output_channels / c.groups, in_group = c.input_channels / c.groups;
  const int64_t group = oc / out_group;
  sum_t<T> sum = 0;
  for_each_place(v.kernel, [&](const Triple& k) {
    Triple at;
    for (size_t i = 0; i < 3; ++i) {
      const int64_t moved = place[i] + v.pad_begin[i] - k[i] * v.dilation[i];
      at[i] = moved / v.stride[i];
      if (moved < 0 || moved % v.stride[i] != 0 || at[i] >= v.output[i]) return;
    }
    const T* from = x + group * in_group * plan.x.channel + plan.x.at(at);
    const T* weight =
        filter + plan.filter_at(k) + group * in_group * plan.filter_output + oc % out_group * plan.filter_input;
    for (int64_t ic = 0; ic < in_group; ++ic)
      sum = sum_of(sum, product_of(sum_t<T>(from[ic * plan.x.channel]), sum_t<T>(weight[ic * plan.filter_output])));
  });
  return sum;
}

template <class T, class To>
Status convolve(const Plan& plan, Inputs in, const Tensor& y) {
  const graph::Convolution& c = plan.convolution;
  const std::vector<double> bias =
      c.bias < in.size() && in[c.bias].present ? TRY(reals(in[c.bias])) : std::vector<double>{};
  const T *x = in[c.x].as<T>(), *filter = in[c.filter].as<T>();
  const Triple& size = c.transposed ? plan.volume.input : plan.volume.output;
  const int64_t places = size[0] * size[1] * size[2];
  parallel_for(c.batch * c.output_channels,
               grain_of(places * in[c.filter].count() / std::max<int64_t>(1, c.output_channels)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t n = i / c.output_channels, oc = i % c.output_channels;
                   for_each_place(size, [&](const Triple& place) {
                     const T* from = x + n * plan.x.batch;
                     sum_t<T> sum = c.transposed ? sum_transposed(plan, from, filter, oc, place)
                                                 : sum_forward(plan, from, filter, oc, place);
                     if (!bias.empty()) sum = sum_of(sum, static_cast<sum_t<T>>(bias[static_cast<size_t>(oc)]));
                     y.as<To>()[n * plan.y.batch + oc * plan.y.channel + plan.y.at(place)] =
                         static_cast<To>(static_cast<compute_t<To>>(sum));
                   });
                 }
               });
  return {};
}

MadeKernel make(const KernelRequest& request) {
  const graph::InferContext context(request.node, request.inputs);
  graph::Convolution c = TRY(graph::read_convolution(context));
  if (c.offset < request.inputs.size() && request.inputs[c.offset].present) return refuse("offset_w is not supported");
  if (c.transposed)
    for (size_t i = 0; i < c.axes.spatial.size(); ++i) c.window.input[i] = request.outputs[0].shape[c.axes.spatial[i]];
  if (request.inputs[c.x].type != request.inputs[c.filter].type) return refuse("x and filter must have one type");
  const Plan plan(c, request);
  const DataType to = request.outputs[0].type;
  return with_type(NumberTypes{}, request.inputs[c.x].type, [&]<class T>() -> MadeKernel {
    if (to == data_type_of<T>())
      return function_kernel([plan](Inputs in, Outputs out) { return convolve<T, T>(plan, in, out[0]); });
    if constexpr (sizeof(T) == 1)
      if (to == DataType::Int32)
        return function_kernel([plan](Inputs in, Outputs out) { return convolve<T, int32_t>(plan, in, out[0]); });
    if constexpr (is_narrow_float<T>)
      if (to == DataType::Float)
        return function_kernel([plan](Inputs in, Outputs out) { return convolve<T, float>(plan, in, out[0]); });
    return refuse(formatted("a result of type {} is not supported", graph::name_of(to)));
  });
}

constexpr KernelRow rows[] = {
    {"Conv2D", "reference", make},
    {"Conv2DBackpropInput", "reference", make},
    {"Conv2DBackpropInputD", "reference", make},
    {"Conv2DTranspose", "reference", make},
    {"Conv2DTransposeD", "reference", make},
    {"Conv3D", "reference", make},
    {"Conv3DTranspose", "reference", make},
    {"Conv3DTransposeD", "reference", make},
    {"Deconvolution", "reference", make},
    {"DepthwiseConv2D", "reference", make},
};

}  // namespace

std::span<const KernelRow> convolution_rows() { return rows; }

}  // namespace belay::backend::cpu
