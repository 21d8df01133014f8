// SPDX-License-Identifier: Apache-2.0
#include "backend/wide_product.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "backend/cpu/wide/tile.h"
#include "base/threads/parallel.h"

namespace belay::backend {
namespace {

using cpu::wide::most_columns;
using cpu::wide::Tile;
using cpu::wide::tile_rows;

constexpr int64_t depth_at_a_time = 32 * wide_block;  // both sides of it stay in the nearer caches

// Sizes of one packed side, over all its depth: carried from one part to the next.
class Sizes {
 public:
  Sizes(int64_t count)
      : squares_(size_t(count)), blocks_(size_t(count)), repeats_(size_t(count)), last_(size_t(count)) {}

  // A part that begins with a block.
  void add(const double* packed, int64_t count, int64_t depth) {
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t i = 0; i < count; ++i) {
        const double value = packed[k * count + i];
        squares_[size_t(i)] += value * value;
        repeats_[size_t(i)] += value == last_[size_t(i)] && value != 0;
        last_[size_t(i)] = value;
      }
      if ((k + 1) % wide_block == 0 || k + 1 == depth) end_block();
    }
  }
  void store(SideSize& to, int64_t first, int64_t count) const {
    for (int64_t i = 0; i < count; ++i) {
      to.blocks[size_t(first + i)] = std::sqrt(blocks_[size_t(i)]);
      to.repeats[size_t(first + i)] = repeats_[size_t(i)];
    }
  }

 private:
  void end_block() {
    for (size_t i = 0; i < squares_.size(); ++i) {
      blocks_[i] = std::max(blocks_[i], squares_[i]);
      squares_[i] = 0;
    }
  }
  std::vector<double> squares_, blocks_, repeats_, last_;
};

struct PackedLeft {
  std::vector<double> values;  // by panel of tile_rows, all depth
  int64_t panel;               // elements
};

PackedLeft pack_left(const WideProduct& p, const WideResult& result) {
  const int64_t panels = (p.rows + tile_rows - 1) / tile_rows;
  PackedLeft left{std::vector<double>(size_t(panels * tile_rows * p.depth)), tile_rows * p.depth};
  if (result.partial) result.left->blocks.resize(size_t(p.rows)), result.left->repeats.resize(size_t(p.rows));
  parallel_for(panels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t panel = begin; panel < end; ++panel) {
      double* to = left.values.data() + panel * left.panel;
      p.left(panel * tile_rows, tile_rows, 0, p.depth, to);
      if (!result.partial) continue;
      Sizes sizes(tile_rows);
      sizes.add(to, tile_rows, p.depth);
      sizes.store(*result.left, panel * tile_rows, std::min(tile_rows, p.rows - panel * tile_rows));
    }
  });
  return left;
}

// Some columns of the result: a column of tiles.
void multiply_columns(const WideProduct& p, const WideResult& result, const PackedLeft& left, int64_t first,
                      int64_t columns, std::vector<double>& right) {
  const int64_t inside = std::min(columns, p.columns - first);
  Sizes sizes(columns);
  for (int64_t from = 0; from < p.depth; from += depth_at_a_time) {
    const int64_t until = std::min(p.depth, from + depth_at_a_time);
    p.right(first, columns, from, until, right.data());
    if (result.partial) sizes.add(right.data(), columns, until - from);
    for (int64_t row = 0; row < p.rows; row += tile_rows) {
      std::array<double, tile_rows * most_columns> y{}, partial{};
      cpu::wide::multiply_tile({left.values.data() + row / tile_rows * left.panel + from * tile_rows, right.data(),
                                until - from, y.data(), result.partial ? partial.data() : nullptr});
      for (int64_t r = 0; r < std::min(tile_rows, p.rows - row); ++r)
        for (int64_t c = 0; c < inside; ++c) {
          const int64_t at = (row + r) * p.columns + first + c;
          result.y[at] += y[size_t(r * columns + c)];
          if (result.partial) result.partial[at] += partial[size_t(r * columns + c)];
        }
    }
  }
  if (result.partial) sizes.store(*result.right, first, inside);
}

}  // namespace

void multiply_wide(const WideProduct& p, const WideResult& result) {
  std::fill_n(result.y, p.rows * p.columns, 0.0);
  if (result.partial) {
    std::fill_n(result.partial, p.rows * p.columns, 0.0);
    result.right->blocks.assign(size_t(p.columns), 0), result.right->repeats.assign(size_t(p.columns), 0);
    result.left->blocks.assign(size_t(p.rows), 0), result.left->repeats.assign(size_t(p.rows), 0);
  }
  if (p.rows == 0 || p.columns == 0 || p.depth == 0) return;
  const PackedLeft left = pack_left(p, result);
  const int64_t columns = cpu::wide::tile_columns();
  parallel_for((p.columns + columns - 1) / columns, 1, [&](int64_t begin, int64_t end) {
    std::vector<double> right(size_t(std::min(p.depth, depth_at_a_time) * columns));
    for (int64_t panel = begin; panel < end; ++panel)
      multiply_columns(p, result, left, panel * columns, columns, right);
  });
}

}  // namespace belay::backend
