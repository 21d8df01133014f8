// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/winograd/tiles.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include <algorithm>

#include "backend/cpu/panels/unroll.h"
#include "backend/cpu/panels/vector-inl.h"
#include "backend/cpu/winograd/tiles.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::winograd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace panels::HWY_NAMESPACE;

struct Place {
  int64_t image, row, column;  // of the tile's first result
};

HWY_INLINE Place place_of(const Geometry& g, int64_t tile) {
  const int64_t column = tile % g.tile_columns(), row = tile / g.tile_columns();
  return {row / g.tile_rows(), row % g.tile_rows() * g.tile, column * g.tile};
}

// The pixels of a tile, row by row; what lies outside of x is zeros.
template <int64_t side>
HWY_INLINE void find_pixels(const Geometry& g, const float* x, const float* zeros, int64_t tile, const float** pixels) {
  const Place place = place_of(g, tile);
  for (int64_t i = 0; i < side; ++i) {
    const int64_t row = place.row + i - g.pad_top;
    const bool row_inside = row >= 0 && row < g.height;
    for (int64_t j = 0; j < side; ++j) {
      const int64_t column = place.column + j - g.pad_left;
      const bool inside = row_inside && column >= 0 && column < g.width;
      pixels[i * side + j] = inside ? x + ((place.image * g.height + row) * g.width + column) * g.inputs : zeros;
    }
  }
}

// The points of the larger tile, and what the transforms multiply by.
constexpr float p = 0.75f, q = 1.5f, p2 = p * p, q2 = q * q, p3 = p2 * p, q3 = q2 * q;

// One column or row of the transform of the input.
template <int64_t tile>
HWY_INLINE void turn_input(const Vector* in, Vector* to, size_t step) {
  const auto splat = [](float value) HWY_ATTR { return hn::Set(Floats(), value); };
  if constexpr (tile == 2) {
    to[0] = hn::Sub(in[0], in[2]);
    to[step] = hn::Add(in[1], in[2]);
    to[2 * step] = hn::Sub(in[2], in[1]);
    to[3 * step] = hn::Sub(in[1], in[3]);
  } else {
    const Vector sum = splat(p2 + q2), product = splat(p2 * q2);
    to[0] = hn::MulAdd(product, in[0], hn::NegMulAdd(sum, in[2], in[4]));
    to[5 * step] = hn::MulAdd(product, in[1], hn::NegMulAdd(sum, in[3], in[5]));
    const Vector even_p = hn::NegMulAdd(splat(q2), in[2], in[4]), odd_p = hn::NegMulAdd(splat(q2), in[1], in[3]);
    to[step] = hn::MulAdd(splat(p), odd_p, even_p);
    to[2 * step] = hn::NegMulAdd(splat(p), odd_p, even_p);
    const Vector even_q = hn::NegMulAdd(splat(p2), in[2], in[4]), odd_q = hn::NegMulAdd(splat(p2), in[1], in[3]);
    to[3 * step] = hn::MulAdd(splat(q), odd_q, even_q);
    to[4 * step] = hn::NegMulAdd(splat(q), odd_q, even_q);
  }
}

template <int64_t tile>
void transform_input_of(const Geometry& g, const float* x, const float* zeros, int64_t first, int64_t count, float* v,
                        int64_t plane) {
  constexpr int64_t side = tile + 2;
  const float* pixels[side * side];
  for (int64_t t = 0; t < count; ++t) {
    find_pixels<side>(g, x, zeros, first + t, pixels);
    float* to = v + t * g.inputs;
    for (int64_t c = 0; c < g.inputs; c += static_cast<int64_t>(hn::Lanes(Floats()))) {
      const int64_t columns = g.inputs - c;
      Vector half[side * side], in[side];
      BELAY_UNROLL
      for (int64_t j = 0; j < side; ++j) {
        BELAY_UNROLL
        for (int64_t i = 0; i < side; ++i) in[i] = load_columns(pixels[i * side + j] + c, columns);
        turn_input<tile>(in, half + j, side);
      }
      BELAY_UNROLL
      for (int64_t i = 0; i < side; ++i) {
        turn_input<tile>(half + i * side, in, 1);
        BELAY_UNROLL
        for (int64_t j = 0; j < side; ++j) store_columns(in[j], to + (i * side + j) * plane + c, columns);
      }
    }
  }
}

void transform_input_all(const Geometry& g, const float* x, const float* zeros, int64_t first, int64_t count, float* v,
                         int64_t plane) {
  return g.tile == 2 ? transform_input_of<2>(g, x, zeros, first, count, v, plane)
                     : transform_input_of<4>(g, x, zeros, first, count, v, plane);
}

template <int64_t tile>
HWY_INLINE void turn_output(const Vector* in, Vector* to, size_t step) {
  const auto splat = [](float value) HWY_ATTR { return hn::Set(Floats(), value); };
  if constexpr (tile == 2) {
    to[0] = hn::Add(hn::Add(in[0], in[1]), in[2]);
    to[step] = hn::Sub(hn::Sub(in[1], in[2]), in[3]);
  } else {
    const Vector even_p = hn::Add(in[1], in[2]), odd_p = hn::Sub(in[1], in[2]);
    const Vector even_q = hn::Add(in[3], in[4]), odd_q = hn::Sub(in[3], in[4]);
    to[0] = hn::Add(in[0], hn::Add(even_p, even_q));
    to[step] = hn::MulAdd(splat(q), odd_q, hn::Mul(splat(p), odd_p));
    to[2 * step] = hn::MulAdd(splat(q2), even_q, hn::Mul(splat(p2), even_p));
    to[3 * step] = hn::MulAdd(splat(q3), odd_q, hn::MulAdd(splat(p3), odd_p, in[5]));
  }
}

// How a tile's results become elements of y.
struct Ending {
  const float* bias;    // of these channels
  const float* addend;  // as y, from the tile's first result on
  const panels::Limits& limits;
  const VectorLimits<Floats>& limited;
};

HWY_INLINE void end_result(const Ending& e, Vector value, Vector bias, int64_t apart, int64_t columns, float* y) {
  value = hn::Add(value, bias);
  if (e.addend) value = hn::Add(value, load_columns(e.addend + apart, columns));
  if (e.limits.any) value = e.limited(value);
  store_columns(value, y + apart, columns);
}

// The results of one tile, `rows` × `columns` of which are inside of y.
template <int64_t tile>
HWY_INLINE void transform_tile(const Geometry& g, const float* m, int64_t plane, int64_t width, const Ending& e,
                               int64_t rows, int64_t columns, float* y) {
  constexpr int64_t side = tile + 2;
  const Floats d;
  for (int64_t c = 0; c < width; c += static_cast<int64_t>(hn::Lanes(d))) {
    const Vector bias = e.bias ? load_columns(e.bias + c, width - c) : hn::Zero(d);
    Vector in[side], half[tile * side], out[tile];
    BELAY_UNROLL
    for (int64_t j = 0; j < side; ++j) {
      BELAY_UNROLL
      for (int64_t i = 0; i < side; ++i) in[i] = hn::LoadU(d, m + (i * side + j) * plane + c);
      turn_output<tile>(in, half + j, side);
    }
    BELAY_UNROLL
    for (int64_t i = 0; i < tile; ++i) {
      if (i >= rows) break;
      turn_output<tile>(half + i * side, out, 1);
      BELAY_UNROLL
      for (int64_t j = 0; j < tile; ++j)
        if (j < columns) end_result(e, out[j], bias, (i * g.out_width + j) * g.outputs + c, width - c, y);
    }
  }
}

template <int64_t tile>
void transform_output_of(const Geometry& g, const float* m, int64_t plane, int64_t first, int64_t count,
                         int64_t channel, int64_t width, const panels::Finish& how, float* y) {
  const panels::Limits limits = panels::limits_of(how.steps);
  const VectorLimits<Floats> limited(limits);
  const int64_t pitch = panels::pitch_of(width);
  for (int64_t t = 0; t < count; ++t) {
    const Place place = place_of(g, first + t);
    const int64_t at = ((place.image * g.out_height + place.row) * g.out_width + place.column) * g.outputs + channel;
    const int64_t rows = std::min(tile, g.out_height - place.row);
    const int64_t columns = std::min(tile, g.out_width - place.column);
    const Ending e{how.bias ? how.bias + channel : nullptr, how.addend ? how.addend + at : nullptr, limits, limited};
    transform_tile<tile>(g, m + t * pitch, plane, width, e, rows, columns, y + at);
    for (int64_t r = 0; r < rows && !limits.rest.empty(); ++r)
      panels::take_steps(limits.rest, y + at + r * g.out_width * g.outputs, columns, width, g.outputs);
  }
}

void transform_output_all(const Geometry& g, const float* m, int64_t plane, int64_t first, int64_t count,
                          int64_t channel, int64_t width, const panels::Finish& how, float* y) {
  return g.tile == 2 ? transform_output_of<2>(g, m, plane, first, count, channel, width, how, y)
                     : transform_output_of<4>(g, m, plane, first, count, channel, width, how, y);
}

}  // namespace belay::backend::cpu::winograd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu::winograd {

HWY_EXPORT(transform_input_all);
HWY_EXPORT(transform_output_all);

void transform_input(const Geometry& g, const float* x, const float* zeros, int64_t first, int64_t count, float* v,
                     int64_t plane) {
  HWY_DYNAMIC_DISPATCH(transform_input_all)(g, x, zeros, first, count, v, plane);
}
void transform_output(const Geometry& g, const float* m, int64_t plane, int64_t first, int64_t count, int64_t channel,
                      int64_t width, const panels::Finish& how, float* y) {
  HWY_DYNAMIC_DISPATCH(transform_output_all)(g, m, plane, first, count, channel, width, how, y);
}

}  // namespace belay::backend::cpu::winograd
#endif
