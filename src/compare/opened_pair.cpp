// SPDX-License-Identifier: Apache-2.0
#include "compare/opened_pair.h"

namespace belay::compare {

Result<OpenedPair> open_pair(const SideTensor& ours, const SideTensor& truth) {
  auto mine = TRY(ours.open());
  auto theirs = TRY(truth.open());
  return OpenedPair{std::move(mine), std::move(theirs)};
}

}  // namespace belay::compare
