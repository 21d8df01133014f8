// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/depthwise/convolve_row.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include <algorithm>

#include "backend/cpu/depthwise/convolve_row.h"
#include "backend/cpu/panels/unroll.h"
#include "backend/cpu/simd/stretch-inl.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::depthwise::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;
using cpu::HWY_NAMESPACE::for_stretches;
using cpu::HWY_NAMESPACE::Stretch;

// The taps that the places see: the first, how many, and where the first place sees the first of them.
struct Taps {
  int64_t first, count, column;
};

// Bias, addend and limits; the sums of places that are `pitch` apart in y.
template <size_t places, size_t n, bool cut>
HWY_INLINE void store(const Strip& s, int64_t at, int64_t c, const panels::Limits& limits, Stretch<n, cut> some,
                      Vector (&sums)[places][n]) {
  const Floats d;
  if (s.how.bias) BELAY_UNROLL
  for (size_t j = 0; j < n; ++j) {
    const Vector bias = some.load(s.how.bias + c, j);
    BELAY_UNROLL
    for (size_t p = 0; p < places; ++p) sums[p][j] = hn::Add(sums[p][j], bias);
  }
  if (s.how.addend) BELAY_UNROLL
  for (size_t p = 0; p < places; ++p) BELAY_UNROLL
  for (size_t j = 0; j < n; ++j)
    sums[p][j] = hn::Add(sums[p][j], some.load(s.how.addend + at + static_cast<int64_t>(p) * s.pitch + c, j));
  if (limits.any) {
    const Vector low = hn::Set(d, limits.low), high = hn::Set(d, limits.high);
    BELAY_UNROLL
    for (size_t p = 0; p < places; ++p) BELAY_UNROLL
    for (size_t j = 0; j < n; ++j) {
      Vector& sum = sums[p][j];  // a NaN stays
      sum = hn::IfThenElse(hn::Lt(sum, low), low, sum);
      sum = hn::IfThenElse(hn::Lt(high, sum), high, sum);
    }
  }
  BELAY_UNROLL
  for (size_t p = 0; p < places; ++p) BELAY_UNROLL
  for (size_t j = 0; j < n; ++j) some.store(sums[p][j], s.y + at + static_cast<int64_t>(p) * s.pitch + c, j);
}

// Some places of y, the channels from `begin` on.
template <size_t places>
void convolve_places(const Along& a, const Strip& s, int64_t begin, const Taps& taps, const panels::Limits& limits,
                     int64_t place) {
  const int64_t step = a.dilation * a.apart, next = a.stride * a.apart, pitch = s.pitch;
  const int64_t from = taps.column * a.apart, weights_from = taps.first * pitch;
  for_stretches<2>(
      s.channels - begin, [&]<size_t n, bool cut>(int64_t from_c, Stretch<n, cut> some) BELAY_INLINE_LAMBDA {
        const int64_t c = begin + from_c;
        Vector sums[places][n];
        BELAY_UNROLL
        for (size_t p = 0; p < places; ++p) BELAY_UNROLL
        for (size_t j = 0; j < n; ++j) sums[p][j] = hn::Zero(Floats());
        for (const SeenRow& row : s.rows) {
          const float *x = row.x + from + c, *weights = row.weights + weights_from + c;
          for (int64_t k = 0; k < taps.count; ++k, x += step, weights += pitch) {
            Vector factors[n];
            BELAY_UNROLL
            for (size_t j = 0; j < n; ++j) factors[j] = some.load(weights, j);
            BELAY_UNROLL
            for (size_t p = 0; p < places; ++p) BELAY_UNROLL
            for (size_t j = 0; j < n; ++j)
              sums[p][j] = hn::MulAdd(some.load(x + static_cast<int64_t>(p) * next, j), factors[j], sums[p][j]);
          }
        }
        store<places, n, cut>(s, place * pitch, c, limits, some, sums);
        return hn::Zero(Floats());
      });
}

// A place at the edge, where some taps see nothing.
HWY_INLINE void convolve_edge(const Along& a, const Strip& s, int64_t begin, const panels::Limits& limits,
                              int64_t place) {
  const int64_t start = place * a.stride - a.pad;
  const int64_t first = start < 0 ? std::min((-start + a.dilation - 1) / a.dilation, a.kernel) : 0;
  const int64_t end = std::clamp<int64_t>((a.width - start + a.dilation - 1) / a.dilation, first, a.kernel);
  convolve_places<1>(a, s, begin, {first, end - first, start + first * a.dilation}, limits, place);
}

// Any filter, all places, the channels from `channel` on.
void convolve_any(const Along& a, const Strip& s, int64_t channel, const panels::Limits& limits) {
  const int64_t extent = (a.kernel - 1) * a.dilation + 1, room = a.width + a.pad - extent;
  // Places whose windows lie inside.
  const int64_t begin = std::min((a.pad + a.stride - 1) / a.stride, a.out_width);
  const int64_t end = room < 0 ? begin : std::clamp(room / a.stride + 1, begin, a.out_width);
  for (int64_t place = 0; place < begin; ++place) convolve_edge(a, s, channel, limits, place);
  int64_t place = begin;
  const auto taps = [&] { return Taps{0, a.kernel, place * a.stride - a.pad}; };
  for (; place + 6 <= end; place += 6) convolve_places<6>(a, s, channel, taps(), limits, place);
  for (; place + 3 <= end; place += 3) convolve_places<3>(a, s, channel, taps(), limits, place);
  for (; place < end; ++place) convolve_places<1>(a, s, channel, taps(), limits, place);
  for (place = end; place < a.out_width; ++place) convolve_edge(a, s, channel, limits, place);
}

// A filter that is known: what it sees of a row is loaded once for all places of a tile. Whole vectors of channels.
constexpr int64_t most_places = 7;
template <int64_t kernel, int64_t stride, int64_t places>
void convolve_tile(const Along& a, const Strip& s, const panels::Limits& limits, int64_t place) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t columns = (places - 1) * stride + kernel;
  const int64_t start = place * stride - a.pad, apart = a.apart;
  const int64_t begin = std::max<int64_t>(-start, 0), end = std::min(a.width - start, columns);
  const Stretch<1, false> whole{hn::FirstN(d, 0)};
  for (int64_t c = 0; c + lanes <= s.channels; c += lanes) {
    Vector sums[places][1];
    BELAY_UNROLL
    for (int64_t p = 0; p < places; ++p) sums[p][0] = hn::Zero(d);
    for (const SeenRow& row : s.rows) {
      const float* x = row.x + start * apart + c;
      Vector factors[kernel];
      BELAY_UNROLL
      for (int64_t k = 0; k < kernel; ++k) factors[k] = hn::LoadU(d, row.weights + k * s.pitch + c);
      _Pragma("GCC unroll 32") for (int64_t i = 0; i < columns; ++i) {
        if (i < begin || i >= end) continue;
        const Vector seen = hn::LoadU(d, x + i * apart);
        BELAY_UNROLL
        for (int64_t p = 0; p < places; ++p)
          if (i >= p * stride && i < p * stride + kernel)
            sums[p][0] = hn::MulAdd(seen, factors[i - p * stride], sums[p][0]);
      }
    }
    store<static_cast<size_t>(places), 1, false>(s, place * s.pitch, c, limits, whole, sums);
  }
}

using Tile = void (*)(const Along&, const Strip&, const panels::Limits&, int64_t place);
template <int64_t kernel, int64_t stride>
constexpr Tile tiles_of[] = {convolve_tile<kernel, stride, 1>, convolve_tile<kernel, stride, 2>,
                             convolve_tile<kernel, stride, 3>, convolve_tile<kernel, stride, 4>,
                             convolve_tile<kernel, stride, 5>, convolve_tile<kernel, stride, 6>,
                             convolve_tile<kernel, stride, 7>};

// The tiles of a filter, by the places that they have; null: none.
const Tile* tiles_for(const Along& a) {
  if (a.dilation != 1) return nullptr;
  if (a.kernel == 3 && a.stride == 1) return tiles_of<3, 1>;
  if (a.kernel == 3 && a.stride == 2) return tiles_of<3, 2>;
  if (a.kernel == 5 && a.stride == 1) return tiles_of<5, 1>;
  if (a.kernel == 5 && a.stride == 2) return tiles_of<5, 2>;
  if (a.kernel == 7 && a.stride == 1) return tiles_of<7, 1>;
  return nullptr;
}

void convolve_all(const Along& a, const Strip& s) {
  const panels::Limits limits = panels::limits_of(s.how.steps);
  const auto lanes = static_cast<int64_t>(hn::Lanes(Floats()));
  const Tile* tiles = tiles_for(a);
  const int64_t tiled = tiles ? s.channels / lanes * lanes : 0;
  if (tiled > 0) {
    // Tiles of about the same number of places.
    const int64_t count = (a.out_width + most_places - 1) / most_places;
    for (int64_t t = 0; t < count; ++t) {
      const int64_t begin = a.out_width * t / count, end = a.out_width * (t + 1) / count;
      tiles[end - begin - 1](a, s, limits, begin);
    }
  }
  if (tiled < s.channels) convolve_any(a, s, tiled, limits);
  panels::take_steps(limits.any ? limits.rest : s.how.steps, s.y, a.out_width, s.channels, s.pitch);
}

}  // namespace belay::backend::cpu::depthwise::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu::depthwise {

HWY_EXPORT(convolve_all);
void convolve_row(const Along& along, const Strip& strip) { HWY_DYNAMIC_DISPATCH(convolve_all)(along, strip); }

}  // namespace belay::backend::cpu::depthwise
#endif
