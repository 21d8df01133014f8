// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/nn/volume.h"
#include "graph/infer/convolution.h"

namespace belay::backend::cpu::panels {

// A convolution as a product: each place of y is a row, made of the pixels that the filter sees there. x and y have the
// channels last.
struct Geometry {
  explicit Geometry(const graph::Convolution& c);

  Volume volume;
  int64_t batch, groups;
  int64_t inputs, outputs;  // channels of a group
  int64_t pixel;            // elements from a pixel of x to the next

  int64_t taps() const { return volume.kernel[0] * volume.kernel[1] * volume.kernel[2]; }
  int64_t depth() const { return taps() * inputs; }
  int64_t rows() const { return batch * volume.output[0] * volume.output[1] * volume.output[2]; }
};

// How many threads the product pays for.
int64_t worth_threads(const Geometry& g);

// Where each tap of the filter finds its pixel: seen[t * count + i] for the places [first, first + count) of y. What
// lies outside of x is `zeros`, a pixel of them.
void find_rows(const Geometry& g, const float* x, const float* zeros, int64_t first, int64_t count, const float** seen);

// x with few channels, copied to rows that are padded: there the taps of one row of the filter are one piece.
class Gathered {
 public:
  // `x` are the strides of the tensor that is copied.
  Gathered(const Geometry& g, const VolumeStrides& x) : from_(g), x_(x) {}

  Geometry geometry() const;  // of the convolution of the copy
  int64_t count() const { return lines() * line(); }
  void copy(const float* x, float* to) const;

 private:
  int64_t lines() const { return from_.batch * from_.volume.input[0] * from_.volume.input[1]; }
  int64_t line() const { return places() * from_.inputs; }
  int64_t places() const { return (from_.volume.output[2] - 1) * from_.volume.stride[2] + from_.volume.kernel[2]; }

  Geometry from_;
  VolumeStrides x_;
};

}  // namespace belay::backend::cpu::panels
