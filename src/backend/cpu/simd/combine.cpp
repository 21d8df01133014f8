// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of two tensors.
#include "backend/cpu/fast_rows.h"
#include "backend/cpu/simd/elementwise_kernel.h"

namespace belay::backend::cpu {
namespace {

template <Combine f>
MadeKernel make(const KernelRequest& request) {
  return combine_kernel(request, f);
}

constexpr KernelRow rows[] = {
    {"Add", "simd", make<Combine::Add>},         {"AddV2", "simd", make<Combine::Add>},
    {"Div", "simd", make<Combine::Divide>},      {"Maximum", "simd", make<Combine::Maximum>},
    {"Minimum", "simd", make<Combine::Minimum>}, {"Mul", "simd", make<Combine::Multiply>},
    {"RealDiv", "simd", make<Combine::Divide>},  {"SquaredDifference", "simd", make<Combine::SquaredDifference>},
    {"Sub", "simd", make<Combine::Subtract>},
};

}  // namespace

std::span<const KernelRow> simd_combine_rows() { return rows; }

}  // namespace belay::backend::cpu
