// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/element.h"
#include "backend/cpu/elementwise/unary.h"
#include "backend/cpu/loop_table.h"
#include "backend/kernel.h"

namespace belay::backend::cpu {

// z[i] = f(x[i * dx], y[i * dy]) for `count` elements.
using BinaryLoop = void (*)(const void* x, int64_t dx, const void* y, int64_t dy, void* z, int64_t count,
                            const Parameters& parameters);

template <class To, class From, auto f>
void binary_loop(const void* x, int64_t dx, const void* y, int64_t dy, void* z, int64_t count,
                 const Parameters& parameters) {
  const From *left = static_cast<const From*>(x), *right = static_cast<const From*>(y);
  To* to = static_cast<To*>(z);
  using C = compute_t<From>;
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_invocable_v<decltype(f), C, C, const Parameters&>)
      to[i] = To(f(C(left[i * dx]), C(right[i * dy]), parameters));
    else
      to[i] = To(f(C(left[i * dx]), C(right[i * dy])));
  }
}

// A kernel that runs the loop over its first two inputs with broadcasting, on all threads. The output may take over an
// input of its own shape. Null: the inputs' type is not supported.
MadeKernel binary_kernel(const KernelRequest& request, BinaryLoop loop, const Parameters& parameters = {});

// A row's make() for z = f(x, y), one type in and out.
template <class Types, auto f>
MadeKernel binary(const KernelRequest& request) {
  static constexpr auto table =
      loop_table<BinaryLoop>(Types{}, []<class T>() -> BinaryLoop { return binary_loop<T, T, f>; });
  return binary_kernel(request, find_loop(table, request.inputs[0].type));
}

// The same with a Bool result.
template <class Types, auto f>
MadeKernel compare(const KernelRequest& request) {
  static constexpr auto table =
      loop_table<BinaryLoop>(Types{}, []<class T>() -> BinaryLoop { return binary_loop<Bool, T, f>; });
  return binary_kernel(request, find_loop(table, request.inputs[0].type));
}

}  // namespace belay::backend::cpu
