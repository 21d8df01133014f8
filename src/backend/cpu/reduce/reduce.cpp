// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "backend/cpu/arguments.h"
#include "backend/cpu/axes_split.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/elementwise/integer.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/loop_table.h"
#include "backend/cpu/rows.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {

namespace {

// The axes of a reduction: the second input's elements, else the attribute's. No axes mean all, unless the operator
// says that they mean none.
struct Axes {
  std::vector<int64_t> fixed;
  bool from_input = false, empty_means_none = false;

  Result<AxesSplit> split(Inputs in) const {
    std::vector<int64_t> axes = fixed;
    if (from_input && in.size() > 1 && in[1].present) axes = TRY(integers(in[1]));
    const auto rank = static_cast<int64_t>(in[0].shape.size());
    if (axes.empty() && !empty_means_none)
      for (int64_t d = 0; d < rank; ++d) axes.push_back(d);
    return AxesSplit(in[0].shape, axes);
  }
};

Axes read_axes(const KernelRequest& request) {
  const graph::Node& node = request.node;
  Axes axes;
  axes.from_input = request.inputs.size() > 1;
  for (const char* name : {"axes", "axis", "dim"})
    if (axes.fixed.empty()) axes.fixed = graph::ints_of(node, name);
  axes.empty_means_none = request.inputs[0].shape == request.outputs[0].shape;
  return axes;
}

// y = what a function makes of one group's members, which lie at base[members[i]].
using GroupFunction = void (*)(const void* base, std::span<const int64_t> members, void* y, double parameter);

template <class T, auto f>
void reduce_group(const void* base, std::span<const int64_t> members, void* y, double parameter) {
  const T* x = static_cast<const T*>(base);
  const auto member = [&](int64_t i) {
    return static_cast<sum_t<T>>(compute_t<T>(x[members[static_cast<size_t>(i)]]));
  };
  const auto count = static_cast<int64_t>(members.size());
  if constexpr (std::is_invocable_v<decltype(f), int64_t, decltype(member), double>)
    *static_cast<T*>(y) = convert_element<T>(f(count, member, parameter));
  else
    *static_cast<T*>(y) = convert_element<T>(f(count, member));
}

MadeKernel reduce_kernel(const KernelRequest& request, GroupFunction f, double parameter = 0) {
  const DataType type = request.inputs[0].type;
  if (!f) return refuse(formatted("type {} is not supported", graph::name_of(type)));
  const auto bytes = static_cast<int64_t>(graph::bits_of(type) / 8);
  return function_kernel([axes = read_axes(request), f, bytes, parameter](Inputs in, Outputs out) -> Status {
    const AxesSplit split = TRY(axes.split(in));
    const auto groups = static_cast<int64_t>(split.kept.size()), members = static_cast<int64_t>(split.reduced.size());
    const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(members, 1));
    parallel_for(groups, grain, [&](int64_t begin, int64_t end) {
      for (int64_t g = begin; g < end; ++g)
        f(in[0].as<std::byte>() + split.kept[static_cast<size_t>(g)] * bytes, split.reduced,
          out[0].as<std::byte>() + g * bytes, parameter);
    });
    return {};
  });
}

template <class Types, auto f>
MadeKernel reduce(const KernelRequest& request) {
  static constexpr auto table =
      loop_table<GroupFunction>(Types{}, []<class T>() -> GroupFunction { return reduce_group<T, f>; });
  return reduce_kernel(request, find_loop(table, request.inputs[0].type));
}

constexpr auto sum = [](int64_t count, const auto& member) {
  auto total = decltype(member(0))(0);
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_floating_point_v<decltype(total)>)
      total += member(i);
    else
      total = wrapping_add(total, member(i));
  }
  return total;
};
constexpr auto mean = [](int64_t count, const auto& member) {
  const auto total = sum(count, member);
  using S = decltype(member(0));
  if constexpr (std::is_floating_point_v<S>)
    return total / static_cast<double>(count);
  else
    return count == 0 ? S(0) : static_cast<S>(total / static_cast<S>(count));
};
constexpr auto product_of_all = [](int64_t count, const auto& member) {
  auto total = decltype(member(0))(1);
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_floating_point_v<decltype(total)>)
      total *= member(i);
    else
      total = wrapping_multiply(total, member(i));
  }
  return total;
};

// A NaN among the members is the result; of no members, the least (greatest) number there is.
constexpr auto most = [](int64_t count, const auto& member) {
  using S = decltype(member(0));
  S best =
      std::numeric_limits<S>::has_infinity ? -std::numeric_limits<S>::infinity() : std::numeric_limits<S>::lowest();
  for (int64_t i = 0; i < count; ++i)
    if (const S value = member(i); value > best || value != value) {
      best = value;
      if (value != value) break;
    }
  return best;
};
constexpr auto least = [](int64_t count, const auto& member) {
  using S = decltype(member(0));
  S best = std::numeric_limits<S>::has_infinity ? std::numeric_limits<S>::infinity() : std::numeric_limits<S>::max();
  for (int64_t i = 0; i < count; ++i)
    if (const S value = member(i); value < best || value != value) {
      best = value;
      if (value != value) break;
    }
  return best;
};

constexpr auto all = [](int64_t count, const auto& member) {
  for (int64_t i = 0; i < count; ++i)
    if (member(i) == 0) return 0;
  return 1;
};
constexpr auto any = [](int64_t count, const auto& member) {
  for (int64_t i = 0; i < count; ++i)
    if (member(i) != 0) return 1;
  return 0;
};

constexpr auto log_sum = [](int64_t count, const auto& member) {
  return std::log(static_cast<double>(sum(count, member)));
};
constexpr auto log_sum_exp = [](int64_t count, const auto& member) {
  const double largest = static_cast<double>(most(count, member));
  if (std::isinf(largest)) return largest;
  double total = 0;
  for (int64_t i = 0; i < count; ++i) total += std::exp(static_cast<double>(member(i)) - largest);
  return std::log(total) + largest;
};
constexpr auto square_sum = [](int64_t count, const auto& member) {
  auto total = decltype(member(0))(0);
  for (int64_t i = 0; i < count; ++i) {
    const auto value = member(i);
    if constexpr (std::is_floating_point_v<decltype(total)>)
      total += value * value;
    else
      total = wrapping_add(total, wrapping_multiply(value, value));
  }
  return total;
};
constexpr auto euclidean = [](int64_t count, const auto& member) {
  return std::sqrt(static_cast<double>(square_sum(count, member)));
};

constexpr auto lp_norm = [](int64_t count, const auto& member, double p) -> double {
  if (p == 2) return euclidean(count, member);
  double total = p == -INFINITY ? INFINITY : 0;
  for (int64_t i = 0; i < count; ++i) {
    const double size = std::fabs(static_cast<double>(member(i)));
    if (p == INFINITY)
      total = std::max(total, size);
    else if (p == -INFINITY)
      total = std::min(total, size);
    else if (p == 0)
      total += size != 0;
    else
      total += p == 1 ? size : std::pow(size, p);
  }
  return std::isinf(p) || p == 0 || p == 1 ? total : std::pow(total, 1 / p);
};
MadeKernel make_lp_norm(const KernelRequest& request) {
  static constexpr auto table =
      loop_table<GroupFunction>(NumberTypes{}, []<class T>() -> GroupFunction { return reduce_group<T, lp_norm>; });
  return reduce_kernel(request, find_loop(table, request.inputs[0].type), get_or(request.node.attributes, "p", 2.0f));
}

using Truths = TypeList<Bool>;

constexpr KernelRow rows[] = {
    {"EuclideanNorm", "reference", reduce<NumberTypes, euclidean>},
    {"EuclideanNormD", "reference", reduce<NumberTypes, euclidean>},
    {"LpNorm", "reference", make_lp_norm},
    {"LpNormV2", "reference", make_lp_norm},
    {"ReduceAll", "reference", reduce<Truths, all>},
    {"ReduceAllD", "reference", reduce<Truths, all>},
    {"ReduceAny", "reference", reduce<Truths, any>},
    {"ReduceAnyD", "reference", reduce<Truths, any>},
    {"ReduceLogSum", "reference", reduce<FloatTypes, log_sum>},
    {"ReduceLogSumExp", "reference", reduce<FloatTypes, log_sum_exp>},
    {"ReduceMax", "reference", reduce<NumberTypes, most>},
    {"ReduceMaxD", "reference", reduce<NumberTypes, most>},
    {"ReduceMean", "reference", reduce<NumberTypes, mean>},
    {"ReduceMeanD", "reference", reduce<NumberTypes, mean>},
    {"ReduceMin", "reference", reduce<NumberTypes, least>},
    {"ReduceMinD", "reference", reduce<NumberTypes, least>},
    {"ReduceProd", "reference", reduce<NumberTypes, product_of_all>},
    {"ReduceProdD", "reference", reduce<NumberTypes, product_of_all>},
    {"ReduceSum", "reference", reduce<NumberTypes, sum>},
    {"ReduceSumD", "reference", reduce<NumberTypes, sum>},
    {"SquareSumV1", "reference", reduce<NumberTypes, square_sum>},
};

}  // namespace

std::span<const KernelRow> reduce_rows() { return rows; }

}  // namespace belay::backend::cpu
