// SPDX-License-Identifier: Apache-2.0
#include "compare/opened_pair.h"

#include <optional>

#include "compare/sides/stored_source.h"

namespace belay::compare {
namespace {

using graph::Format;

constexpr Format kOrders[] = {Format::NCHW,  Format::NHWC,  Format::HWCN,  Format::CHWN,
                              Format::NCDHW, Format::NDHWC, Format::DHWCN, Format::DHWNC};

// Whether the format says what each dimension of the source is.
bool is_told(const ElementSource& source) {
  for (const Format order : kOrders)
    if (source.format() == order) return graph::name_of(order).size() == source.shape().size();
  return false;
}

// The one order in which the source has the other's shape; nothing when it has it already, or several have.
std::optional<Format> order_for(const ElementSource& source, const ElementSource& other) {
  if (!is_told(source) || source.shape().size() != other.shape().size()) return {};
  if (is_told(other)) {
    const bool fits = reordered_shape(source.shape(), source.format(), other.format()) == other.shape();
    return fits && source.format() != other.format() ? std::optional(other.format()) : std::nullopt;
  }
  if (source.shape() == other.shape()) return {};
  std::optional<Format> found;
  for (const Format order : kOrders) {
    if (reordered_shape(source.shape(), source.format(), order) != other.shape()) continue;
    if (found) return {};
    found = order;
  }
  return found;
}

}  // namespace

Result<OpenedPair> open_pair(const SideTensor& ours, const SideTensor& truth) {
  Source mine = TRY(ours.open()), theirs = TRY(truth.open());
  if (graph::is_private(mine->format()) && !graph::is_private(theirs->format()))
    mine = TRY(with_logical(mine, theirs->shape()));
  else if (graph::is_private(theirs->format()) && !graph::is_private(mine->format()))
    theirs = TRY(with_logical(theirs, mine->shape()));
  if (const auto order = order_for(*mine, *theirs))
    mine = TRY(reordered(mine, *order));
  else if (const auto other = is_told(*mine) ? std::nullopt : order_for(*theirs, *mine))
    theirs = TRY(reordered(theirs, *other));
  return OpenedPair{std::move(mine), std::move(theirs)};
}

}  // namespace belay::compare
