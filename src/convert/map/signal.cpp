// SPDX-License-Identifier: Apache-2.0
// Fourier transforms as products with constant matrices, and windows.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/numbers.h"
#include "convert/onnx/types.h"

namespace belay::convert {
namespace {

using std::numbers::pi;

// a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N), N one less than the size unless periodic.
Status window(NodeContext& c, double a0, double a1, double a2) {
  const DataType type = onnx::data_type(c.integer("output_datatype", 1));
  const Edge size = c.cast("Size", c.add("Reshape", {c.in(0), c.int_constant("scalar", {})}), DataType::Float);
  const Edge zero = c.scalar("zero", 0, DataType::Float), one = c.scalar("one", 1, DataType::Float);
  const Edge n = c.add("Range", {zero, size, one});
  const Edge length = c.integer("periodic", 1) != 0 ? size : c.add({"Sub", "Length"}, {size, one});
  const Edge turn = c.add("RealDiv", {n, length});
  const auto wave = [&c, turn](const char* suffix, double turns, double factor) {
    const std::string name(suffix);
    const Edge angle = c.add({"Muls", "Angle" + name}, {turn}, {{"value", static_cast<float>(2 * pi * turns)}});
    const Edge cosine = c.add({"Cos", "Cos" + name}, {angle});
    return c.add({"Muls", "Muls" + name}, {cosine}, {{"value", static_cast<float>(factor)}});
  };
  Edge sum = wave("1", 1, -a1);
  if (a2 != 0) sum = c.add("Add", {sum, wave("2", 2, a2)});
  sum = c.add("Adds", {sum}, {{"value", static_cast<float>(a0)}});
  c.give(0, type == DataType::Float ? sum : c.cast("Cast", sum, type));
  return {};
}

Status hann(NodeContext& c) { return window(c, 0.5, 0.5, 0); }
Status hamming(NodeContext& c) { return window(c, 25.0 / 46, 21.0 / 46, 0); }
Status blackman(NodeContext& c) { return window(c, 0.42, 0.5, 0.08); }

// [n, bins]: the cosine or sine of 2 pi k n / length, times a factor.
Edge wave_matrix(NodeContext& c, const std::string& suffix, int64_t n, int64_t bins, int64_t length, bool sine,
                 double factor, DataType type) {
  std::vector<double> values;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < bins; ++k) {
      const double angle = 2 * pi * static_cast<double>(i * k % length) / static_cast<double>(length);
      values.push_back(factor * (sine ? std::sin(angle) : std::cos(angle)));
    }
  return c.constant(suffix, make_numbers(values, {n, bins}, type));
}

struct Spectrum {
  int64_t n, bins, length;
  bool inverse;
};

// The transform of the last dimension of `real` and `imaginary` (open: all zero), as [..., bins, 2].
Edge transform(NodeContext& c, Edge real, Edge imaginary, const Spectrum& s, DataType type) {
  const double scale = s.inverse ? 1.0 / static_cast<double>(s.length) : 1;
  const Edge cosine = wave_matrix(c, "Cosine", s.n, s.bins, s.length, false, scale, type);
  const Edge sine = wave_matrix(c, "Sine", s.n, s.bins, s.length, true, s.inverse ? scale : -scale, type);
  Edge re = c.add({"BatchMatMulV2", "RealCosine"}, {real, cosine});
  Edge im = c.add({"BatchMatMulV2", "RealSine"}, {real, sine});
  if (imaginary.connected()) {
    re = c.add({"Sub", "RealPart"}, {re, c.add({"BatchMatMulV2", "ImaginarySine"}, {imaginary, sine})});
    im = c.add({"Add", "ImaginaryPart"}, {im, c.add({"BatchMatMulV2", "ImaginaryCosine"}, {imaginary, cosine})});
  }
  return c.add("Pack", {re, im}, {{"axis", -1}, {"N", 2}});
}

// One of the two parts of the last dimension.
Edge part(NodeContext& c, const std::string& suffix, Edge x, int64_t which) {
  return c.add({"GatherV2", suffix}, {x, c.int_scalar(suffix + "Index", which), c.int_scalar(suffix + "Axis", -1)});
}

// Exchanges an axis with another of a tensor of that rank.
Edge exchanged(NodeContext& c, const std::string& suffix, Edge x, int rank, int64_t a, int64_t b) {
  if (a == b) return x;
  std::vector<int64_t> perm;
  for (int64_t i = 0; i < rank; ++i) perm.push_back(i == a ? b : i == b ? a : i);
  return c.add({"Transpose", suffix}, {x, c.int_constant(suffix + "Perm", perm, DataType::Int32)});
}

// Zeros after the end, or the end cut off.
Edge resized(NodeContext& c, const std::string& suffix, Edge x, int64_t from, int64_t to) {
  if (from == to) return x;
  const int rank = c.rank(x);
  std::vector<int64_t> pads(static_cast<size_t>(2 * rank), 0);
  pads.back() = to - from;
  return c.add({"PadV3", suffix}, {x, c.int_constant(suffix + "Pads", pads)},
               {{"mode", "constant"}, {"paddings_contiguous", false}});
}

Status dft(NodeContext& c) {
  const Shape x = c.shape(0);
  const auto rank = static_cast<int64_t>(x.size());
  if (!graph::is_known(x) || rank < 2) return c.fail("the shape of its input must be known");
  int64_t axis = c.opset < 20 ? c.integer("axis", 1) : -2;
  if (c.opset >= 20 && c.has(2)) {
    const auto given = c.ints(2);
    if (!given || given->size() != 1) return c.fail("axis must be constant");
    axis = given->front();
  }
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank - 1) return c.fail("axis must be one before the last");
  int64_t length = x[static_cast<size_t>(axis)];
  if (c.has(1)) {
    const auto given = c.ints(1);
    if (!given || given->size() != 1) return c.fail("dft_length must be constant");
    length = given->front();
  }
  if (length < 1) return c.fail("dft_length must be above 0");
  TRY(c.require_few(graph::element_count({length, length})));
  const bool onesided = c.integer("onesided", 0) != 0, complex = x.back() == 2;
  const int64_t bins = onesided ? length / 2 + 1 : length;
  const auto lane = [&](const std::string& suffix, int64_t which) {
    const Edge turned =
        exchanged(c, suffix + "Last", part(c, suffix, c.in(0), which), static_cast<int>(rank - 1), axis, rank - 2);
    return resized(c, suffix + "Sized", turned, x[static_cast<size_t>(axis)], length);
  };
  const Edge real = lane("Real", 0), imaginary = complex ? lane("Imaginary", 1) : Edge{};
  const Edge y = transform(c, real, imaginary, {length, bins, length, c.integer("inverse", 0) != 0}, c.type(0));
  c.give(0, exchanged(c, "Back", y, static_cast<int>(rank), axis, rank - 2));
  return {};
}

// The frames of the signal, each times the window, then transformed.
Status stft(NodeContext& c) {
  const Shape x = c.shape(0);
  const auto step = c.ints(1), given = c.ints(3);
  if (!graph::is_known(x) || x.size() < 2) return c.fail("the shape of the signal must be known");
  if (!step || step->size() != 1 || step->front() < 1) return c.fail("frame_step must be constant");
  if (c.has(3) && (!given || given->size() != 1)) return c.fail("frame_length must be constant");
  if (!given && (!c.has(2) || c.rank(size_t{2}) != 1 || !graph::is_known(c.shape(2))))
    return c.fail("frame_length or window must be given");
  const int64_t length = given ? given->front() : c.shape(2)[0];
  const int64_t frames = (x[1] - length) / step->front() + 1;
  if (length < 1 || x[1] < length) return c.fail("the signal is shorter than a frame");
  TRY(c.require_few(graph::element_count({length, std::max(length, frames)})));
  const bool complex = x.size() == 3 && x[2] == 2;
  const bool onesided = c.integer("onesided", 1) != 0 && !complex;
  std::vector<int64_t> places;
  for (int64_t f = 0; f < frames; ++f)
    for (int64_t i = 0; i < length; ++i) places.push_back(f * step->front() + i);
  const Edge index = c.constant("Places", make_ints(places, {frames, length}, DataType::Int64));
  const auto lane = [&](const std::string& suffix, int64_t which) {
    const Edge signal = x.size() == 3 ? part(c, suffix, c.in(0), which) : c.in(0);
    const Edge cut = c.add({"GatherV2", suffix + "Frames"}, {signal, index, c.int_scalar(suffix + "FramesAxis", 1)});
    return c.has(2) ? c.add({"Mul", suffix + "Window"}, {cut, c.in(2)}) : cut;
  };
  const Edge real = lane("Real", 0), imaginary = complex ? lane("Imaginary", 1) : Edge{};
  const int64_t bins = onesided ? length / 2 + 1 : length;
  c.give(0, transform(c, real, imaginary, {length, bins, length, false}, c.type(0)));
  return {};
}

constexpr MapRow rows[] = {
    {"BlackmanWindow", 17, latest, "Cos", blackman}, {"DFT", 17, latest, "BatchMatMulV2", dft},
    {"HammingWindow", 17, latest, "Cos", hamming},   {"HannWindow", 17, latest, "Cos", hann},
    {"STFT", 17, latest, "BatchMatMulV2", stft},
};

}  // namespace

std::span<const MapRow> map_rows_signal() { return rows; }

}  // namespace belay::convert
