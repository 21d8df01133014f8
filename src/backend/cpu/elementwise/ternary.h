// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/element.h"
#include "backend/cpu/elementwise/unary.h"
#include "backend/cpu/loop_table.h"
#include "backend/kernel.h"

namespace belay::backend::cpu {

// z[i] = f(x[0][i * d[0]], x[1][i * d[1]], x[2][i * d[2]]) for `count` elements.
using TernaryLoop = void (*)(const std::array<const void*, 3>& x, const std::array<int64_t, 3>& d, void* z,
                             int64_t count);

template <class To, class A, class B, class C, auto f>
void ternary_loop(const std::array<const void*, 3>& x, const std::array<int64_t, 3>& d, void* z, int64_t count) {
  const A* a = static_cast<const A*>(x[0]);
  const B* b = static_cast<const B*>(x[1]);
  const C* c = static_cast<const C*>(x[2]);
  for (int64_t i = 0; i < count; ++i)
    static_cast<To*>(z)[i] = To(f(compute_t<A>(a[i * d[0]]), compute_t<B>(b[i * d[1]]), compute_t<C>(c[i * d[2]])));
}

// A kernel that runs the loop over its first three inputs with broadcasting, on all threads. The output may take over
// an input of its own shape. Null: the type is not supported.
MadeKernel ternary_kernel(const KernelRequest& request, TernaryLoop loop);

}  // namespace belay::backend::cpu
