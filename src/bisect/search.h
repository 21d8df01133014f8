// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

#include "base/status.h"

namespace belay::bisect {

using Kept = std::set<size_t>;

// Whether the output passes when these are kept in float. Asked at most once for each set.
using Passes = std::function<Result<bool>(const Kept& kept)>;

// A smallest set in the sense that it passes and no set with one member less does. The members are of 0 .. count-1, the
// most suspicious first; nothing kept must fail, and everything kept must pass. When keeping more never hurts, it takes
// about 2 k log2(n / k) trials for k of n; where it does hurt the result still holds, at up to n trials more for each
// time round. `decided` is told how many of the count are known to be in or out.
Result<Kept> least_set(size_t count, const Passes& passes, const std::function<void(size_t decided)>& decided);

}  // namespace belay::bisect
