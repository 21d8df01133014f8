// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/matmul/product.h"

#include <algorithm>
#include <array>

#include "backend/cpu/matmul/dot.h"
#include "backend/cpu/move/strided_copy.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu::matmul {
namespace {

using panels::LeftSide;
using panels::panel_width;

constexpr int64_t rows_together = 102;                 // of a product with one panel: their sums stay in the cache
constexpr int64_t rows_of_packing = 512;               // that are worth packing a panel
constexpr int64_t few_rows = 12, tiny_matrix = 4096;   // of a, elements of b: packing b would not pay
constexpr int64_t small_matrix = 160 * 1024;           // elements of b that stay in the second cache
constexpr int64_t small_piece = 1 << 15;               // products below it are dealt out together
constexpr int64_t most_parts = 8, least_depth = 2048;  // of a depth that is divided

int64_t ratio_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
size_t lines(int64_t bytes) { return static_cast<size_t>(ratio_up(bytes, 64) * 64); }

constexpr auto ones = [] {
  std::array<float, most_parts> all{};
  all.fill(1.0f);
  return all;
}();

}  // namespace

Product::Product(const Sizes& sizes, int64_t threads) : sizes_(sizes) {
  choose_way();
  divide(std::max<int64_t>(threads, 1));
  const Sizes& s = sizes_;
  const auto pairs_known = static_cast<double>(pairs()), k = static_cast<double>(s.k), n = static_cast<double>(s.n),
             m = static_cast<double>(s.m);
  threads_ = std::clamp<int64_t>(threads_for(2 * pairs_known * m * n * k, 4 * pairs_known * (m * k + k * n)), 1,
                                 std::max<int64_t>(1, std::min(threads, pieces())));
}

void Product::choose_way() {
  Sizes& s = sizes_;
  if (s.n == 1 && !s.packed && s.b_row == 1 && s.y_row == 1) {
    swapped_ = true;
    std::swap(s.a_starts, s.b_starts);
    s.b_row = s.a_column;
    s.b_column = s.a_row;
    s.a_column = s.a_row = 1;
    std::swap(s.m, s.n);
    s.y_row = s.n;
  }
  if (s.k == 1 || s.a_column == 1) {
    s.a_column = 1;
  } else {
    turned_ = true;
  }
  dots_ = !s.packed && s.b_row == 1 && s.b_column != 1 && s.m <= most_dot_rows;
  given_ = !s.packed && s.b_column == 1 &&
           (s.m <= few_rows || s.k * s.n <= tiny_matrix || is_panel({nullptr, s.b_row, s.b_column}, s.n));
  packs_ = !s.packed && !dots_ && !(given_ && s.n % panels::lane_step == 0);
}

void Product::divide(int64_t threads) {
  const Sizes& s = sizes_;
  const int64_t panels = panels_of(s.n);
  rows_ = s.m;
  columns_ = panel_width;
  depth_ = s.k;
  if (dots_) {
    constexpr int64_t floats = 1 << 14;  // of b in a piece
    columns_ = std::max<int64_t>(1, floats / s.k / panel_width) * panel_width;
  } else if (s.m <= panels::row_step && pairs() * panels < most_parts && s.k >= 2 * least_depth) {
    of_depth_ = std::min(most_parts, s.k / least_depth);
    depth_ = ratio_up(s.k, of_depth_);
    of_depth_ = ratio_up(s.k, depth_);
  } else if (packs_) {
    of_rows_ = std::clamp<int64_t>(ratio_up(4 * threads, pairs() * panels), 1, ratio_up(s.m, rows_of_packing));
  } else {
    of_rows_ = ratio_up(s.m, rows_together);
    if (s.k * s.n <= small_matrix && pairs() * of_rows_ >= 4 * threads) columns_ = s.n;
  }
  of_columns_ = ratio_up(s.n, columns_);
  together_ = std::max<int64_t>(1, small_piece / (std::min(rows_, s.m) * std::min(columns_, s.n) * depth_));
  if (of_rows_ > 1) rows_ = panels::longest_part(of_rows_, s.m);
}

size_t Product::sum_bytes() const {
  return lines(std::min(rows_, rows_together + panels::row_step) * panel_width * static_cast<int64_t>(sizeof(float)));
}
size_t Product::row_bytes() const {
  return lines(std::min(rows_, rows_together + panels::row_step) * static_cast<int64_t>(sizeof(float*)));
}
size_t Product::panel_bytes() const {
  return packs_ ? lines(depth_ * panel_width * static_cast<int64_t>(sizeof(float))) : 0;
}
size_t Product::left_bytes() const {
  return turned_ ? lines(sizes_.a_count * sizes_.m * sizes_.k * static_cast<int64_t>(sizeof(float))) : 0;
}
size_t Product::part_bytes() const {
  if (of_depth_ == 1) return 0;
  return lines(pairs() * panels_of(sizes_.n) * sizes_.m * of_depth_ * panel_width *
               static_cast<int64_t>(sizeof(float)));
}
size_t Product::scratch_bytes() const {
  return left_bytes() + part_bytes() + static_cast<size_t>(threads_) * own_bytes();
}

Product::Own Product::own_scratch(void* scratch, int64_t thread) const {
  auto* own =
      static_cast<std::byte*>(scratch) + left_bytes() + part_bytes() + static_cast<size_t>(thread) * own_bytes();
  return {reinterpret_cast<float*>(own), reinterpret_cast<const float**>(own + sum_bytes()),
          reinterpret_cast<float*>(own + sum_bytes() + row_bytes())};
}

Product::Piece Product::piece_at(int64_t index) const {
  if (pieces() == pairs()) return {index, {0, sizes_.m}, {0, sizes_.n}, {0, sizes_.k}, 0};
  const int64_t r = index % of_rows_, d = index / of_rows_ % of_depth_, c = index / of_rows_ / of_depth_ % of_columns_;
  return {index / of_rows_ / of_depth_ / of_columns_,
          {panels::begin_of(r, of_rows_, sizes_.m), panels::begin_of(r + 1, of_rows_, sizes_.m)},
          {c * columns_, std::min((c + 1) * columns_, sizes_.n)},
          {d * depth_, std::min((d + 1) * depth_, sizes_.k)},
          d};
}

void Product::run(const Operands& operands, void* scratch) const {
  Operands o = operands;
  float bias[panel_width];
  if (swapped_) std::swap(o.a, o.b);
  if (swapped_ && o.how.bias) {  // one number for all
    std::fill_n(bias, panel_width, *o.how.bias);
    o.how.bias = bias;
  }
  auto* left = static_cast<float*>(scratch);
  auto* parts = reinterpret_cast<float*>(static_cast<std::byte*>(scratch) + left_bytes());
  if (turned_) {
    turn_left(o.a, left);
    o.a = left;
  }
  parallel_pieces(ratio_up(pieces(), together_), threads_, [&](int64_t group, int64_t thread) {
    const Own own = own_scratch(scratch, thread);
    for (int64_t i = group * together_; i < std::min((group + 1) * together_, pieces()); ++i) {
      const Piece piece = piece_at(i);
      if (dots_)
        run_dots(o, piece, own);
      else
        run_piece(o, piece, own, parts);
    }
  });
  if (of_depth_ > 1) join_parts(o, parts, own_scratch(scratch, 0));
}

void Product::turn_left(const float* a, float* to) const {
  constexpr int64_t strip = 16;
  const Sizes& s = sizes_;
  const int64_t strips = ratio_up(s.m, strip);
  parallel_pieces(s.a_count * strips, threads_, [&](int64_t piece, int64_t) {
    const int64_t matrix = piece / strips * s.m * s.k, row = piece % strips * strip;
    turn_floats(to + matrix + row * s.k, s.k, a + matrix + row, s.a_column, std::min(strip, s.m - row), s.k);
  });
}

Product::Panel Product::panel_of(const Operands& o, const Piece& piece, int64_t column, const Own& own) const {
  const Sizes& s = sizes_;
  const int64_t width = panels::width_at(column, s.n), first = piece.depth.begin;
  const float* b = o.b + s.b_starts[static_cast<size_t>(piece.pair)];
  if (s.packed) return {b + column * s.k + first * panels::pitch_of(width), 0};
  b += first * s.b_row + column * s.b_column;
  if (given_ && width % panels::lane_step == 0) return {b, s.b_row};
  pack_panel({b, s.b_row, s.b_column}, piece.depth.length(), width, own.panel);
  return {own.panel, 0};
}

void Product::run_piece(const Operands& o, const Piece& piece, const Own& own, float* parts) const {
  for (int64_t c = piece.columns.begin; c < piece.columns.end; c += panel_width)
    run_rows(o, piece, c, panel_of(o, piece, c, own), own, parts);
}

// All rows of a piece with one panel.
void Product::run_rows(const Operands& o, const Piece& piece, int64_t column, Panel panel, const Own& own,
                       float* parts) const {
  const Sizes& s = sizes_;
  const int64_t count = piece.rows.length(), of_rows = ratio_up(count, rows_together),
                row_step = turned_ ? s.k : s.a_row;
  const float* a = o.a + s.a_starts[static_cast<size_t>(piece.pair)] + piece.depth.begin;
  const int64_t width = panels::width_at(column, s.n);
  for (int64_t part = 0; part < of_rows; ++part) {
    const int64_t first = piece.rows.begin + panels::begin_of(part, of_rows, count),
                  end = piece.rows.begin + panels::begin_of(part + 1, of_rows, count);
    for (int64_t r = first; r < end; ++r) own.rows[r - first] = a + r * row_step;
    const LeftSide rows{own.rows, end - first, end - first, 1, piece.depth.length()};
    const int64_t place = (piece.pair * s.m + first) * s.y_row + column;
    if (of_depth_ == 1)
      panels::multiply(rows, panel.data, width, finish_at(o, place, column), own.sums, o.y + place, s.y_row,
                       panel.step);
    else
      panels::multiply(rows, panel.data, width, {}, own.sums,
                       part_at(parts, piece.pair, first, column) + piece.part * panels::pitch_of(width),
                       of_depth_ * panel_width, panel.step);
  }
}

float* Product::part_at(float* parts, int64_t pair, int64_t row, int64_t column) const {
  const int64_t panel = pair * panels_of(sizes_.n) + column / panel_width;
  return parts + (panel * sizes_.m + row) * of_depth_ * panel_width;
}

// The sums of the parts are products with a row of ones: they are added in order, and finished.
void Product::join_parts(const Operands& o, const float* parts, const Own& own) const {
  for (int64_t pair = 0; pair < pairs(); ++pair)
    for (int64_t c = 0; c < sizes_.n; c += panel_width)
      for (int64_t r = 0; r < sizes_.m; ++r)
        put_row(o, part_at(const_cast<float*>(parts), pair, r, c), of_depth_, pair, r, c, own);
}

void Product::run_dots(const Operands& o, const Piece& piece, const Own& own) const {
  const Sizes& s = sizes_;
  const float* a = o.a + s.a_starts[static_cast<size_t>(piece.pair)];
  const float* b = o.b + s.b_starts[static_cast<size_t>(piece.pair)];
  float sums[most_dot_rows * panel_width];
  for (int64_t c = piece.columns.begin; c < piece.columns.end; c += panel_width) {
    const int64_t width = panels::width_at(c, piece.columns.end);
    multiply_by_dots({a, turned_ ? s.k : s.a_row, s.m, b + c * s.b_column, s.b_column, width, s.k}, sums, panel_width);
    for (int64_t r = 0; r < s.m; ++r) put_row(o, sums + r * panel_width, 1, piece.pair, r, c, own);
  }
}

// Adds up `count` rows of a panel's width to a part of a row of y, and finishes it.
void Product::put_row(const Operands& o, const float* rows, int64_t count, int64_t pair, int64_t row, int64_t column,
                      const Own& own) const {
  const float* one = ones.data();
  const int64_t place = (pair * sizes_.m + row) * sizes_.y_row + column;
  panels::multiply({&one, 1, 1, 1, count}, rows, panels::width_at(column, sizes_.n), finish_at(o, place, column),
                   own.sums, o.y + place, sizes_.y_row);
}

panels::Finish Product::finish_at(const Operands& o, int64_t place, int64_t column) const {
  panels::Finish how = o.how;
  if (how.bias && !swapped_) how.bias += column;
  if (how.addend) how.addend += place;
  return how;
}

}  // namespace belay::backend::cpu::matmul
