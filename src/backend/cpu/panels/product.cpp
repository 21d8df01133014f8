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

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::panels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, lane_step>;
using Vector = hn::Vec<Floats>;

// As many sums as the registers hold: 24 of 32, or 12 of 16.
constexpr bool many_registers = HWY_TARGET <= HWY_AVX3;
constexpr size_t most_vectors = many_registers ? 4 : 2;
constexpr size_t most_rows = 6, most_rows_of_narrow = many_registers ? 12 : 6;
// Rows of a panel that are used again and again while they are in the first cache.
constexpr int64_t depth_step = 128;

struct Block {
  const float *a, *u;
  int64_t stride, depth, width;
  float* m;
  bool add;            // to what m has
  const float* next;   // what will be read of the panels after this block
  int64_t next_lines;  // how much of it this block fetches
};

constexpr int64_t line = 64 / sizeof(float);

template <size_t Rows, size_t Vectors>
void multiply_block(const Block& b) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  Vector sums[Rows][Vectors];
  BELAY_UNROLL
  for (size_t r = 0; r < Rows; ++r) BELAY_UNROLL
  for (size_t j = 0; j < Vectors; ++j)
    sums[r][j] = b.add ? hn::LoadU(d, b.m + static_cast<int64_t>(r) * b.width + j * lanes) : hn::Zero(d);
  const float* u = b.u;
  for (int64_t k = 0; k < b.depth; ++k, u += b.width) {
    Vector columns[Vectors];
    BELAY_UNROLL
    for (size_t j = 0; j < Vectors; ++j) columns[j] = hn::LoadU(d, u + j * lanes);
    if (k < b.next_lines) hwy::Prefetch(b.next + k * line);
    BELAY_UNROLL
    for (size_t r = 0; r < Rows; ++r) {
      const Vector factor = hn::Set(d, b.a[static_cast<int64_t>(r) * b.stride + k]);
      BELAY_UNROLL
      for (size_t j = 0; j < Vectors; ++j) sums[r][j] = hn::MulAdd(factor, columns[j], sums[r][j]);
    }
  }
  BELAY_UNROLL
  for (size_t r = 0; r < Rows; ++r) BELAY_UNROLL
  for (size_t j = 0; j < Vectors; ++j) hn::StoreU(sums[r][j], d, b.m + static_cast<int64_t>(r) * b.width + j * lanes);
}

using Multiply = void (*)(const Block&);
template <size_t Vectors, size_t... Rows>
constexpr std::array<Multiply, sizeof...(Rows)> by_rows(std::index_sequence<Rows...>) {
  return {multiply_block<Rows + 1, Vectors>...};
}
template <size_t Vectors>
constexpr auto blocks_of = by_rows<Vectors>(std::make_index_sequence<Vectors <= 2 ? most_rows_of_narrow : most_rows>());

template <size_t Vectors>
void multiply_columns(Block b, int64_t rows) {
  constexpr auto most = static_cast<int64_t>(blocks_of<Vectors>.size());
  const int64_t blocks = (rows + most - 1) / most, lines = b.depth * b.width / line;
  b.next_lines = (lines + blocks - 1) / blocks;
  for (int64_t r = 0; r < rows; r += most) {
    const int64_t now = std::min(most, rows - r);
    blocks_of<Vectors>[static_cast<size_t>(now - 1)](b);
    b.a += now * b.stride;
    b.m += now * b.width;
    b.next += b.next_lines * line;
  }
}

void multiply_part(const Block& b, int64_t rows, size_t vectors) {
  if constexpr (many_registers) {
    if (vectors == 4) return multiply_columns<4>(b, rows);
    if (vectors == 3) return multiply_columns<3>(b, rows);
  }
  return vectors == 2 ? multiply_columns<2>(b, rows) : multiply_columns<1>(b, rows);
}

void multiply_all(const float* a, int64_t stride, const float* panel, int64_t rows, int64_t depth, int64_t width,
                  float* m) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Floats()));
  for (int64_t k = 0; k < depth; k += depth_step)
    for (int64_t c = 0; c < width;) {
      const auto vectors = std::min<int64_t>(most_vectors, (width - c) / lanes);
      const int64_t now = std::min(depth_step, depth - k);
      multiply_part({a + k, panel + k * width + c, stride, now, width, m + c, k > 0, panel + (k + now) * width, 0},
                    rows, static_cast<size_t>(vectors));
      c += vectors * lanes;
    }
}

void finish_all(const float* m, int64_t rows, int64_t width, const Finish& how, float* y, int64_t stride) {
  const Floats d;
  const Vector zero = hn::Zero(d);
  for (int64_t c = 0; c < width; c += static_cast<int64_t>(hn::Lanes(d))) {
    const Vector bias = how.bias ? hn::LoadU(d, how.bias + c) : zero;
    for (int64_t r = 0; r < rows; ++r) {
      Vector value = hn::Add(hn::LoadU(d, m + r * width + c), bias);
      if (how.addend) value = hn::Add(value, hn::LoadU(d, how.addend + r * stride + c));
      if (how.relu) value = hn::IfThenElse(hn::Le(value, zero), zero, value);
      hn::StoreU(value, d, y + r * stride + c);
    }
  }
}

}  // namespace belay::backend::cpu::panels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu::panels {

HWY_EXPORT(multiply_all);
HWY_EXPORT(finish_all);

void multiply(const float* a, int64_t stride, const float* panel, int64_t rows, int64_t depth, int64_t width,
              float* m) {
  HWY_DYNAMIC_DISPATCH(multiply_all)(a, stride, panel, rows, depth, width, m);
}
void finish(const float* m, int64_t rows, int64_t width, const Finish& how, float* y, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(finish_all)(m, rows, width, how, y, stride);
}

}  // namespace belay::backend::cpu::panels
#endif
