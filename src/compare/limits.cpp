// SPDX-License-Identifier: Apache-2.0
#include "compare/limits.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "compare/measure/elements.h"

namespace belay::compare {
namespace {

using graph::DataType;

bool is_float(DataType type) { return Spacing::of(type).digits < Spacing::kWhole; }

bool is_byte(DataType type) {
  return type == DataType::Int8 || type == DataType::UInt8 || type == DataType::QInt8 || type == DataType::QUInt8;
}

// The relative Euclidean distance for the digits of the coarser type.
double usual_euclidean(int digits) {
  if (digits >= 52) return 1e-9;
  if (digits >= 23) return 1e-4;
  if (digits >= 10) return 1e-2;
  return digits >= 7 ? 5e-2 : 3e-1;
}

bool is_partly_infinite(const SideCount& side) { return side.nan + side.plus_inf + side.minus_inf > 0; }

template <class... Args>
std::string sentence(const char* pattern, Args... arguments) {
  char text[160];
  std::snprintf(text, sizeof text, pattern, arguments...);
  return text;
}

}  // namespace

Limits usual_limits(DataType ours, DataType truth) {
  if (!is_float(ours) && !is_float(truth)) return {.rtol = 0.0, .atol = is_byte(ours) && is_byte(truth) ? 1.0 : 0.0};
  // Whole numbers that one side stores as floats are the same numbers, but for what the float rounds.
  if (!is_float(ours) || !is_float(truth)) return {.rtol = 0.0, .atol = 0.0, .ulp = 0.5};
  const double euclidean = usual_euclidean(Spacing::coarser(ours, truth).digits);
  return {.euclidean = euclidean, .peak = std::min(10 * euclidean, 1.0), .ulp = 1.0};
}

std::string difference(const Measures& measured, const Limits& limits) {
  if (measured.different == 0) return "";
  if (measured.bits_only)
    return sentence("%llu of %lld elements have other bits; what they are worth is not known for this type",
                    static_cast<unsigned long long>(measured.different), static_cast<long long>(measured.count));
  if (std::isinf(measured.least_atol) && (is_partly_infinite(measured.ours) || is_partly_infinite(measured.truth)))
    return "an element is finite on one side only, or infinite with another sign";
  if (limits.ulp && measured.max_ulp <= *limits.ulp) return "";
  if ((limits.rtol || limits.atol) && measured.outside > 0)
    return sentence("%llu of %lld elements are beyond atol %.3g + rtol %.3g * |truth|",
                    static_cast<unsigned long long>(measured.outside), static_cast<long long>(measured.count),
                    limits.tolerance().atol, limits.tolerance().rtol);
  if (limits.cosine && !measured.constant_one && !(measured.finite_cosine >= *limits.cosine))
    return sentence("the cosine %.6f is below %.6g", measured.finite_cosine, *limits.cosine);
  if (limits.euclidean && !(measured.finite_euclidean <= *limits.euclidean))
    return sentence("the relative Euclidean distance %.3g is above %.3g", measured.finite_euclidean, *limits.euclidean);
  if (limits.peak && !(measured.least_atol <= *limits.peak * measured.finite_largest))
    return sentence("an element is off by %.3g, more than %.3g of the largest, %.3g", measured.least_atol, *limits.peak,
                    measured.finite_largest);
  return "";
}

}  // namespace belay::compare
