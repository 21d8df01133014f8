// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>

#include "backend/cpu/elementwise/binary.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

constexpr auto near = [](auto x, auto y, const Parameters& p) { return std::fabs(x - y) < p[0]; };

MadeKernel make_approximate_equal(const KernelRequest& request) {
  static constexpr auto table =
      loop_table<BinaryLoop>(FloatTypes{}, []<class T>() -> BinaryLoop { return binary_loop<Bool, T, near>; });
  return binary_kernel(request, find_loop(table, request.inputs[0].type),
                       {get_or(request.node.attributes, "tolerance", 1e-5f)});
}

constexpr KernelRow rows[] = {
    {"ApproximateEqual", "reference", make_approximate_equal},
    {"Equal", "reference", compare<AllTypes, std::equal_to<>{}>},
    {"Greater", "reference", compare<NumberTypes, std::greater<>{}>},
    {"GreaterEqual", "reference", compare<NumberTypes, std::greater_equal<>{}>},
    {"Less", "reference", compare<NumberTypes, std::less<>{}>},
    {"LessEqual", "reference", compare<NumberTypes, std::less_equal<>{}>},
    {"LogicalAnd", "reference", compare<TypeList<Bool>, [](bool x, bool y) { return x && y; }>},
    {"LogicalOr", "reference", compare<TypeList<Bool>, [](bool x, bool y) { return x || y; }>},
    {"LogicalXor", "reference", compare<TypeList<Bool>, [](bool x, bool y) { return x != y; }>},
    {"NotEqual", "reference", compare<AllTypes, std::not_equal_to<>{}>},
};

}  // namespace

std::span<const KernelRow> compare_rows() { return rows; }

}  // namespace belay::backend::cpu
