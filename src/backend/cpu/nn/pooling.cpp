// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "backend/cpu/broadcast.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/grain.h"
#include "backend/cpu/nn/divisor.h"
#include "backend/cpu/nn/volume.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

struct Plan {
  Volume volume;
  VolumeStrides x, y;
  int64_t batch, channels;
};

Plan make_plan(const graph::Pooling& pooling, const KernelRequest& request) {
  const Shape& shape = request.inputs[0].shape;
  return {Volume(pooling.window), VolumeStrides(row_major_strides(shape), pooling.axes),
          VolumeStrides(row_major_strides(request.outputs[0].shape), pooling.axes), shape[pooling.axes.batch],
          shape[pooling.axes.channel]};
}

// Calls f(place in the input) for the places of the window at `place` that lie inside the input.
template <class F>
void for_window(const Volume& v, const Triple& place, const F& f) {
  for_each_place(v.kernel, [&](const Triple& k) {
    Triple at;
    for (size_t i = 0; i < 3; ++i) {
      at[i] = place[i] * v.stride[i] - v.pad_begin[i] + k[i] * v.dilation[i];
      if (at[i] < 0 || at[i] >= v.input[i]) return;
    }
    f(at);
  });
}

// Calls f(x of a plane, y of a plane, place) for every element of y.
template <class F>
void for_outputs(const Plan& plan, const F& f) {
  const Triple &from = plan.volume.input, &to = plan.volume.output;
  parallel_for(plan.batch * plan.channels, grain_of(from[0] * from[1] * from[2] + to[0] * to[1] * to[2]),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t n = i / plan.channels, c = i % plan.channels;
                   for_each_place(plan.volume.output, [&](const Triple& place) {
                     f(n * plan.x.batch + c * plan.x.channel, n * plan.y.batch + c * plan.y.channel + plan.y.at(place),
                       place);
                   });
                 }
               });
}

template <class T, class Index>
void take_max(const Plan& plan, const T* x, T* y, Index* argmax) {
  for_outputs(plan, [&](int64_t from, int64_t to, const Triple& place) {
    using C = compute_t<T>;
    C best = std::numeric_limits<C>::lowest();
    if constexpr (is_float<T>) best = -std::numeric_limits<C>::infinity();
    int64_t where = -1;
    for_window(plan.volume, place, [&](const Triple& at) {
      const C value = x[from + plan.x.at(at)];
      // A NaN is larger than anything.
      if (where >= 0 && !(value > best) && value == value) return;
      if (best != best) return;
      best = value;
      where = (at[0] * plan.volume.input[1] + at[1]) * plan.volume.input[2] + at[2];
    });
    y[to] = T(best);
    if (argmax) argmax[to] = static_cast<Index>(std::max<int64_t>(where, 0));
  });
}

MadeKernel make_max(const KernelRequest& request) {
  const graph::InferContext context(request.node, request.inputs);
  const Plan plan = make_plan(TRY(graph::read_pooling(context)), request);
  return with_type(NumberTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([plan](Inputs in, Outputs out) -> Status {
      if (out.size() < 2)
        take_max<T, int32_t>(plan, in[0].as<T>(), out[0].as<T>(), nullptr);
      else if (out[1].type == DataType::Int64)
        take_max<T, int64_t>(plan, in[0].as<T>(), out[0].as<T>(), out[1].as<int64_t>());
      else
        take_max<T, int32_t>(plan, in[0].as<T>(), out[0].as<T>(), out[1].as<int32_t>());
      return {};
    });
  });
}

// Elements of the window at `place` that lie inside the padded input.
int64_t padded_count(const Volume& v, const Triple& place) {
  int64_t count = 1;
  for (size_t i = 0; i < 3; ++i) {
    const int64_t start = place[i] * v.stride[i] - v.pad_begin[i];
    count *= count_before(v.input[i] + v.pad_end[i], start, v.kernel[i], v.dilation[i]);
  }
  return count;
}

template <class T>
void take_average(const Plan& plan, const Divisor& divisor, const T* x, T* y) {
  for_outputs(plan, [&](int64_t from, int64_t to, const Triple& place) {
    double sum = 0;
    int64_t inside = 0;
    for_window(plan.volume, place, [&](const Triple& at) {
      sum += static_cast<double>(compute_t<T>(x[from + plan.x.at(at)]));
      ++inside;
    });
    int64_t count = divisor.only_inside ? inside : padded_count(plan.volume, place);
    if (divisor.fixed > 0) count = divisor.fixed;
    y[to] = T(static_cast<compute_t<T>>(count == 0 ? 0.0 : sum / static_cast<double>(count)));
  });
}

MadeKernel make_average(const KernelRequest& request) {
  const graph::InferContext context(request.node, request.inputs);
  const Plan plan = make_plan(TRY(graph::read_pooling(context)), request);
  const Divisor divisor = read_divisor(request.node);
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([plan, divisor](Inputs in, Outputs out) -> Status {
      take_average(plan, divisor, in[0].as<T>(), out[0].as<T>());
      return {};
    });
  });
}

MadeKernel make_either(const KernelRequest& request) {
  const int64_t mode = get_or(request.node.attributes, "mode", int64_t{0});
  if (mode != 0 && mode != 1) return refuse(formatted("mode must be 0 (max) or 1 (average), not {}", mode));
  return mode == 0 ? make_max(request) : make_average(request);
}

constexpr KernelRow rows[] = {
    {"AvgPool", "reference", make_average},         {"AvgPool3D", "reference", make_average},
    {"AvgPoolV2", "reference", make_average},       {"MaxPool", "reference", make_max},
    {"MaxPool3D", "reference", make_max},           {"MaxPool3DWithArgmaxV2", "reference", make_max},
    {"MaxPoolExt2", "reference", make_max},         {"MaxPoolV3", "reference", make_max},
    {"MaxPoolWithArgmaxV3", "reference", make_max}, {"Pooling", "reference", make_either},
};

}  // namespace

std::span<const KernelRow> pooling_rows() { return rows; }

}  // namespace belay::backend::cpu
