// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/panels/geometry.h"

#include <algorithm>

#include "backend/cpu/panels/interleave.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu::panels {
namespace {

bool inside(int64_t place, int64_t size) { return place >= 0 && place < size; }

int64_t divided_up(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

// Where one tap finds its pixels for places in a row of y: from `column` on, `step` apart. Null: above or below x.
void find_pixels(const Geometry& g, const float* line, const float* zeros, int64_t column, int64_t count,
                 const float** to) {
  const int64_t width = g.volume.input[2], stride = g.volume.stride[2];
  const int64_t begin = line ? std::min(divided_up(-column, stride), count) : count;
  const int64_t end = std::clamp(divided_up(width - column, stride), begin, count);
  std::fill_n(to, begin, zeros);
  for (int64_t i = begin; i < end; ++i) to[i] = line + (column + i * stride) * g.pixel;
  std::fill(to + end, to + count, zeros);
}

// The pixels of some places in a row of y; `corner` is where the filter's first tap lies for the first of them. From a
// tap to the next it is `apart` in `to`.
void find_taps(const Geometry& g, const float* x, const float* zeros, const Triple& corner, int64_t count,
               int64_t apart, const float** to) {
  const Volume& v = g.volume;
  for (int64_t kd = 0; kd < v.kernel[0]; ++kd)
    for (int64_t ky = 0; ky < v.kernel[1]; ++ky) {
      const int64_t depth = corner[0] + kd * v.dilation[0], row = corner[1] + ky * v.dilation[1];
      const bool seen = inside(depth, v.input[0]) && inside(row, v.input[1]);
      const float* line = seen ? x + (depth * v.input[1] + row) * v.input[2] * g.pixel : nullptr;
      for (int64_t kx = 0; kx < v.kernel[2]; ++kx, to += apart)
        find_pixels(g, line, zeros, corner[2] + kx * v.dilation[2], count, to);
    }
}

}  // namespace

Geometry::Geometry(const graph::Convolution& c)
    : volume(c.window),
      batch(c.batch),
      groups(c.groups),
      inputs(c.input_channels / c.groups),
      outputs(c.output_channels / c.groups),
      pixel(c.input_channels) {}

int64_t worth_threads(const Geometry& g) {
  const auto rows = static_cast<double>(g.rows()), outputs = static_cast<double>(g.groups * g.outputs);
  const double filter = outputs * static_cast<double>(g.depth());
  const double pixels = rows * (outputs + static_cast<double>(g.groups * g.inputs));
  return threads_for(2 * rows * filter, sizeof(float) * (pixels + filter));
}

void find_rows(const Geometry& g, const float* x, const float* zeros, int64_t first, int64_t count,
               const float** seen) {
  const Volume& v = g.volume;
  const int64_t image = v.input[0] * v.input[1] * v.input[2] * g.pixel;
  Triple place = {first / (v.output[2] * v.output[1]), first / v.output[2] % v.output[1], first % v.output[2]};
  x += place[0] / v.output[0] * image;
  place[0] %= v.output[0];
  for (int64_t i = 0; i < count;) {
    const int64_t now = std::min(count - i, v.output[2] - place[2]);
    Triple corner;
    for (size_t d = 0; d < 3; ++d) corner[d] = place[d] * v.stride[d] - v.pad_begin[d];
    find_taps(g, x, zeros, corner, now, count, seen + i);
    i += now;
    place[2] = 0;
    if (++place[1] < v.output[1]) continue;
    place[1] = 0;
    if (++place[0] < v.output[0]) continue;
    place[0] = 0;
    x += image;
  }
}

Geometry Gathered::geometry() const {
  Geometry g = from_;
  g.inputs *= g.volume.kernel[2];
  g.volume.kernel[2] = 1;
  g.volume.pad_begin[2] = 0;
  g.volume.input[2] = places();
  return g;
}

void Gathered::copy(const float* x, float* to) const {
  const Volume& v = from_.volume;
  const int64_t channels = from_.inputs, left = v.pad_begin[2];
  const int64_t begin = std::clamp<int64_t>(left, 0, places());
  const int64_t end = std::clamp<int64_t>(left + v.input[2], begin, places());
  constexpr int64_t grain = 1 << 14;  // elements that are worth a thread
  parallel_for(lines(), std::max<int64_t>(1, grain / line()), [&](int64_t first, int64_t last) {
    for (int64_t l = first; l < last; ++l) {
      const int64_t row = l % v.input[1], depth = l / v.input[1] % v.input[0], image = l / v.input[1] / v.input[0];
      const float* from = x + image * x_.batch + x_.at({depth, row, 0});
      float* line_to = to + l * line();
      std::fill_n(line_to, begin * channels, 0.0f);
      std::fill(line_to + end * channels, line_to + line(), 0.0f);
      const float* first_seen = from + (begin - left) * x_.spatial[2];
      if (x_.channel == 1)  // the channels are last
        std::copy_n(first_seen, (end - begin) * channels, line_to + begin * channels);
      else
        interleave(first_seen, x_.channel, channels, end - begin, line_to + begin * channels);
    }
  });
}

}  // namespace belay::backend::cpu::panels
