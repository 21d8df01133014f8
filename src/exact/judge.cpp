// SPDX-License-Identifier: Apache-2.0
#include "exact/judge.h"

#include <algorithm>
#include <cmath>

#include "base/threads/parallel.h"

namespace belay::exact {

namespace {

constexpr int64_t part_size = 1 << 14;

struct Part {
  Judgement made;
  double squares = 0, reference = 0;
};

Part judge_part(const Output& exact, const Value& actual, int64_t begin, int64_t end) {
  Part part;
  const bool real = actual.real();
  const double *here = real ? actual.doubles().data() : nullptr, *there = real ? exact.value.doubles().data() : nullptr;
  for (int64_t i = begin; i < end; ++i) {
    const double is = real ? here[i] : integer_at(actual, i), should = real ? there[i] : integer_at(exact.value, i);
    if (std::isfinite(should)) part.reference += should * should;
    if (is == should) continue;
    const double error = error_between(is, should);
    if (error == 0) continue;
    const double allowed = exact.allowed.empty() ? 0 : exact.allowed[static_cast<size_t>(i)];
    const double share = std::isinf(allowed) ? 0 : error / allowed;
    if (std::isfinite(error)) part.squares += error * error;
    part.made.error = std::max(part.made.error, error);
    if (share > 1) ++part.made.outside;
    if (share > part.made.share) part.made.share = share, part.made.worst = i;
  }
  return part;
}

}  // namespace

Judgement judge(const Output& exact, const Value& actual) {
  if (exact.value.type != actual.type || exact.value.shape != actual.shape) return {.comparable = false};
  const int64_t count = actual.count(), parts = (count + part_size - 1) / part_size;
  std::vector<Part> judged(static_cast<size_t>(parts));
  parallel_for(parts, 4, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p)
      judged[static_cast<size_t>(p)] = judge_part(exact, actual, p * part_size, std::min(count, (p + 1) * part_size));
  });
  Judgement made;
  double squares = 0, reference = 0;
  for (const Part& part : judged) {
    squares += part.squares;
    reference += part.reference;
    made.error = std::max(made.error, part.made.error);
    made.outside += part.made.outside;
    if (part.made.share > made.share) made.share = part.made.share, made.worst = part.made.worst;
  }
  if (squares > 0) made.relative = reference > 0 ? std::sqrt(squares / reference) : INFINITY;
  return made;
}

}  // namespace belay::exact
