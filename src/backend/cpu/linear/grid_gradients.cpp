// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/linear/grid_gradients.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "backend/cpu/arguments.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

using Numbers = std::vector<double>;

// A coordinate in elements, and how it moves with the grid's number.
struct Place {
  double at, slope;
};

// A pixel that a place is made of: its index (-1: outside), its weight, and how the weight moves with the coordinate.
struct Tap {
  int64_t index;
  double weight, slope;
};

struct GridSample {
  enum class Mode { Bilinear, Nearest, Bicubic } mode;
  enum class Padding { Zeros, Border, Reflection } padding;
  bool align;
  size_t spatial;
  int64_t batch, channels, places;
  std::array<int64_t, 3> size;  // of the image, the last dimension last

  Place unnormalised(double g, int64_t n) const {
    const auto size_of = static_cast<double>(n);
    return align ? Place{(g + 1) / 2 * (size_of - 1), (size_of - 1) / 2}
                 : Place{((g + 1) * size_of - 1) / 2, size_of / 2};
  }

  static Place clipped(Place p, int64_t n) {
    const auto last = static_cast<double>(n - 1);
    if (p.at <= 0) return {0, 0};
    return p.at >= last ? Place{last, 0} : p;
  }
  // Between the centres of the outer pixels, or their edges.
  Place reflected(Place p, int64_t n) const {
    const double low = align ? 0 : -0.5, span = align ? static_cast<double>(n - 1) : static_cast<double>(n);
    if (span <= 0) return {0, 0};
    double away = p.at - low;
    const double sign = away < 0 ? -1 : 1;
    away = std::abs(away);
    const double turns = std::floor(away / span), rest = away - turns * span;
    const bool back = std::fmod(turns, 2) != 0;
    return {(back ? span - rest : rest) + low, p.slope * sign * (back ? -1 : 1)};
  }
  Place padded(Place p, int64_t n) const {
    if (padding == Padding::Border) return clipped(p, n);
    return padding == Padding::Reflection ? clipped(reflected(p, n), n) : p;
  }
  int64_t pixel(int64_t i, int64_t n) const {
    if (padding != Padding::Zeros) i = static_cast<int64_t>(padded({static_cast<double>(i), 1}, n).at);
    return i >= 0 && i < n ? i : -1;
  }

  // The taps along one dimension; their slopes are by the grid's number.
  std::vector<Tap> taps(double g, int64_t n) const {
    Place p = unnormalised(g, n);
    if (!std::isfinite(p.at)) return {};
    if (mode == Mode::Bicubic) return cubic(p, n);
    p = padded(p, n);
    if (mode == Mode::Nearest) return {{inside(static_cast<int64_t>(std::nearbyint(p.at)), n), 1, 0}};
    const double first = std::floor(p.at), share = p.at - first;
    const auto i = static_cast<int64_t>(first);
    return {{inside(i, n), 1 - share, -p.slope}, {inside(i + 1, n), share, p.slope}};
  }
  static int64_t inside(int64_t i, int64_t n) { return i >= 0 && i < n ? i : -1; }

  std::vector<Tap> cubic(Place p, int64_t n) const {
    constexpr double a = -0.75;
    const double first = std::floor(p.at), t = p.at - first;
    std::vector<Tap> made;
    for (int64_t k = -1; k < 3; ++k) {
      const double d = std::abs(t - static_cast<double>(k)), sign = t >= static_cast<double>(k) ? 1 : -1;
      const double weight = d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
      const double slope = d <= 1 ? (3 * (a + 2) * d - 2 * (a + 3)) * d : (3 * a * d - 10 * a) * d + 8 * a;
      made.push_back({pixel(static_cast<int64_t>(first) + k, n), weight, slope * sign * p.slope});
    }
    return made;
  }

  void run(const Numbers& g, const Numbers& image, const Numbers& grid, Numbers& to_image, Numbers& to_grid) const {
    const int64_t plane = size[0] * size[1] * size[2];
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t p = 0; p < places; ++p) {
        const int64_t at = (n * places + p) * static_cast<int64_t>(spatial);
        std::array<std::vector<Tap>, 3> all{{{{0, 1, 0}}, {{0, 1, 0}}, {{0, 1, 0}}}};
        for (size_t d = 0; d < spatial; ++d)  // the grid names the last dimension first
          all[2 - d] = taps(grid[static_cast<size_t>(at) + d], size[2 - d]);
        for (const Tap& z : all[0])
          for (const Tap& y : all[1])
            for (const Tap& x : all[2]) {
              if (z.index < 0 || y.index < 0 || x.index < 0) continue;
              const int64_t pixel = (z.index * size[1] + y.index) * size[2] + x.index;
              double along = 0;
              for (int64_t c = 0; c < channels; ++c) {
                const auto from = static_cast<size_t>((n * channels + c) * places + p),
                           to = static_cast<size_t>((n * channels + c) * plane + pixel);
                to_image[to] += g[from] * z.weight * y.weight * x.weight;
                along += g[from] * image[to];
              }
              const double slopes[] = {z.weight * y.weight * x.slope, z.weight * y.slope * x.weight,
                                       z.slope * y.weight * x.weight};
              for (size_t d = 0; d < spatial; ++d) to_grid[static_cast<size_t>(at) + d] += along * slopes[d];
            }
      }
  }
};

Status write(const Numbers& values, Tensor& y) {
  return with_type(FloatTypes{}, y.type, [&]<class T>() -> Status {
    for (size_t i = 0; i < values.size(); ++i) y.as<T>()[i] = convert_element<T>(values[i]);
    return {};
  });
}

}  // namespace

MadeKernel make_grid_sample_grad(const KernelRequest& request) {
  const WholeCall call(request);
  const int grad = call.even_empty("grad"), x = call.even_empty("x"), grid = call.even_empty("grid");
  const Shape &image = call.info(x).shape, &places = call.info(grid).shape, &g = call.info(grad).shape;
  GridSample op{};
  op.spatial = image.size() < 3 ? 0 : image.size() - 2;
  const int64_t mode = call.integer("mode"), padding = call.integer("padding");
  if (mode < 0 || mode > 2 || padding < 0 || padding > 2)
    return refuse(formatted("interpolationMode is {} and paddingMode {}; both must be from 0 to 2", mode, padding));
  op.mode = static_cast<GridSample::Mode>(mode), op.padding = static_cast<GridSample::Padding>(padding);
  if (op.spatial != 2 && op.spatial != 3) return refuse("input must have 4 or 5 dimensions");
  if (op.spatial == 3 && mode == 2) return refuse("interpolationMode 2 (bicubic) is of two dimensions");
  Shape wanted{image[0], image[1]};
  if (places.size() == image.size()) wanted.insert(wanted.end(), places.begin() + 1, places.end() - 1);
  if (places.size() != image.size() || places[0] != image[0] || places.back() != static_cast<int64_t>(op.spatial) ||
      g != wanted)
    return refuse(formatted("gradOutput {}, input {} and grid {} do not fit", graph::to_text(g), graph::to_text(image),
                            graph::to_text(places)));
  op.align = call.flag("align"), op.batch = image[0], op.channels = image[1];
  op.places = product(places, 1, places.size() - 1), op.size = {1, 1, 1};
  for (size_t d = 0; d < op.spatial; ++d) op.size[3 - op.spatial + d] = image[2 + d];
  const auto mask = call.ints("mask");
  const auto output = [&](size_t i) { return mask.size() == 2 && mask[i] == 0 ? -1 : call.output(i); };
  const int to_x = output(0), to_grid = output(1);
  for (const auto& [out, shape] : {std::pair{to_x, &image}, {to_grid, &places}})
    if (out >= 0 && call.result(out).shape != *shape)
      return refuse(formatted("a gradient has shape {}; it must be {}", graph::to_text(call.result(out).shape),
                              graph::to_text(*shape)));
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto given = TRY(reals(in[static_cast<size_t>(grad)])), values = TRY(reals(in[static_cast<size_t>(x)])),
               at = TRY(reals(in[static_cast<size_t>(grid)]));
    Numbers made_x(values.size()), made_grid(at.size());
    op.run(given, values, at, made_x, made_grid);
    if (to_x >= 0) TRY(write(made_x, out[static_cast<size_t>(to_x)]));
    if (to_grid >= 0) TRY(write(made_grid, out[static_cast<size_t>(to_grid)]));
    return {};
  });
}

}  // namespace belay::backend::cpu
