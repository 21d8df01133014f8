// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "backend/cpu/element.h"
#include "backend/cpu/loop_table.h"
#include "backend/kernel.h"

namespace belay::backend::cpu {

// Numbers that a loop's function takes beside the element: what the attributes gave.
using Parameters = std::array<double, 4>;

// to[i] = f(from[i]) for `count` elements.
using UnaryLoop = void (*)(const void* from, void* to, int64_t count, const Parameters& parameters);

template <class To, class From, auto f>
void unary_loop(const void* from, void* to, int64_t count, const Parameters& parameters) {
  const From* x = static_cast<const From*>(from);
  To* y = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_invocable_v<decltype(f), compute_t<From>, const Parameters&>)
      y[i] = To(f(compute_t<From>(x[i]), parameters));
    else
      y[i] = To(f(compute_t<From>(x[i])));
  }
}

// A kernel that runs the loop over its one input, on all threads. Null: the input's type is not supported.
MadeKernel unary_kernel(const KernelRequest& request, UnaryLoop loop, const Parameters& parameters = {});

// A row's make() for y = f(x), one type in and out.
template <class Types, auto f>
MadeKernel unary(const KernelRequest& request) {
  static constexpr auto table =
      loop_table<UnaryLoop>(Types{}, []<class T>() -> UnaryLoop { return unary_loop<T, T, f>; });
  return unary_kernel(request, find_loop(table, request.inputs[0].type));
}

// The same for y = f(x, parameters), which `read` takes from the node's attributes.
template <class Types, auto f, auto read>
MadeKernel unary_with(const KernelRequest& request) {
  static constexpr auto table =
      loop_table<UnaryLoop>(Types{}, []<class T>() -> UnaryLoop { return unary_loop<T, T, f>; });
  return unary_kernel(request, find_loop(table, request.inputs[0].type), read(request.node.attributes));
}

// y = f(x) with a Bool result.
template <class Types, auto f>
MadeKernel test_elements(const KernelRequest& request) {
  static constexpr auto table =
      loop_table<UnaryLoop>(Types{}, []<class T>() -> UnaryLoop { return unary_loop<Bool, T, f>; });
  return unary_kernel(request, find_loop(table, request.inputs[0].type));
}

}  // namespace belay::backend::cpu
