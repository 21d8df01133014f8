// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/panels/product.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include <algorithm>
#include <array>
#include <utility>

#include "backend/cpu/panels/product.h"
#include "backend/cpu/panels/unroll.h"
#include "backend/cpu/panels/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::panels::HWY_NAMESPACE {

// As many sums as the registers hold: 24 of 32, or 12 of 16.
constexpr bool many_registers = HWY_TARGET <= HWY_AVX3;
constexpr size_t most_vectors = many_registers ? 4 : 2;
constexpr size_t most_rows_of(size_t vectors) {
  if (vectors > most_vectors) return 1;
  return vectors == 1 ? 8 : vectors == 2 && many_registers ? 8 : row_step;
}
// Half of a wide vector is computed in half of the time.
using HalfFloats = hn::CappedTag<float, many_registers ? lane_step / 2 : lane_step>;
template <class Tag>
using VectorOf = hn::Vec<Tag>;
// Rows of a panel that are used again and again while they are in the first cache.
constexpr int64_t depth_step = 128;
constexpr int64_t line = 64 / sizeof(float);

// A part of the depth for some rows and columns.
struct Block {
  const float* const* rows;
  int64_t apart, pieces, skip, depth;  // of each piece the elements [skip, skip + depth)
  const float* panel;
  int64_t step;         // between rows of the panel
  int64_t pitch;        // between rows of the sums
  const float* before;  // sums of the depth until here; null: none
  float* sums;          // where they go; null: this is the last part
  const float* next;    // what will be read of the panels after this block
  int64_t next_lines;   // how much of it this block fetches
  int64_t pause;        // between two of them: fetching too much at once waits
  Finish how;
  Limits limits;
  float* y;
  int64_t stride;
};

template <class Tag, size_t Rows, size_t Vectors>
HWY_INLINE void fetch_addend(const Block& b) {
  BELAY_UNROLL
  for (size_t r = 0; r < Rows; ++r)
    for (size_t j = 0; j < Vectors * hn::Lanes(Tag()); j += line)
      hwy::Prefetch(b.how.addend + static_cast<int64_t>(r) * b.stride + j);
}

template <class Tag, size_t Rows, size_t Vectors>
HWY_INLINE void store_sums(const Block& b, VectorOf<Tag> (&sums)[Rows][Vectors]) {
  const Tag d;
  BELAY_UNROLL
  for (size_t r = 0; r < Rows; ++r) BELAY_UNROLL
  for (size_t j = 0; j < Vectors; ++j)
    hn::StoreU(sums[r][j], d, b.sums + static_cast<int64_t>(r) * b.pitch + j * hn::Lanes(d));
}

// Each question is asked once for all sums.
template <class Tag, size_t Rows, size_t Vectors>
HWY_INLINE void store_results(const Block& b, VectorOf<Tag> (&sums)[Rows][Vectors]) {
  const Tag d;
  const auto place = [&](size_t r, size_t j) {
    return static_cast<int64_t>(r) * b.stride + static_cast<int64_t>(j * hn::Lanes(d));
  };
  if (b.how.bias) BELAY_UNROLL
  for (size_t j = 0; j < Vectors; ++j) {
    const auto bias = hn::LoadU(d, b.how.bias + place(0, j));
    BELAY_UNROLL
    for (size_t r = 0; r < Rows; ++r) sums[r][j] = hn::Add(sums[r][j], bias);
  }
  if (b.how.addend) BELAY_UNROLL
  for (size_t r = 0; r < Rows; ++r) BELAY_UNROLL
  for (size_t j = 0; j < Vectors; ++j) sums[r][j] = hn::Add(sums[r][j], hn::LoadU(d, b.how.addend + place(r, j)));
  const VectorLimits<Tag> limited(b.limits);
  if (b.limits.any) BELAY_UNROLL
  for (size_t r = 0; r < Rows; ++r) BELAY_UNROLL
  for (auto& sum : sums[r]) sum = limited(sum);
  BELAY_UNROLL
  for (size_t r = 0; r < Rows; ++r) BELAY_UNROLL
  for (size_t j = 0; j < Vectors; ++j) hn::StoreU(sums[r][j], d, b.y + place(r, j));
}

template <class Tag, size_t Rows, size_t Vectors>
void multiply_block(const Block& b) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  if (!b.sums && b.how.addend) fetch_addend<Tag, Rows, Vectors>(b);
  VectorOf<Tag> sums[Rows][Vectors];
  BELAY_UNROLL
  for (size_t r = 0; r < Rows; ++r) BELAY_UNROLL
  for (size_t j = 0; j < Vectors; ++j)
    sums[r][j] = b.before ? hn::LoadU(d, b.before + static_cast<int64_t>(r) * b.pitch + j * lanes) : hn::Zero(d);
  const float *u = b.panel, *next = b.next, *const next_end = b.next + b.next_lines * line;
  for (int64_t p = 0; p < b.pieces; ++p) {
    const float* a[Rows];
    BELAY_UNROLL
    for (size_t r = 0; r < Rows; ++r) a[r] = b.rows[p * b.apart + static_cast<int64_t>(r)] + b.skip;
    for (int64_t k = 0; k < b.depth; ++k, u += b.step) {
      VectorOf<Tag> columns[Vectors];
      BELAY_UNROLL
      for (size_t j = 0; j < Vectors; ++j) columns[j] = hn::LoadU(d, u + j * lanes);
      if ((k & b.pause) == 0 && next < next_end) __builtin_prefetch(next, 0, 2), next += line;
      BELAY_UNROLL
      for (size_t r = 0; r < Rows; ++r) {
        const auto factor = hn::Set(d, a[r][k]);
        BELAY_UNROLL
        for (size_t j = 0; j < Vectors; ++j) sums[r][j] = hn::MulAdd(factor, columns[j], sums[r][j]);
      }
    }
  }
  if (b.sums)
    store_sums<Tag, Rows, Vectors>(b, sums);
  else
    store_results<Tag, Rows, Vectors>(b, sums);
}

using Multiply = void (*)(const Block&);
template <class Tag, size_t Vectors, size_t... Rows>
constexpr std::array<Multiply, sizeof...(Rows)> by_rows(std::index_sequence<Rows...>) {
  return {multiply_block<Tag, Rows + 1, Vectors>...};
}
template <class Tag, size_t Vectors>
constexpr auto blocks_of = by_rows<Tag, Vectors>(std::make_index_sequence<most_rows_of(Vectors)>());

template <class Tag, size_t Vectors>
void multiply_columns(Block b, int64_t rows) {
  constexpr auto most = static_cast<int64_t>(blocks_of<Tag, Vectors>.size());
  const int64_t blocks = (rows + most - 1) / most, lines = b.next ? b.pieces * b.depth * b.pitch / line : 0;
  b.next_lines = (lines + blocks - 1) / blocks;
  b.pause = 4 * b.next_lines <= b.pieces * b.depth ? 3 : 1;
  for (int64_t r = 0; r < rows; r += most) {
    const int64_t now = std::min(most, rows - r);
    blocks_of<Tag, Vectors>[static_cast<size_t>(now - 1)](b);
    b.rows += now;
    if (b.before) b.before += now * b.pitch;
    if (b.sums) b.sums += now * b.pitch;
    if (b.how.addend) b.how.addend += now * b.stride;
    b.y += now * b.stride;
    if (b.next) b.next += b.next_lines * line;
  }
}

// The results of the last columns where they do not fill the vectors: from the sums, with masks.
void finish_ragged(const Block& b, const float* sums, int64_t rows, int64_t width) {
  const Floats d;
  const VectorLimits<Floats> limited(b.limits);
  for (int64_t c = 0; c < width; c += static_cast<int64_t>(hn::Lanes(d))) {
    const Vector bias = b.how.bias ? load_columns(b.how.bias + c, width - c) : hn::Zero(d);
    for (int64_t r = 0; r < rows; ++r) {
      Vector sum = hn::Add(hn::LoadU(d, sums + r * b.pitch + c), bias);
      if (b.how.addend) sum = hn::Add(sum, load_columns(b.how.addend + r * b.stride + c, width - c));
      if (b.limits.any) sum = limited(sum);
      store_columns(sum, b.y + r * b.stride + c, width - c);
    }
  }
}

// How many vectors are computed at a time for the next columns. Of one row eight, so that its panel is read line after
// line.
HWY_INLINE int64_t vectors_of(int64_t rows, int64_t columns, int64_t lanes, bool& half) {
  const int64_t whole = columns / lanes, rest = columns % lanes;
  if (!many_registers && rows == 1 && whole >= 8) return 8;
  half = many_registers && whole == 0 && rest <= lane_step / 2;
  const bool later = many_registers && whole > 0 && rest > 0 && rest <= lane_step / 2;  // the rest will be a half
  return std::min<int64_t>(most_vectors, whole + (rest > 0 && !later ? 1 : 0));
}

void multiply_vectors(const Block& b, int64_t rows, int64_t vectors, bool half) {
  if constexpr (many_registers) {
    if (half) return multiply_columns<HalfFloats, 1>(b, rows);
    if (vectors == 4) return multiply_columns<Floats, 4>(b, rows);
    if (vectors == 3) return multiply_columns<Floats, 3>(b, rows);
  } else {
    if (vectors == 8) return multiply_columns<Floats, 8>(b, rows);
  }
  if (vectors == 2) return multiply_columns<Floats, 2>(b, rows);
  multiply_columns<Floats, 1>(b, rows);
}

// All columns, as many at a time as the registers hold. `sums` has room for those that do not fill a vector.
void multiply_part(const Block& part, int64_t rows, int64_t width, float* sums) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Floats()));
  for (int64_t c = 0; c < width;) {
    bool half = false;
    const int64_t vectors = vectors_of(rows, width - c, lanes, half);
    const int64_t columns = half ? lane_step / 2 : vectors * lanes;
    const bool ragged = !part.sums && c + columns > width;
    Block b = part;
    b.panel += c;
    b.y += c;
    if (b.before) b.before += c;
    if (b.sums || ragged) b.sums = sums + c;
    if (b.how.bias) b.how.bias += c;
    if (b.how.addend) b.how.addend += c;
    if (c > 0) b.next = nullptr;
    multiply_vectors(b, rows, vectors, half);
    if (ragged) finish_ragged(b, sums + c, rows, width - c);
    c += columns;
  }
}

void multiply_all(const LeftSide& rows, const float* panel, int64_t width, const Finish& how, float* sums, float* y,
                  int64_t stride, int64_t step) {
  const int64_t together = std::max<int64_t>(depth_step / rows.depth, 1);  // pieces of one part
  Block b{};
  b.apart = rows.apart;
  b.pitch = pitch_of(width);
  b.step = step > 0 ? step : b.pitch;
  b.how = how;
  b.y = y;
  b.stride = stride;
  b.limits = limits_of(how.steps);
  for (int64_t p = 0; p < rows.pieces; p += together)
    for (int64_t k = 0; k < rows.depth; k += depth_step) {
      const bool first = p == 0 && k == 0, last = p + together >= rows.pieces && k + depth_step >= rows.depth;
      b.rows = rows.at + p * rows.apart;
      b.pieces = std::min(together, rows.pieces - p);
      b.skip = rows.skip + k;
      b.depth = std::min(depth_step, rows.depth - k);
      const int64_t length = b.pieces * b.depth * b.step;
      b.panel = panel;
      b.before = first ? nullptr : sums;
      b.sums = last ? nullptr : sums;
      b.next = b.step == b.pitch ? panel + length : nullptr;
      multiply_part(b, rows.count, width, sums);
      panel += length;
    }
  take_steps(b.limits.rest, y, rows.count, width, stride);
}

}  // namespace belay::backend::cpu::panels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu::panels {

HWY_EXPORT(multiply_all);

void multiply(const LeftSide& rows, const float* panel, int64_t width, const Finish& how, float* sums, float* y,
              int64_t stride, int64_t step) {
  HWY_DYNAMIC_DISPATCH(multiply_all)(rows, panel, width, how, sums, y, stride, step);
}

}  // namespace belay::backend::cpu::panels
#endif
