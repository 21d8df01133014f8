// SPDX-License-Identifier: Apache-2.0
#include "exact/judge.h"

#include <cmath>

namespace belay::exact {

Judgement judge(const Output& exact, const Value& actual) {
  Judgement made;
  if (exact.value.type != actual.type || exact.value.shape != actual.shape) return {.comparable = false};
  const bool real = actual.real();
  double squares = 0, reference = 0;
  for (int64_t i = 0, count = actual.count(); i < count; ++i) {
    const auto e = static_cast<size_t>(i);
    const double here = real ? actual.doubles()[e] : integer_at(actual, i);
    const double there = real ? exact.value.doubles()[e] : integer_at(exact.value, i);
    const double error = error_between(here, there);
    if (std::isfinite(there)) reference += there * there;
    if (error == 0) continue;
    const double allowed = exact.allowed.empty() ? 0 : exact.allowed[e];
    const double share = std::isinf(allowed) ? 0 : error / allowed;
    if (std::isfinite(error)) squares += error * error;
    made.error = std::max(made.error, error);
    if (share > 1) ++made.outside;
    if (share > made.share) made.share = share, made.worst = i;
  }
  if (squares > 0) made.relative = reference > 0 ? std::sqrt(squares / reference) : INFINITY;
  return made;
}

}  // namespace belay::exact
