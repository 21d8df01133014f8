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
using Bits = hn::RebindToSigned<Floats>;

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
        in[i] = load_columns(pixels[i] + c, g.inputs - c);
        largest = hn::Max(largest, hn::BitCast(bits, hn::Abs(in[i])));
      }
      BELAY_UNROLL
      for (size_t i = 0; i < 4; ++i) turn_input(in[i], in[4 + i], in[8 + i], in[12 + i], half + i, 4);
      BELAY_UNROLL
      for (size_t i = 0; i < 16; i += 4) turn_input(half[i], half[i + 1], half[i + 2], half[i + 3], out + i, 1);
      BELAY_UNROLL
      for (int64_t i = 0; i < points; ++i) store_columns(out[i], to + i * plane + c, g.inputs - c);
    }
  }
  return hn::GetLane(hn::BitCast(d, hn::MaxOfLanes(bits, largest)));
}

HWY_INLINE void turn_output(Vector a, Vector b, Vector c, Vector d, Vector* to, size_t step) {
  to[0] = hn::Add(hn::Add(a, b), c);
  to[step] = hn::Sub(hn::Sub(b, c), d);
}

// Where the results of a tile go: two rows of two, as far as they are inside of y.
struct Corner {
  float* y;
  int64_t apart[4];  // from y to each result; negative: it is outside
  int64_t rows, columns;
};

HWY_INLINE Corner corner_of(const Geometry& g, int64_t tile, int64_t channel, float* y) {
  const Place place = place_of(g, tile);
  const int64_t below = g.out_width * g.outputs;
  const int64_t rows = std::min<int64_t>(2, g.out_height - place.row);
  const int64_t columns = std::min<int64_t>(2, g.out_width - place.column);
  return {y + ((place.image * g.out_height + place.row) * g.out_width + place.column) * g.outputs + channel,
          {0, columns > 1 ? g.outputs : -1, rows > 1 ? below : -1, rows > 1 && columns > 1 ? below + g.outputs : -1},
          rows,
          columns};
}

void transform_output_all(const Geometry& g, const float* m, int64_t plane, int64_t first, int64_t count,
                          int64_t channel, int64_t width, const panels::Finish& how, float* y) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const panels::Limits limits = panels::limits_of(how.steps);
  const VectorLimits<Floats> limited(limits);
  const int64_t pitch = panels::pitch_of(width);
  for (int64_t t = 0; t < count; ++t) {
    const Corner corner = corner_of(g, first + t, channel, y);
    const float* addend = how.addend ? how.addend + (corner.y - y) : nullptr;
    for (int64_t c = 0; c < width; c += lanes) {
      Vector in[points], half[8], out[4];
      BELAY_UNROLL
      for (int64_t i = 0; i < points; ++i) in[i] = hn::LoadU(d, m + i * plane + t * pitch + c);
      BELAY_UNROLL
      for (size_t i = 0; i < 4; ++i) turn_output(in[i], in[4 + i], in[8 + i], in[12 + i], half + i, 4);
      BELAY_UNROLL
      for (size_t i = 0; i < 2; ++i)
        turn_output(half[4 * i], half[4 * i + 1], half[4 * i + 2], half[4 * i + 3], out + 2 * i, 1);
      const Vector bias = how.bias ? load_columns(how.bias + channel + c, width - c) : hn::Zero(d);
      BELAY_UNROLL
      for (size_t i = 0; i < 4; ++i) {
        const int64_t apart = corner.apart[i];
        if (apart < 0) continue;
        Vector value = hn::Add(out[i], bias);
        if (addend) value = hn::Add(value, load_columns(addend + apart + c, width - c));
        if (limits.any) value = limited(value);
        store_columns(value, corner.y + apart + c, width - c);
      }
    }
    if (limits.rest.empty()) continue;
    for (int64_t r = 0; r < corner.rows; ++r)
      panels::take_steps(limits.rest, corner.y + corner.apart[2 * r], corner.columns, width, g.outputs);
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
                      int64_t width, const panels::Finish& how, float* y) {
  HWY_DYNAMIC_DISPATCH(transform_output_all)(g, m, plane, first, count, channel, width, how, y);
}

}  // namespace belay::backend::cpu::winograd
#endif
