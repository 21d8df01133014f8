// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/panels/division.h"

#include <algorithm>

#include "backend/cpu/panels/filter.h"
#include "backend/cpu/panels/product.h"

namespace belay::backend::cpu::panels {
namespace {

constexpr int64_t small_filter = 160 * 1024, most_rows = 102;
constexpr int64_t least_rows = 2 * row_step;  // of a part, for the product to be fast
constexpr int64_t many_pieces = 16;           // for each thread: then it matters little who has one more

int64_t ratio_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

int64_t panels_of(const Geometry& g) { return g.groups * ratio_up(g.outputs, panel_width); }

Division::Division(const Geometry& g, int64_t threads)
    : rows_(g.rows()),
      of_rows_(ratio_up(g.rows(), most_rows)),
      panels_(panels_of(g)),
      of_panels_(panels_),
      together_(1),
      threads_(threads) {
  const int64_t filter = g.groups * g.depth() * pitch_of(g.outputs);
  if (filter <= small_filter && of_rows_ >= 4 * threads) {
    of_rows_ = ratio_up(of_rows_, threads) * threads;
    together_ = panels_;
    of_panels_ = 1;
    return;
  }
  if (g.groups > 1) {  // panels of small groups are small
    together_ = std::clamp<int64_t>(small_filter / 8 * panels_ / filter, 1, panels_);
    of_panels_ = ratio_up(panels_, together_);
    return;
  }
  if (threads == 1 || rows_ < threads * least_rows || own() >= many_pieces * threads) return;
  of_panels_ = g.outputs / panel_width / threads * threads;
  shared_ = panels_ - of_panels_;
  parts_ = ratio_up(of_rows_, threads) * threads;
}

int64_t Division::longest() const { return longest_part(of_rows_, rows_); }

Division::Piece Division::whole(int64_t index) const {
  const int64_t r = index % of_rows_, p = index / of_rows_ * together_;
  return {{begin_of(r, of_rows_, rows_), begin_of(r + 1, of_rows_, rows_)}, {p, std::min(p + together_, panels_)}};
}

Division::Piece Division::part(int64_t index) const {
  const int64_t r = index / shared_, p = of_panels_ + index % shared_;
  return {{begin_of(r, parts_, rows_), begin_of(r + 1, parts_, rows_)}, {p, p + 1}};
}

// Threads begin with a run of neighbours each: the same number of whole panels and of parts.
Division::Piece Division::piece(int64_t index) const {
  if (shared_ == 0) return whole(index);
  const int64_t own_each = own() / threads_, parts_each = shared_ * parts_ / threads_, each = own_each + parts_each;
  const int64_t thread = index / each, i = index % each;
  return i < own_each ? whole(thread * own_each + i) : part(thread * parts_each + i - own_each);
}

}  // namespace belay::backend::cpu::panels
