// SPDX-License-Identifier: Apache-2.0
// Normalisation of groups of elements that lie side by side: LayerNorm, RmsNorm, and InstanceNorm and GroupNorm of
// tensors with the channels first.
#include <algorithm>
#include <cmath>

#include "backend/cpu/arguments.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/map_floats.h"
#include "backend/cpu/simd/row_buffer.h"
#include "backend/cpu/simd/row_floats.h"
#include "base/threads/parallel.h"
#include "graph/infer/window.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t grain = 1 << 13;

Status check_floats(const KernelRequest& request) {
  const DataType type = request.inputs[0].type;
  if (!is_float_storage(type) || request.outputs[0].type != type) return refuse("x and y must have one type of float");
  for (const auto* side : {&request.inputs, &request.outputs})
    for (const graph::TensorInfo& info : *side)
      if (info.present && graph::bits_of(info.type) == 64 && info.type == DataType::Double)
        return refuse("double is not supported here");
  return {};
}

void write_statistic(Outputs out, size_t o, int64_t index, double value) {
  if (o >= out.size()) return;
  const float narrow = static_cast<float>(value);
  store_floats(out[o].type, &narrow, out[o].as<std::byte>() + index * int64_t(float_storage_bytes(out[o].type)), 1);
}

bool is_suffix(const Shape& of, const graph::TensorInfo& info) {
  if (!info.present) return true;
  return info.shape.size() <= of.size() && std::equal(info.shape.rbegin(), info.shape.rend(), of.rbegin());
}

// Shapes and types of the gain or the offset: one entry for each element of a row.
Status check_row_parameter(const KernelRequest& request, size_t input, int64_t length) {
  if (input >= request.inputs.size() || !request.inputs[input].present) return {};
  const graph::TensorInfo& info = request.inputs[input];
  if (!is_float_storage(info.type)) return refuse("the parameters must be floats");
  if (!is_suffix(request.inputs[0].shape, info) || graph::element_count(info.shape) != length)
    return refuse("the parameters are not of one row");
  return {};
}

MadeKernel make_layer_norm(const KernelRequest& request) {
  TRY(check_floats(request));
  const graph::Node& node = request.node;
  const bool fourth = node.type == "LayerNormV4";
  const size_t gamma = fourth ? 2 : 1, beta = gamma + 1;
  const Shape& x = request.inputs[0].shape;
  const auto rank = static_cast<int64_t>(x.size());
  int64_t first = get_or(node.attributes, "begin_norm_axis", int64_t{0});
  if (fourth) first = -graph::element_count(request.inputs[1].shape);
  if (first < 0) first += rank;
  if (first < 0 || first >= rank) return refuse("the axis is outside the tensor");
  const int64_t outer = product(x, 0, static_cast<size_t>(first)),
                length = product(x, static_cast<size_t>(first), x.size());
  if (length == 0) return refuse("a row has no elements");
  TRY(check_row_parameter(request, gamma, length));
  TRY(check_row_parameter(request, beta, length));
  const double epsilon = get_or(node.attributes, "epsilon", node.type == "LayerNorm" ? 1e-7f : 1e-5f);
  const bool gives_variance = node.type == "LayerNorm";
  return function_kernel(
      [=, type = request.inputs[0].type](Inputs in, Outputs out) -> Status {
        const FloatList gain(in, gamma), shift(in, beta);
        parallel_for(outer, std::max<int64_t>(1, grain / length), [&](int64_t begin, int64_t end) {
          RowBuffer row(type, length);
          for (int64_t r = begin; r < end; ++r) {
            const float* from = row.load(in[0], r * length);
            const Spread spread = spread_of(from, static_cast<size_t>(length));
            const double factor = 1 / std::sqrt(spread.variance + epsilon);
            normalise_row(from, row.open(out[0], r * length), static_cast<size_t>(length), spread.mean, factor,
                          gain.data(), shift.data());
            row.store(out[0], r * length);
            write_statistic(out, 1, r, spread.mean);
            write_statistic(out, 2, r, gives_variance ? spread.variance : factor);
          }
        });
        return {};
      },
      same_places(request) & 1u);
}

MadeKernel make_rms_norm(const KernelRequest& request) {
  TRY(check_floats(request));
  const int64_t length = graph::element_count(request.inputs[1].shape);
  if (length == 0) return refuse("gamma is empty");
  TRY(check_row_parameter(request, 1, length));
  if (request.outputs.size() > 1 && request.outputs[1].type != DataType::Float) return refuse("rstd must be float");
  const double epsilon = get_or(request.node.attributes, "epsilon", 1e-6f);
  return function_kernel(
      [=, type = request.inputs[0].type](Inputs in, Outputs out) -> Status {
        const FloatList gain(in, 1);
        parallel_for(in[0].count() / length, std::max<int64_t>(1, grain / length), [&](int64_t begin, int64_t end) {
          RowBuffer row(type, length);
          for (int64_t r = begin; r < end; ++r) {
            const float* from = row.load(in[0], r * length);
            const double squares = fold_row(Fold::SumOfSquares, from, static_cast<size_t>(length));
            const double factor = 1 / std::sqrt(squares / static_cast<double>(length) + epsilon);
            normalise_row(from, row.open(out[0], r * length), static_cast<size_t>(length), 0, factor, gain.data(),
                          nullptr);
            row.store(out[0], r * length);
            write_statistic(out, 1, r, factor);
          }
        });
        return {};
      },
      same_places(request) & 1u);
}

// Groups of `channels` planes of `space` elements each; gain and offset belong to the channels.
struct Planes {
  int64_t groups, channels, space, all_channels;
  double epsilon;
  bool gives_variance, swish;
  float swish_scale;
};

void run_group(const Planes& p, int64_t g, const FloatList& gain, const FloatList& shift, Inputs in, Outputs out) {
  const int64_t size = p.channels * p.space;
  const float* x = in[0].as<float>() + g * size;
  float* y = out[0].as<float>() + g * size;
  const Spread spread = spread_of(x, static_cast<size_t>(size));
  const double factor = 1 / std::sqrt(spread.variance + p.epsilon);
  const int64_t first = g * p.channels % p.all_channels;
  for (int64_t c = 0; c < p.channels; ++c) {
    const double scale = gain.data() ? static_cast<double>(gain.data()[first + c]) : 1.0;
    const double offset = shift.data() ? static_cast<double>(shift.data()[first + c]) : 0.0;
    scale_row(x + c * p.space, y + c * p.space, static_cast<size_t>(p.space), spread.mean, factor * scale, offset);
  }
  if (p.swish) map_floats(Map::Swish, {p.swish_scale}, y, y, static_cast<size_t>(size));
  write_statistic(out, 1, g, spread.mean);
  write_statistic(out, 2, g, p.gives_variance ? spread.variance : factor);
}

MadeKernel plane_kernel(const KernelRequest& request, const Planes& planes) {
  TRY(check_floats(request));
  if (request.inputs[0].type != DataType::Float) return refuse("only float is supported here");
  if (planes.channels * planes.space == 0) return refuse("a group has no elements");
  for (size_t i = 1; i < request.inputs.size(); ++i)
    if (request.inputs[i].present && (!is_float_storage(request.inputs[i].type) ||
                                      graph::element_count(request.inputs[i].shape) != planes.all_channels))
      return refuse("the parameters are not of the channels");
  return function_kernel(
      [=](Inputs in, Outputs out) -> Status {
        const FloatList gain(in, 1), shift(in, 2);
        parallel_for(planes.groups, std::max<int64_t>(1, grain / (planes.channels * planes.space)),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t g = begin; g < end; ++g) run_group(planes, g, gain, shift, in, out);
                     });
        return {};
      },
      same_places(request) & 1u);
}

MadeKernel make_instance_norm(const KernelRequest& request) {
  const Shape& x = request.inputs[0].shape;
  if (x.size() < 3 || graph::data_format_of(request.node, "NDHWC").ends_with('C'))
    return refuse("the channels must come first");
  return plane_kernel(request, {x[0] * x[1], 1, product(x, 2, x.size()), x[1],
                                get_or(request.node.attributes, "epsilon", 1e-6f), true, false, 1});
}

MadeKernel make_group_norm(const KernelRequest& request) {
  const graph::Node& node = request.node;
  const Shape& x = request.inputs[0].shape;
  const int64_t groups = get_or(node.attributes, "num_groups", int64_t{1});
  const std::string format = graph::data_format_of(node, node.type == "GroupNormV2" ? "NHWC" : "NCHW");
  if (x.size() < 2 || groups <= 0 || x[1] % groups != 0) return refuse("the channels do not divide into the groups");
  if (x.size() > 2 && format.ends_with('C')) return refuse("the channels must come first");
  const bool swish = (node.type == "GroupNormSilu" && get_or(node.attributes, "activate_silu", true)) ||
                     (node.type == "GroupNormSwish" && get_or(node.attributes, "activate_swish", true));
  return plane_kernel(request, {x[0] * groups, x[1] / groups, product(x, 2, x.size()), x[1],
                                get_or(node.attributes, "eps", node.type == "GroupNorm" ? 1e-4f : 1e-5f),
                                node.type == "GroupNorm", swish, get_or(node.attributes, "swish_scale", 1.0f)});
}

constexpr KernelRow rows[] = {
    {"GroupNorm", "simd", make_group_norm},       {"GroupNormSilu", "simd", make_group_norm},
    {"GroupNormSwish", "simd", make_group_norm},  {"GroupNormV2", "simd", make_group_norm},
    {"InstanceNorm", "simd", make_instance_norm}, {"LayerNorm", "simd", make_layer_norm},
    {"LayerNormV3", "simd", make_layer_norm},     {"LayerNormV4", "simd", make_layer_norm},
    {"RmsNorm", "simd", make_rms_norm},
};

}  // namespace

std::span<const KernelRow> simd_norm_rows() { return rows; }

}  // namespace belay::backend::cpu
