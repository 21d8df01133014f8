// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of two tensors.
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/elementwise_kernel.h"

namespace belay::backend::cpu {
namespace {

template <Combine f>
MadeKernel make(const KernelRequest& request) {
  return combine_kernel(request, f);
}

// Sums of any number of tensors: here of two.
MadeKernel make_sum(const KernelRequest& request) {
  if (request.inputs.size() != 2) return refuse("it sums other than two tensors");
  return combine_kernel(request, Combine::Add);
}

MadeKernel make_axpy(const KernelRequest& request) {
  return combine_kernel(request, Combine::Add, get_or(request.node.attributes, "alpha", 1.0f));
}

constexpr KernelRow rows[] = {
    {"AccumulateNV2", "simd", make_sum},
    {"AddN", "simd", make_sum},
    {"Add", "simd", make<Combine::Add>},
    {"AddV2", "simd", make<Combine::Add>},
    {"Axpy", "simd", make_axpy},
    {"Div", "simd", make<Combine::Divide>},
    {"Maximum", "simd", make<Combine::Maximum>},
    {"Minimum", "simd", make<Combine::Minimum>},
    {"Mul", "simd", make<Combine::Multiply>},
    {"RealDiv", "simd", make<Combine::Divide>},
    {"SquaredDifference", "simd", make<Combine::SquaredDifference>},
    {"Sub", "simd", make<Combine::Subtract>},
};

}  // namespace

std::span<const KernelRow> simd_combine_rows() { return rows; }

}  // namespace belay::backend::cpu
