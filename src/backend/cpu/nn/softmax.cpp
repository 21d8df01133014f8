// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backend/cpu/axes_split.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/grain.h"
#include "backend/cpu/loop_table.h"
#include "backend/cpu/nn/loss.h"
#include "backend/cpu/rows.h"
#include "base/threads/parallel.h"

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

using Row = std::vector<double>;

// The members of a group as doubles, and back.
using Load = void (*)(const void* x, int64_t base, const std::vector<int64_t>& members, Row& values);
using Store = void (*)(void* y, int64_t base, const std::vector<int64_t>& members, const Row& values);

template <class T>
void load_members(const void* x, int64_t base, const std::vector<int64_t>& members, Row& values) {
  for (size_t i = 0; i < values.size(); ++i) values[i] = compute_t<T>(static_cast<const T*>(x)[base + members[i]]);
}
template <class T>
void store_members(void* y, int64_t base, const std::vector<int64_t>& members, const Row& values) {
  for (size_t i = 0; i < values.size(); ++i)
    static_cast<T*>(y)[base + members[i]] = T(static_cast<compute_t<T>>(values[i]));
}
constexpr auto loads = loop_table<Load>(FloatTypes{}, []<class T>() -> Load { return load_members<T>; });
constexpr auto stores = loop_table<Store>(FloatTypes{}, []<class T>() -> Store { return store_members<T>; });

double largest(const Row& values) {
  double most = -std::numeric_limits<double>::infinity();
  for (const double value : values) most = std::max(most, value);
  return most;
}

void softmax(Row& values) {
  const double most = largest(values);
  double sum = 0;
  for (double& value : values) sum += value = std::exp(value - most);
  for (double& value : values) value /= sum;
}

void log_softmax(Row& values) {
  const double most = largest(values);
  double sum = 0;
  for (const double value : values) sum += std::exp(value - most);
  const double rest = std::log(sum);
  for (double& value : values) value = value - most - rest;  // most + rest would lose the rest where most is large
}

// 1 at the first largest, else 0.
void hardmax(Row& values) {
  const auto at = std::max_element(values.begin(), values.end()) - values.begin();
  std::fill(values.begin(), values.end(), 0.0);
  if (!values.empty()) values[static_cast<size_t>(at)] = 1;
}

// Calls f on the members of each group; what it leaves there is stored.
MadeKernel make(const KernelRequest& request, void (*f)(Row&), const std::vector<int64_t>& axes) {
  const DataType from = request.inputs[0].type, to = request.outputs[0].type;
  const Load load = find_loop(loads, from);
  if (!load) return refuse(formatted("type {} is not supported", graph::name_of(from)));
  const Store store = find_loop(stores, to == from ? to : DataType::Float);
  return function_kernel(
      [=, split = AxesSplit(request.inputs[0].shape, axes)](Inputs in, Outputs out) -> Status {
        const int64_t grain = grain_of(4 * static_cast<int64_t>(split.reduced.size()));
        parallel_for(static_cast<int64_t>(split.kept.size()), grain, [&](int64_t begin, int64_t end) {
          Row values(split.reduced.size());
          for (int64_t g = begin; g < end; ++g) {
            load(in[0].data, split.kept[static_cast<size_t>(g)], split.reduced, values);
            f(values);
            store(out[0].data, split.kept[static_cast<size_t>(g)], split.reduced, values);
          }
        });
        return {};
      },
      to == from ? same_places(request) : 0);
}

template <void (*f)(Row&)>
MadeKernel make_softmax(const KernelRequest& request) {
  return make(request, f, softmax_axes(request));
}

MadeKernel make_hardmax(const KernelRequest& request) {
  return make(request, hardmax, {get_or(request.node.attributes, "axis", int64_t{-1})});
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
