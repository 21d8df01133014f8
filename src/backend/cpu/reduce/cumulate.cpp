// SPDX-License-Identifier: Apache-2.0
// Running sums and products along an axis.
#include "backend/cpu/arguments.h"
#include "backend/cpu/axes_split.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/elementwise/integer.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {

namespace {

struct Order {
  int64_t axis = 0;
  bool exclusive = false, reverse = false;
};

template <class T, class F>
Status cumulate(const Tensor& x, const Tensor& y, const Order& order, sum_t<T> first, const F& f) {
  const AxesSplit split(x.shape, {order.axis});
  const auto count = static_cast<int64_t>(split.reduced.size());
  parallel_for(static_cast<int64_t>(split.kept.size()), 64, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      const int64_t base = split.kept[static_cast<size_t>(g)];
      sum_t<T> total = first;
      for (int64_t i = 0; i < count; ++i) {
        const int64_t at = base + split.reduced[static_cast<size_t>(order.reverse ? count - 1 - i : i)];
        const sum_t<T> before = total;
        total = f(total, static_cast<sum_t<T>>(compute_t<T>(x.as<T>()[at])));
        y.as<T>()[at] = convert_element<T>(order.exclusive ? before : total);
      }
    }
  });
  return {};
}

template <bool product>
MadeKernel make(const KernelRequest& request) {
  const graph::Attributes& attributes = request.node.attributes;
  const Order fixed{get_or(attributes, "axis", int64_t{0}), get_or(attributes, "exclusive", false),
                    get_or(attributes, "reverse", false)};
  return with_type(NumberTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel(
        [fixed](Inputs in, Outputs out) -> Status {
          Order order = fixed;
          if (in.size() > 1) order.axis = TRY(integer(in[1]));
          return cumulate<T>(in[0], out[0], order, product ? 1 : 0, [](auto total, auto next) {
            if constexpr (std::is_floating_point_v<decltype(total)>)
              return product ? total * next : total + next;
            else
              return product ? wrapping_multiply(total, next) : wrapping_add(total, next);
          });
        },
        1u);
  });
}

constexpr KernelRow rows[] = {
    {"Cumprod", "reference", make<true>},
    {"CumprodD", "reference", make<true>},
    {"Cumsum", "reference", make<false>},
    {"CumsumD", "reference", make<false>},
};

}  // namespace

std::span<const KernelRow> cumulate_rows() { return rows; }

}  // namespace belay::backend::cpu
