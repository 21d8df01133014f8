// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backend/cpu/axes_split.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/nn/loss.h"
#include "backend/cpu/parallel.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

// From `axis` to the end when older models mean the tensor flattened there.
std::vector<int64_t> softmax_axes(const KernelRequest& request) {
  const graph::Attributes& attributes = request.node.attributes;
  auto axes = get_or(attributes, "axes", std::vector<int64_t>{-1});
  const auto rank = static_cast<int64_t>(request.inputs[0].shape.size());
  if (get_or(attributes, "need_fusion", int64_t{0}) == 1 && axes.size() == 1) {
    const int64_t first = axes[0] < 0 ? axes[0] + rank : axes[0];
    for (int64_t axis = first + 1; axis < rank; ++axis) axes.push_back(axis);
  }
  return axes;
}

// Calls f(values of a group) on a copy in double; what it leaves there is stored.
template <class T, class To, class F>
Status map_groups(const AxesSplit& split, const Tensor& x, const Tensor& y, const F& f) {
  parallel_for(static_cast<int64_t>(split.kept.size()), 1, [&](int64_t begin, int64_t end) {
    std::vector<double> values(split.reduced.size());
    for (int64_t g = begin; g < end; ++g) {
      const int64_t base = split.kept[static_cast<size_t>(g)];
      for (size_t i = 0; i < values.size(); ++i) values[i] = compute_t<T>(x.as<T>()[base + split.reduced[i]]);
      f(values);
      for (size_t i = 0; i < values.size(); ++i)
        y.as<To>()[base + split.reduced[i]] = To(static_cast<compute_t<To>>(values[i]));
    }
  });
  return {};
}

double largest(const std::vector<double>& values) {
  double most = -std::numeric_limits<double>::infinity();
  for (const double value : values) most = std::max(most, value);
  return most;
}

constexpr auto softmax = [](std::vector<double>& values) {
  const double most = largest(values);
  double sum = 0;
  for (double& value : values) sum += value = std::exp(value - most);
  for (double& value : values) value /= sum;
};

constexpr auto log_softmax = [](std::vector<double>& values) {
  const double most = largest(values);
  double sum = 0;
  for (const double value : values) sum += std::exp(value - most);
  const double shift = most + std::log(sum);
  for (double& value : values) value -= shift;
};

// 1 at the first largest, else 0.
constexpr auto hardmax = [](std::vector<double>& values) {
  const auto at = std::max_element(values.begin(), values.end()) - values.begin();
  std::fill(values.begin(), values.end(), 0.0);
  if (!values.empty()) values[static_cast<size_t>(at)] = 1;
};

template <auto f>
MadeKernel make(const KernelRequest& request, const std::vector<int64_t>& axes) {
  const AxesSplit split(request.inputs[0].shape, axes);
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    if (request.outputs[0].type == data_type_of<T>())
      return function_kernel([split](Inputs in, Outputs out) { return map_groups<T, T>(split, in[0], out[0], f); },
                             same_places(request));
    return function_kernel([split](Inputs in, Outputs out) { return map_groups<T, float>(split, in[0], out[0], f); });
  });
}

template <auto f>
MadeKernel make_softmax(const KernelRequest& request) {
  return make<f>(request, softmax_axes(request));
}

MadeKernel make_hardmax(const KernelRequest& request) {
  return make<hardmax>(request, {get_or(request.node.attributes, "axis", int64_t{-1})});
}

constexpr KernelRow rows[] = {
    {"HardMax", "reference", make_hardmax},
    {"LogSoftmaxV2", "reference", make_softmax<log_softmax>},
    {"NLLLoss", "reference", make_nll_loss},
    {"SoftmaxCrossEntropyLoss", "reference", make_softmax_cross_entropy},
    {"SoftmaxV2", "reference", make_softmax<softmax>},
};

}  // namespace

std::span<const KernelRow> softmax_rows() { return rows; }

}  // namespace belay::backend::cpu
