// SPDX-License-Identifier: Apache-2.0
#include "exact/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace belay::exact {
namespace {

using graph::DataType;

constexpr Rounding half = {0x1p-11, 0x1p-14, 65504};
constexpr Rounding brain = {0x1p-8, 0x1p-126, 0x1.fep127};
constexpr Rounding single = {0x1p-24, 0x1p-126, 0x1.fffffep127};
constexpr Rounding wide = {0x1p-52, 0x1p-1022, std::numeric_limits<double>::max()};

}  // namespace

const Rounding& rounding_of(DataType stored) {
  switch (stored) {
    case DataType::Float16:
      return half;
    case DataType::BFloat16:
      return brain;
    case DataType::Double:
      return wide;
    default:
      return single;
  }
}

double sum_unit(DataType stored) { return stored == DataType::Double ? wide.unit : single.unit; }

double with_rounding(const Rounding& rounding, double y, double before) {
  if (!std::isfinite(y)) return 0;
  const double magnitude = std::fabs(y);
  if (magnitude == 0 && before == 0) return 0;
  double all = before + rounding.unit * (magnitude + before);
  if (magnitude - all < rounding.smallest) all += std::min(rounding.smallest, magnitude + all);
  if (std::isnan(all) || magnitude + all > rounding.largest) return std::numeric_limits<double>::infinity();
  return all;
}

}  // namespace belay::exact
