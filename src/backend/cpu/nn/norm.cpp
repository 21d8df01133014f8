// SPDX-License-Identifier: Apache-2.0
// Normalisation by the mean and variance of groups of elements of the tensor itself.
#include <algorithm>

#include "backend/cpu/arguments.h"
#include "backend/cpu/axes_split.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/grain.h"
#include "backend/cpu/nn/statistics.h"
#include "backend/cpu/rows.h"
#include "base/threads/parallel.h"
#include "graph/infer/window.h"

namespace belay::backend::cpu {

namespace {

enum class Second { Variance, ReciprocalDeviation };

// Scale and offset of elements: entry (index / inner) % count belongs to the element at `index`.
struct Parameters {
  std::vector<double> gain, shift;  // empty: 1 and 0
  int64_t inner = 1;

  double apply(double value, int64_t index) const {
    const auto at = [&](const std::vector<double>& list) {
      return list[static_cast<size_t>(index / inner % static_cast<int64_t>(list.size()))];
    };
    if (!gain.empty()) value *= at(gain);
    return shift.empty() ? value : value + at(shift);
  }
};

struct Norm {
  double epsilon = 0;
  Second second = Second::Variance;
  bool swish = false;
  double swish_scale = 1;
};

Status write(const Tensor& to, int64_t index, double value) {
  return with_type(FloatTypes{}, to.type, [&]<class T>() -> Status {
    to.as<T>()[index] = convert_element<T>(value);
    return {};
  });
}

// y = (x - mean) / sqrt(variance + epsilon), scaled and moved; outputs 1 and 2 are the group's statistics.
template <class T>
Status normalise(const AxesSplit& split, const Norm& norm, const Parameters& parameters, const Tensor& x, Outputs out) {
  const auto members = static_cast<int64_t>(split.reduced.size());
  parallel_for(static_cast<int64_t>(split.kept.size()), grain_of(4 * members), [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      const int64_t base = split.kept[static_cast<size_t>(g)];
      const auto member = [&](int64_t i) {
        return static_cast<double>(compute_t<T>(x.as<T>()[base + split.reduced[static_cast<size_t>(i)]]));
      };
      const Moments m = moments_of(members, member);
      const double factor = 1 / std::sqrt(m.variance + norm.epsilon);
      for (int64_t i = 0; i < members; ++i) {
        const int64_t at = base + split.reduced[static_cast<size_t>(i)];
        double value = parameters.apply((member(i) - m.mean) * factor, at);
        if (norm.swish) value /= 1 + std::exp(-norm.swish_scale * value);
        out[0].as<T>()[at] = convert_element<T>(value);
      }
      if (out.size() > 1) (void)write(out[1], g, m.mean);
      if (out.size() > 2) (void)write(out[2], g, norm.second == Second::Variance ? m.variance : factor);
    }
  });
  return {};
}

Result<std::vector<double>> optional_reals(Inputs in, size_t i) {
  if (i >= in.size() || !in[i].present) return std::vector<double>{};
  return reals(in[i]);
}

// The parameters must have the shape of the last dimensions of x.
Status check_suffix(const KernelRequest& request, size_t input) {
  if (input >= request.inputs.size() || !request.inputs[input].present) return {};
  const Shape &x = request.inputs[0].shape, &given = request.inputs[input].shape;
  if (given.size() <= x.size() && std::equal(given.rbegin(), given.rend(), x.rbegin())) return {};
  return refuse(formatted("a parameter of shape {} does not fit the last dimensions of {}", graph::to_text(given),
                          graph::to_text(x)));
}

std::vector<int64_t> axes_from(int64_t first, size_t rank) {
  if (first < 0) first += static_cast<int64_t>(rank);
  std::vector<int64_t> axes;
  for (int64_t d = first; d < static_cast<int64_t>(rank); ++d) axes.push_back(d);
  return axes;
}

MadeKernel make_layer_norm(const KernelRequest& request) {
  const graph::Node& node = request.node;
  const bool fourth = node.type == "LayerNormV4";
  const size_t gamma = fourth ? 2 : 1, beta = gamma + 1;
  TRY(check_suffix(request, gamma));
  TRY(check_suffix(request, beta));
  const Shape& x = request.inputs[0].shape;
  int64_t first = get_or(node.attributes, "begin_norm_axis", int64_t{0});
  if (fourth) first = -graph::element_count(request.inputs[1].shape);
  const AxesSplit split(x, axes_from(first, x.size()));
  Norm norm;
  norm.epsilon = get_or(node.attributes, "epsilon", node.type == "LayerNorm" ? 1e-7f : 1e-5f);
  norm.second = node.type == "LayerNorm" ? Second::Variance : Second::ReciprocalDeviation;
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      auto scale = TRY(optional_reals(in, gamma));
      auto shift = TRY(optional_reals(in, beta));
      const Parameters parameters{std::move(scale), std::move(shift)};
      return normalise<T>(split, norm, parameters, in[0], out);
    });
  });
}

// Elements between two of one channel, by the format.
int64_t channel_inner(const Shape& x, bool last) {
  int64_t inner = 1;
  for (size_t d = 2; d < x.size() && !last; ++d) inner *= x[d];
  return inner;
}

// With a scale and a shift for each channel.
MadeKernel channel_norm(const KernelRequest& request, const AxesSplit& split, const Norm& norm, bool last) {
  const Shape& x = request.inputs[0].shape;
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=, inner = channel_inner(x, last)](Inputs in, Outputs out) -> Status {
      auto scale = TRY(optional_reals(in, 1));
      auto shift = TRY(optional_reals(in, 2));
      const Parameters parameters{std::move(scale), std::move(shift), inner};
      return normalise<T>(split, norm, parameters, in[0], out);
    });
  });
}

MadeKernel make_instance_norm(const KernelRequest& request) {
  const Shape& x = request.inputs[0].shape;
  if (x.size() < 3) return refuse("x must have three dimensions or more");
  const std::string format = graph::data_format_of(request.node, "NDHWC");
  const bool last = format.ends_with('C');
  std::vector<int64_t> axes;
  for (size_t d = 1; d < x.size(); ++d)
    if (d != (last ? x.size() - 1 : 1)) axes.push_back(static_cast<int64_t>(d));
  const AxesSplit split(x, axes);
  Norm norm;
  norm.epsilon = get_or(request.node.attributes, "epsilon", 1e-6f);
  return channel_norm(request, split, norm, last);
}

MadeKernel make_group_norm(const KernelRequest& request) {
  const graph::Node& node = request.node;
  const Shape& x = request.inputs[0].shape;
  const int64_t groups = get_or(node.attributes, "num_groups", int64_t{1});
  const std::string format = graph::data_format_of(node, node.type == "GroupNormV2" ? "NHWC" : "NCHW");
  const bool last = x.size() > 2 && format.ends_with('C');
  if (x.size() < 2 || groups <= 0) return refuse("x must have two dimensions or more, and groups be above 0");
  const size_t channel = last ? x.size() - 1 : 1;
  if (x[channel] % groups != 0)
    return refuse(formatted("{} channels do not divide into {} groups", x[channel], groups));
  // The channel dimension in two: groups, and channels of a group.
  Shape grouped = x;
  grouped[channel] /= groups;
  grouped.insert(grouped.begin() + static_cast<std::ptrdiff_t>(channel), groups);
  std::vector<int64_t> axes;
  for (size_t d = 1; d < grouped.size(); ++d)
    if (d != channel) axes.push_back(static_cast<int64_t>(d));
  const AxesSplit split(grouped, axes);
  Norm norm;
  norm.epsilon = get_or(node.attributes, "eps", node.type == "GroupNorm" ? 1e-4f : 1e-5f);
  norm.second = node.type == "GroupNorm" ? Second::Variance : Second::ReciprocalDeviation;
  norm.swish = (node.type == "GroupNormSilu" && get_or(node.attributes, "activate_silu", true)) ||
               (node.type == "GroupNormSwish" && get_or(node.attributes, "activate_swish", true));
  norm.swish_scale = get_or(node.attributes, "swish_scale", 1.0f);
  return channel_norm(request, split, norm, last);
}

MadeKernel make_mvn(const KernelRequest& request) {
  const graph::Node& node = request.node;
  const Shape& x = request.inputs[0].shape;
  auto axes = get_or(node.attributes, "axes", std::vector<int64_t>{0, 2, 3});
  if (node.type == "MVN") axes = axes_from(get_or(node.attributes, "across_channels", false) ? 1 : 2, x.size());
  const bool divides = node.type != "MVN" || get_or(node.attributes, "normalize_variance", true);
  const double epsilon = get_or(node.attributes, "eps", 1e-9f);
  const AxesSplit split(x, axes);
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      for (const int64_t base : split.kept) {
        const auto member = [&](int64_t i) {
          return static_cast<double>(compute_t<T>(in[0].as<T>()[base + split.reduced[static_cast<size_t>(i)]]));
        };
        const Moments m = moments_of(static_cast<int64_t>(split.reduced.size()), member);
        const double divisor = divides ? std::sqrt(m.variance) + epsilon : 1;
        for (int64_t i = 0; i < static_cast<int64_t>(split.reduced.size()); ++i)
          out[0].as<T>()[base + split.reduced[static_cast<size_t>(i)]] =
              convert_element<T>((member(i) - m.mean) / divisor);
      }
      return {};
    });
  });
}

constexpr KernelRow rows[] = {
    {"GroupNorm", "reference", make_group_norm},
    {"GroupNormSilu", "reference", make_group_norm},
    {"GroupNormSwish", "reference", make_group_norm},
    {"GroupNormV2", "reference", make_group_norm},
    {"InstanceNorm", "reference", make_instance_norm},
    {"LayerNorm", "reference", make_layer_norm},
    {"LayerNormV3", "reference", make_layer_norm},
    {"LayerNormV4", "reference", make_layer_norm},
    {"MVN", "reference", make_mvn},
    {"MVNV2", "reference", make_mvn},
};

}  // namespace

std::span<const KernelRow> norm_rows() { return rows; }

}  // namespace belay::backend::cpu
