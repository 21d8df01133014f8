// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/vision/bilinear.h"

#include <algorithm>

#include "backend/cpu/function_kernel.h"
#include "backend/cpu/vision/grid_taps.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

// Where the four elements of a sample of a plane are, and what they weigh.
struct Corners {
  std::array<int32_t, 4> offset;
  std::array<float, 4> weight;
};

Corners corners_of(const GridTaps& rows, const GridTaps& columns, int64_t width) {
  Corners corners;
  for (size_t k = 0; k < 4; ++k) {
    corners.offset[k] = int32_t(rows.index[k / 2] * width + columns.index[k % 2]);
    corners.weight[k] = float(rows.weight[k / 2] * columns.weight[k % 2]);
  }
  return corners;
}

// Bilinear samples of planes of floats: the corners of some places are found once for all channels. Places with corners
// outside are left to the sum that leaves those out.
class Bilinear {
 public:
  Bilinear(const GridSampling& how, const Shape& shape, int64_t places) : how_(how), shape_(shape), places_(places) {}

  void run(const float* x, const float* grid, float* y) const {
    const int64_t pieces = (places_ + together - 1) / together;
    parallel_for(shape_[0] * pieces, std::max<int64_t>(1, 64 / shape_[1]), [&](int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece) {
        const int64_t n = piece / pieces, first = piece % pieces * together;
        run_piece(x + n * shape_[1] * plane(), grid + n * places_ * 2, first, std::min(together, places_ - first),
                  y + n * shape_[1] * places_);
      }
    });
  }

 private:
  static constexpr int64_t together = 256;

  int64_t plane() const { return shape_[2] * shape_[3]; }

  void run_piece(const float* x, const float* grid, int64_t first, int64_t count, float* y) const {
    std::array<Corners, together> corners;
    std::array<std::array<GridTaps, 2>, together> outside;
    std::array<int64_t, together> outside_at;
    size_t outsiders = 0;
    for (int64_t i = 0; i < count; ++i) {
      const float* at = grid + (first + i) * 2;
      const std::array<GridTaps, 2> taps = {taps_at(how_, double(at[1]), shape_[2]),
                                            taps_at(how_, double(at[0]), shape_[3])};
      const bool inside = std::min({taps[0].index[0], taps[0].index[1], taps[1].index[0], taps[1].index[1]}) >= 0;
      corners[size_t(i)] = inside ? corners_of(taps[0], taps[1], shape_[3]) : Corners{};
      if (inside) continue;
      outside[outsiders] = taps;
      outside_at[outsiders++] = i;
    }
    for (int64_t c = 0; c < shape_[1]; ++c) {
      const float* from = x + c * plane();
      float* to = y + c * places_ + first;
      for (int64_t i = 0; i < count; ++i) {
        const auto& [offset, weight] = corners[size_t(i)];
        to[i] = (weight[0] * from[offset[0]] + weight[1] * from[offset[1]]) +
                (weight[2] * from[offset[2]] + weight[3] * from[offset[3]]);
      }
      for (size_t i = 0; i < outsiders; ++i) to[outside_at[i]] = partly_outside(outside[i], from);
    }
  }

  float partly_outside(const std::array<GridTaps, 2>& taps, const float* from) const {
    float sum = 0;
    for (size_t k = 0; k < 4; ++k)
      if (const int64_t row = taps[0].index[k / 2], column = taps[1].index[k % 2]; row >= 0 && column >= 0)
        sum += float(taps[0].weight[k / 2] * taps[1].weight[k % 2]) * from[row * shape_[3] + column];
    return sum;
  }

  const GridSampling how_;
  const Shape shape_;
  const int64_t places_;
};

}  // namespace

MadeKernel make_bilinear_sampler(const KernelRequest& request) {
  const auto how = TRY(sampling_of(request.node));
  const Shape &x = request.inputs[0].shape, &grid = request.inputs[1].shape;
  if (how.mode != GridMode::Linear || x.size() != 4) return refuse("only bilinear samples of planes");
  if (request.inputs[0].type != DataType::Float || request.inputs[1].type != DataType::Float)
    return refuse("only float");
  if (grid.size() != 4 || grid[3] != 2 || grid[0] != x[0]) return refuse("the grid does not fit the image");
  if (graph::element_count(x) == 0 || x[2] * x[3] > INT32_MAX) return refuse("planes are empty or too large");
  return function_kernel([bilinear = Bilinear(how, x, grid[1] * grid[2])](Inputs in, Outputs out) -> Status {
    bilinear.run(in[0].as<float>(), in[1].as<float>(), out[0].as<float>());
    return {};
  });
}

}  // namespace belay::backend::cpu
