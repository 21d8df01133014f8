// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/winograd/tiles.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "backend/cpu/panels/unroll.h"
#include "backend/cpu/winograd/tiles.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::winograd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, panels::lane_step>;
using Bits = hn::RebindToSigned<Floats>;
using Vector = hn::Vec<Floats>;

struct Place {
  int64_t image, row, column;  // of the tile's first result
};

HWY_INLINE Place place_of(const Geometry& g, int64_t tile) {
  const int64_t column = tile % g.tile_columns(), row = tile / g.tile_columns();
  return {row / g.tile_rows(), row % g.tile_rows() * 2, column * 2};
}

// The sixteen pixels of a tile; what lies outside of x is zeros.
HWY_INLINE void find_pixels(const Geometry& g, const float* x, const float* zeros, int64_t tile, const float** pixels) {
  const Place place = place_of(g, tile);
  for (int64_t i = 0; i < points; ++i) {
    const int64_t row = place.row + i / 4 - g.pad_top, column = place.column + i % 4 - g.pad_left;
    const bool inside = row >= 0 && row < g.height && column >= 0 && column < g.width;
    pixels[i] = inside ? x + ((place.image * g.height + row) * g.width + column) * g.inputs : zeros;
  }
}

// One column or row of the transform of the input.
HWY_INLINE void turn_input(Vector a, Vector b, Vector c, Vector d, Vector* to, size_t step) {
  to[0] = hn::Sub(a, c);
  to[step] = hn::Add(b, c);
  to[2 * step] = hn::Sub(c, b);
  to[3 * step] = hn::Sub(b, d);
}

float transform_input_all(const Geometry& g, const float* x, const float* zeros, int64_t first, int64_t count, float* v,
                          int64_t plane) {
  const Floats d;
  const Bits bits;
  auto largest = hn::Zero(bits);
  const float* pixels[points];
  for (int64_t t = 0; t < count; ++t) {
    find_pixels(g, x, zeros, first + t, pixels);
    float* to = v + t * g.inputs;
    for (int64_t c = 0; c < g.inputs; c += static_cast<int64_t>(hn::Lanes(d))) {
      Vector in[points], half[points], out[points];
      BELAY_UNROLL
      for (int64_t i = 0; i < points; ++i) {
        in[i] = hn::LoadU(d, pixels[i] + c);
        largest = hn::Max(largest, hn::BitCast(bits, hn::Abs(in[i])));
      }
      BELAY_UNROLL
      for (size_t i = 0; i < 4; ++i) turn_input(in[i], in[4 + i], in[8 + i], in[12 + i], half + i, 4);
      BELAY_UNROLL
      for (size_t i = 0; i < 16; i += 4) turn_input(half[i], half[i + 1], half[i + 2], half[i + 3], out + i, 1);
      BELAY_UNROLL
      for (int64_t i = 0; i < points; ++i) hn::StoreU(out[i], d, to + i * plane + c);
    }
  }
  return hn::GetLane(hn::BitCast(d, hn::MaxOfLanes(bits, largest)));
}

HWY_INLINE void turn_output(Vector a, Vector b, Vector c, Vector d, Vector* to, size_t step) {
  to[0] = hn::Add(hn::Add(a, b), c);
  to[step] = hn::Sub(hn::Sub(b, c), d);
}

void transform_output_all(const Geometry& g, const float* m, int64_t plane, int64_t first, int64_t count,
                          int64_t channel, int64_t width, const float* bias, bool relu, float* y) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t t = 0; t < count; ++t) {
    const Place place = place_of(g, first + t);
    float* corner = y + ((place.image * g.out_height + place.row) * g.out_width + place.column) * g.outputs + channel;
    const bool below = place.row + 1 < g.out_height, beside = place.column + 1 < g.out_width;
    for (int64_t c = 0; c < width; c += lanes) {
      Vector in[points], half[8], out[4];
      BELAY_UNROLL
      for (int64_t i = 0; i < points; ++i) in[i] = hn::LoadU(d, m + i * plane + t * width + c);
      BELAY_UNROLL
      for (size_t i = 0; i < 4; ++i) turn_output(in[i], in[4 + i], in[8 + i], in[12 + i], half + i, 4);
      BELAY_UNROLL
      for (size_t i = 0; i < 2; ++i)
        turn_output(half[4 * i], half[4 * i + 1], half[4 * i + 2], half[4 * i + 3], out + 2 * i, 1);
      const Vector zero = hn::Zero(d), offset = bias ? hn::LoadU(d, bias + channel + c) : zero;
      BELAY_UNROLL
      for (Vector& value : out) {
        value = hn::Add(value, offset);
        if (relu) value = hn::IfThenElse(hn::Le(value, zero), zero, value);  // keeps NaN
      }
      hn::StoreU(out[0], d, corner + c);
      if (beside) hn::StoreU(out[1], d, corner + g.outputs + c);
      if (below) hn::StoreU(out[2], d, corner + g.out_width * g.outputs + c);
      if (below && beside) hn::StoreU(out[3], d, corner + (g.out_width + 1) * g.outputs + c);
    }
  }
}

}  // namespace belay::backend::cpu::winograd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu::winograd {

HWY_EXPORT(transform_input_all);
HWY_EXPORT(transform_output_all);

float transform_input(const Geometry& g, const float* x, const float* zeros, int64_t first, int64_t count, float* v,
                      int64_t plane) {
  return HWY_DYNAMIC_DISPATCH(transform_input_all)(g, x, zeros, first, count, v, plane);
}
void transform_output(const Geometry& g, const float* m, int64_t plane, int64_t first, int64_t count, int64_t channel,
                      int64_t width, const float* bias, bool relu, float* y) {
  HWY_DYNAMIC_DISPATCH(transform_output_all)(g, m, plane, first, count, channel, width, bias, relu, y);
}

}  // namespace belay::backend::cpu::winograd
#endif
