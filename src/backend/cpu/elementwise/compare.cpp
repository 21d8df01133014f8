// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>

#include "backend/cpu/elementwise/binary.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

MadeKernel make_approximate_equal(const KernelRequest& request) {
  TRY(same_types(request));
  const float tolerance = get_or(request.node.attributes, "tolerance", 1e-5f);
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() {
    return combine<Bool, T>(request, [=](auto x, auto y) { return std::fabs(x - y) < tolerance; });
  });
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
