// SPDX-License-Identifier: Apache-2.0
#include "bisect/limits.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

#include "base/text.h"
#include "graph/tensor/element.h"

namespace belay::bisect {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Result<std::vector<double>> doubles(const Array& array) {
  const size_t count = static_cast<size_t>(graph::element_count(array.shape));
  if (array.bytes.size() < graph::bytes_of(array.type, static_cast<int64_t>(count)))
    return Status{ACL_ERROR_INVALID_FILE, formatted("{} is shorter than its shape says", array.name)};
  std::vector<double> values(count);
  const auto read = [&]<class T>() -> Status {
    for (size_t i = 0; i < count; ++i) {
      T element;
      std::memcpy(&element, array.bytes.data() + i * sizeof(T), sizeof(T));
      values[i] = static_cast<double>(static_cast<graph::compute_t<T>>(element));
    }
    return {};
  };
  TRY(graph::with_type(graph::AllTypes{}, array.type, read));
  return values;
}

bool same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

double cosine_of(const std::vector<double>& x, const std::vector<double>& y) {
  double product = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    product += x[i] * y[i];
    xx += x[i] * x[i];
    yy += y[i] * y[i];
  }
  if (xx == 0 && yy == 0) return 1;
  const double cosine = product / (std::sqrt(xx) * std::sqrt(yy));
  return std::isnan(cosine) || std::ranges::equal(x, y, same) ? (std::ranges::equal(x, y, same) ? 1 : cosine)
                                                              : std::clamp(cosine, -1.0, 1.0);
}

// |x - y| in parts of what is allowed.
double share(double x, double y, const Limits& limits) {
  if (same(x, y)) return 0;
  if (!std::isfinite(x) || !std::isfinite(y)) return kInfinity;
  const double allowed = limits.atol.value_or(0) + limits.rtol.value_or(0) * std::fabs(y);
  return allowed > 0 ? std::fabs(x - y) / allowed : kInfinity;
}

}  // namespace

Result<Distance> distance(const Array& ours, const Array& truth, const Limits& limits) {
  if (graph::element_count(ours.shape) != graph::element_count(truth.shape))
    return Status{ACL_ERROR_INVALID_FILE, formatted("output {} is {}, what it is compared with is {}", ours.name,
                                                    graph::to_text(ours.shape), graph::to_text(truth.shape))};
  const auto x = TRY(doubles(ours)), y = TRY(doubles(truth));
  Distance result{.output = ours.name, .cosine = cosine_of(x, y)};
  for (size_t i = 0; i < x.size(); ++i) {
    const double used = share(x[i], y[i], limits);
    if (std::isfinite(x[i] - y[i])) result.max_absolute = std::max(result.max_absolute, std::fabs(x[i] - y[i]));
    if (used <= result.used) continue;
    result.used = used;
    result.worst = static_cast<int64_t>(i);
    result.ours = x[i];
    result.truth = y[i];
  }
  const bool elements = limits.rtol || limits.atol;
  result.passes = (!elements || result.used <= 1) && (!limits.cosine || result.cosine >= *limits.cosine);
  return result;
}

bool all_pass(std::span<const Distance> distances) { return std::ranges::all_of(distances, &Distance::passes); }

}  // namespace belay::bisect
