// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/linear/window_gradients.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "backend/cpu/arguments.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/resize/taps.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

using Numbers = std::vector<double>;

Status write(const Numbers& values, Tensor& y) {
  return with_type(FloatTypes{}, y.type, [&]<class T>() -> Status {
    for (size_t i = 0; i < values.size(); ++i) y.as<T>()[i] = convert_element<T>(values[i]);
    return {};
  });
}

Status check_float(const graph::TensorInfo& x, const std::string& name) {
  using enum DataType;
  if (x.type == Float || x.type == Float16 || x.type == BFloat16 || x.type == Double) return {};
  return refuse(formatted("{} of {} is not supported", name, graph::name_of(x.type)));
}

// Planes of [.., height, width].
struct Planes {
  int64_t count, height, width;
  static Planes of(const Shape& shape) { return {product(shape, 0, shape.size() - 2), shape.end()[-2], shape.back()}; }
  int64_t size() const { return height * width; }
};

Status same(const graph::TensorInfo& x, const graph::TensorInfo& y, const std::string& what) {
  if (x.shape == y.shape && x.type == y.type) return {};
  return refuse(formatted("{}: {} {} and {} {} must be alike", what, graph::name_of(x.type), graph::to_text(x.shape),
                          graph::name_of(y.type), graph::to_text(y.shape)));
}

// Two numbers, where one stands for both.
Result<std::array<int64_t, 2>> both(const WholeCall& call, const char* name, int64_t least,
                                    std::array<int64_t, 2> otherwise) {
  const auto given = call.ints(name);
  if (given.empty()) return otherwise;
  if (given.size() > 2) return refuse(formatted("{} must have 1 or 2 elements", name));
  const std::array<int64_t, 2> made{given[0], given.back()};
  for (const int64_t each : made)
    if (each < least) return refuse(formatted("{} is {}; it must be {} or more", name, each, least));
  return made;
}

}  // namespace

MadeKernel make_average_pool_grad(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &g = call.info(call.even_empty("grad")), &x = call.info(call.even_empty("x")), &y = call.result(0);
  TRY(check_float(g, "gradOutput"));
  TRY(same(x, y, "self and gradInput"));
  if (x.shape.size() < 3 || g.shape.size() != x.shape.size()) return refuse("self must have 3 or 4 dimensions");
  const auto kernel = TRY(both(call, "kernel", 1, {1, 1}));
  const auto stride = TRY(both(call, "stride", 1, kernel)), padding = TRY(both(call, "padding", 0, {0, 0}));
  const Planes from = Planes::of(g.shape), to = Planes::of(x.shape);
  const bool counts = call.flag("count_include_pad");
  const int64_t divisor = call.integer("divisor");
  if (from.count != to.count) return refuse("gradOutput and self have other numbers of planes");
  for (size_t i = 0; i < 2; ++i) {
    const int64_t size = i ? to.width : to.height, got = i ? from.width : from.height;
    const int64_t room = size + 2 * padding[i] - kernel[i];
    const int64_t floor = room / stride[i] + 1, ceil = (room + stride[i] - 1) / stride[i] + 1;
    const int64_t most = (ceil - 1) * stride[i] >= size + padding[i] ? ceil - 1 : ceil;
    if (got != (call.flag("ceil") ? most : floor))
      return refuse(formatted("gradOutput has shape {}, which does not follow from self {}", graph::to_text(g.shape),
                              graph::to_text(x.shape)));
  }
  const auto places = std::pair{call.even_empty("grad"), call.even_empty("x")};
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto given = TRY(reals(in[static_cast<size_t>(places.first)]));
    Numbers made(static_cast<size_t>(to.count * to.size()));
    for (int64_t p = 0; p < to.count; ++p)
      for (int64_t i = 0; i < from.height; ++i)
        for (int64_t j = 0; j < from.width; ++j) {
          const int64_t y0 = i * stride[0] - padding[0], x0 = j * stride[1] - padding[1];
          const int64_t y1 = std::min(y0 + kernel[0], to.height + padding[0]),
                        x1 = std::min(x0 + kernel[1], to.width + padding[1]);
          const int64_t top = std::max<int64_t>(y0, 0), left = std::max<int64_t>(x0, 0);
          const int64_t bottom = std::min(y1, to.height), right = std::min(x1, to.width);
          const int64_t size = divisor != 0 ? divisor
                               : counts     ? (y1 - y0) * (x1 - x0)
                                            : (bottom - top) * (right - left);
          const double each =
              given[static_cast<size_t>((p * from.height + i) * from.width + j)] / static_cast<double>(size);
          for (int64_t r = top; r < bottom; ++r)
            for (int64_t s = left; s < right; ++s) made[static_cast<size_t>(p * to.size() + r * to.width + s)] += each;
        }
    return write(made, out[0]);
  });
}

// Each gradient goes to the place in its plane that was the largest. `depth`: the last so many dimensions are a plane.
MadeKernel make_indexed_pool_grad(const KernelRequest& request) {
  const WholeCall call(request);
  const int grad = call.even_empty("grad"), index = call.even_empty("indices");
  const auto &g = call.info(grad), &places = call.info(index), &x = call.info(call.even_empty("x")),
             &y = call.result(0);
  const auto depth = static_cast<size_t>(call.integer("depth", 2));
  TRY(check_float(g, "gradOutput"));
  TRY(same(x, y, "self and gradInput"));
  if (places.shape != g.shape || (places.type != DataType::Int32 && places.type != DataType::Int64))
    return refuse(formatted("indices are {} {}; they must be INT32 or INT64 with the shape of gradOutput",
                            graph::name_of(places.type), graph::to_text(places.shape)));
  if (x.shape.size() <= depth || g.shape.size() != x.shape.size()) return refuse("self has too few dimensions");
  const int64_t planes = product(x.shape, 0, x.shape.size() - depth);
  if (planes != product(g.shape, 0, g.shape.size() - depth)) return refuse("gradOutput and self have other planes");
  const int64_t size = graph::element_count(x.shape) / std::max<int64_t>(planes, 1),
                each = graph::element_count(g.shape) / std::max<int64_t>(planes, 1);
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto given = TRY(reals(in[static_cast<size_t>(grad)]));
    const auto at = TRY(integers(in[static_cast<size_t>(index)]));
    Numbers made(static_cast<size_t>(planes * size));
    for (int64_t i = 0; i < planes * each; ++i) {
      const int64_t place = at[static_cast<size_t>(i)];
      if (place < 0 || place >= size)
        return failed("MaxPoolBackward", formatted("index {} is {}; a plane has {} elements", i, place, size));
      made[static_cast<size_t>(i / each * size + place)] += given[static_cast<size_t>(i)];
    }
    return write(made, out[0]);
  });
}

namespace {

// What an element of a resized line is made of: two neighbours, or one.
struct Neighbours {
  int64_t first, second;
  double share;  // of the second
};

// `step`: what places are multiplied by; 0: the ratio of the sizes.
std::vector<Neighbours> taps_of(const std::string& mode, bool align, float step, int64_t in, int64_t out) {
  std::vector<Neighbours> made;
  for (int64_t o = 0; o < out; ++o) {
    const double ratio = align && mode == "linear" ? (out > 1 ? double(in - 1) / double(out - 1) : 0)
                         : step > 0                ? double(step)
                                                   : double(in) / double(out);
    if (mode != "linear") {
      const int64_t place = torch_nearest(mode == "exact", step > 0 ? step : torch_step(0, in, out), o, in);
      made.push_back({place, place, 0});
      continue;
    }
    const double at = align ? double(o) * ratio : std::max(0.0, (double(o) + 0.5) * ratio - 0.5);
    const int64_t first = std::min(static_cast<int64_t>(at), in - 1);
    made.push_back({first, std::min(first + 1, in - 1), at - double(first)});
  }
  return made;
}

// A line of gradients goes back along a dimension.
Numbers resize_back(const Numbers& from, int64_t outer, int64_t in, int64_t inner,
                    const std::vector<Neighbours>& taps) {
  Numbers made(static_cast<size_t>(outer * in * inner));
  const auto out = static_cast<int64_t>(taps.size());
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t k = 0; k < out; ++k)
      for (int64_t i = 0; i < inner; ++i) {
        const double g = from[static_cast<size_t>((o * out + k) * inner + i)];
        const Neighbours& tap = taps[static_cast<size_t>(k)];
        made[static_cast<size_t>((o * in + tap.first) * inner + i)] += g * (1 - tap.share);
        made[static_cast<size_t>((o * in + tap.second) * inner + i)] += g * tap.share;
      }
  return made;
}

}  // namespace

MadeKernel make_resize_grad(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &g = call.info(call.even_empty("grad")), &y = call.result(0);
  TRY(check_float(g, "gradOutput"));
  const Shape size(call.ints("input_size"));
  const auto spatial = call.ints("output_size");
  if (y.shape != size || y.type != g.type || g.shape.size() != size.size() || spatial.size() + 2 != size.size() ||
      !std::equal(spatial.begin(), spatial.end(), g.shape.begin() + 2) || g.shape[0] != size[0] ||
      g.shape[1] != size[1])
    return refuse(formatted("gradOutput {}, outputSize {}, inputSize {} and gradInput {} do not fit",
                            graph::to_text(g.shape), graph::to_text(spatial), graph::to_text(size),
                            graph::to_text(y.shape)));
  const std::string mode = call.text("mode");
  const bool align = call.flag("align");
  std::vector<float> steps;
  for (const char* name : {"step0", "step1", "step2"}) steps.push_back(static_cast<float>(call.real(name, 0)));
  return function_kernel([=, shape = g.shape](Inputs in, Outputs out) -> Status {
    Numbers values = TRY(reals(in[0]));
    Shape now = shape;
    for (size_t d = 2; d < now.size(); ++d) {
      const auto taps = taps_of(mode, align, steps[d - 2], size[d], now[d]);
      values = resize_back(values, product(now, 0, d), size[d], product(now, d + 1, now.size()), taps);
      now[d] = size[d];
    }
    return write(values, out[0]);
  });
}

namespace {

// A convolution of one, two or three dimensions in space, as three.
struct Convolution {
  int64_t batch, in_channels, out_channels, groups;
  std::array<int64_t, 3> in, out, kernel, stride, padding, dilation;
  bool transposed;

  static int64_t volume(const std::array<int64_t, 3>& sizes) { return sizes[0] * sizes[1] * sizes[2]; }
  // Calls body(place of the image, place of the gradient, tap) for all pairs that meet. With `transposed` the roles of
  // image and gradient are exchanged.
  template <class Body>
  void pairs(const Body& body) const {
    const auto &image = transposed ? out : in, &places = transposed ? in : out;
    for (int64_t p = 0; p < volume(places); ++p)
      for (int64_t k = 0; k < volume(kernel); ++k) {
        const std::array<int64_t, 3> at{p / (places[1] * places[2]), p / places[2] % places[1], p % places[2]},
            tap{k / (kernel[1] * kernel[2]), k / kernel[2] % kernel[1], k % kernel[2]};
        int64_t place = 0;
        bool inside = true;
        for (size_t d = 0; d < 3; ++d) {
          const int64_t i = at[d] * stride[d] - padding[d] + tap[d] * dilation[d];
          inside = inside && i >= 0 && i < image[d];
          place = place * image[d] + i;
        }
        if (inside) transposed ? body(p, place, k) : body(place, p, k);
      }
  }
};

// One, two or three numbers, at the end of three.
Result<std::array<int64_t, 3>> three(const WholeCall& call, const char* name, size_t spatial, int64_t otherwise) {
  std::array<int64_t, 3> made{otherwise, otherwise, otherwise};
  const auto given = call.ints(name);
  if (given.empty()) return made;
  if (given.size() != spatial && given.size() != 1)
    return refuse(formatted("{} has {} elements; there are {} dimensions in space", name, given.size(), spatial));
  for (size_t i = 0; i < spatial; ++i) made[3 - spatial + i] = given[given.size() == 1 ? 0 : i];
  return made;
}

std::array<int64_t, 3> sizes_of(const Shape& shape) {
  std::array<int64_t, 3> made{1, 1, 1};
  for (size_t i = 2; i < shape.size(); ++i) made[3 - shape.size() + i] = shape[i];
  return made;
}

Result<Convolution> read_convolution(const WholeCall& call) {
  const Shape &g = call.info(call.even_empty("grad")).shape, &x = call.info(call.even_empty("x")).shape,
              &w = call.info(call.even_empty("weight")).shape;
  if (x.size() < 3 || x.size() > 5 || g.size() != x.size() || w.size() != x.size())
    return refuse("gradOutput, input and weight must have 3, 4 or 5 dimensions");
  const size_t spatial = x.size() - 2;
  Convolution c{x[0], x[1], g[1], call.integer("groups", 1), sizes_of(x), sizes_of(g), sizes_of(w)};
  c.stride = TRY(three(call, "stride", spatial, 1)), c.dilation = TRY(three(call, "dilation", spatial, 1));
  c.padding = TRY(three(call, "padding", spatial, 0)), c.transposed = call.flag("transposed");
  const auto more = TRY(three(call, "outputPadding", spatial, 0));
  const int64_t rows = c.transposed ? c.in_channels : c.out_channels,
                columns = c.transposed ? c.out_channels : c.in_channels;
  bool fits = c.groups > 0 && rows % c.groups == 0 && columns % c.groups == 0 && w[0] == rows &&
              w[1] * c.groups == columns && g[0] == x[0];
  for (size_t d = 0; d < 3 && fits; ++d) {
    if (c.stride[d] < 1 || c.dilation[d] < 1) return refuse("stride and dilation must be 1 or more");
    const int64_t reach = c.dilation[d] * (c.kernel[d] - 1);
    const int64_t wanted = c.transposed ? (c.in[d] - 1) * c.stride[d] - 2 * c.padding[d] + reach + more[d] + 1
                                        : (c.in[d] + 2 * c.padding[d] - reach - 1) / c.stride[d] + 1;
    fits = c.out[d] == wanted;
  }
  if (!fits)
    return refuse(formatted("gradOutput {}, input {} and weight {} with {} groups do not fit", graph::to_text(g),
                            graph::to_text(x), graph::to_text(w), c.groups));
  return c;
}

}  // namespace

MadeKernel make_convolution_grad(const KernelRequest& request) {
  const WholeCall call(request);
  const Convolution c = TRY(read_convolution(call));
  const int grad = call.even_empty("grad"), x = call.even_empty("x"), weight = call.even_empty("weight");
  const auto mask = call.ints("mask");
  const auto output = [&](size_t i) { return mask.size() == 3 && mask[i] == 0 ? -1 : call.output(i); };
  const int dx = output(0), dw = output(1), db = output(2);
  for (const auto& [out, from, name] : {std::tuple{dx, x, "gradInput"}, {dw, weight, "gradWeight"}})
    if (out >= 0 && call.result(out).shape != call.info(from).shape)
      return refuse(formatted("{} has shape {}; it must be {}", name, graph::to_text(call.result(out).shape),
                              graph::to_text(call.info(from).shape)));
  if (db >= 0 && graph::element_count(call.result(db).shape) != c.out_channels)
    return refuse(formatted("gradBias must have {} elements", c.out_channels));
  TRY(check_float(call.info(grad), "gradOutput"));
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto g = TRY(reals(in[static_cast<size_t>(grad)])), image = TRY(reals(in[static_cast<size_t>(x)])),
               taps = TRY(reals(in[static_cast<size_t>(weight)]));
    Numbers to_x(image.size()), to_w(taps.size()), to_b(static_cast<size_t>(c.out_channels));
    const int64_t space = Convolution::volume(c.in), places = Convolution::volume(c.out),
                  size = Convolution::volume(c.kernel);
    const int64_t ins = c.in_channels / c.groups, outs = c.out_channels / c.groups;
    parallel_for(c.groups, 1, [&](int64_t begin, int64_t end) {
      for (int64_t group = begin; group < end; ++group)
        for (int64_t n = 0; n < c.batch; ++n)
          for (int64_t o = group * outs; o < (group + 1) * outs; ++o)
            for (int64_t i = group * ins; i < (group + 1) * ins; ++i) {
              const int64_t row = c.transposed ? i * outs + o - group * outs : o * ins + i - group * ins;
              const int64_t at_g = (n * c.out_channels + o) * places, at_x = (n * c.in_channels + i) * space;
              c.pairs([&](int64_t p, int64_t q, int64_t k) {
                const auto from = static_cast<size_t>(at_g + q), pixel = static_cast<size_t>(at_x + p),
                           tap = static_cast<size_t>(row * size + k);
                to_x[pixel] += g[from] * taps[tap];
                to_w[tap] += g[from] * image[pixel];
              });
            }
    });
    for (size_t i = 0; i < g.size(); ++i) to_b[i / static_cast<size_t>(places) % to_b.size()] += g[i];
    if (dx >= 0) TRY(write(to_x, out[static_cast<size_t>(dx)]));
    if (dw >= 0) TRY(write(to_w, out[static_cast<size_t>(dw)]));
    if (db >= 0) TRY(write(to_b, out[static_cast<size_t>(db)]));
    return {};
  });
}

// Rows of gradients added up by the row of the table that they came from.
MadeKernel make_embedding_grad(const KernelRequest& request) {
  const WholeCall call(request);
  const int grad = call.even_empty("grad"), indices = call.even_empty("indices");
  const auto &g = call.info(grad), &y = call.result(0);
  TRY(check_float(g, "grad"));
  const int64_t rows = call.integer("rows"), padding = call.integer("padding", -1);
  const int64_t count = graph::element_count(call.info(indices).shape);
  if (y.shape.size() != 2 || y.shape[0] != rows || graph::element_count(g.shape) != count * y.shape[1])
    return refuse(formatted("grad {}, {} indices and out {} do not fit", graph::to_text(g.shape), count,
                            graph::to_text(y.shape)));
  const int64_t width = y.shape[1];
  const bool scaled = call.flag("scaled");
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto given = TRY(reals(in[static_cast<size_t>(grad)]));
    const auto from = TRY(indices_within("EmbeddingDenseBackward", in[static_cast<size_t>(indices)], rows, false));
    Numbers made(static_cast<size_t>(rows * width)), times(static_cast<size_t>(rows));
    for (const int64_t row : from) ++times[static_cast<size_t>(row)];
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = from[static_cast<size_t>(i)];
      if (row == padding) continue;
      const double by = scaled ? 1 / times[static_cast<size_t>(row)] : 1;
      for (int64_t c = 0; c < width; ++c)
        made[static_cast<size_t>(row * width + c)] += by * given[static_cast<size_t>(i * width + c)];
    }
    return write(made, out[0]);
  });
}

// Of groups of channels: dx, and the sums over batch and space for gamma and beta.
MadeKernel make_group_norm_grad(const KernelRequest& request) {
  const WholeCall call(request);
  const int grad = call.even_empty("grad"), x = call.even_empty("x"), mean = call.even_empty("mean"),
            rstd = call.even_empty("rstd"), gamma = call.input("gamma");
  const int64_t n = call.integer("n"), c = call.integer("c"), space = call.integer("space"),
                groups = call.integer("groups");
  const auto mask = call.ints("mask");
  const auto output = [&](size_t i) { return mask.size() == 3 && mask[i] == 0 ? -1 : call.output(i); };
  const int dx = output(0), dgamma = output(1), dbeta = output(2);
  const auto elements = [&](int input) { return graph::element_count(call.info(input).shape); };
  const int64_t all = n < 0 || c < 0 || space < 0 ? -1 : graph::element_count({n, c, space});
  if (groups <= 0 || c % groups != 0 || elements(x) != all || elements(grad) != all)
    return refuse(formatted("N {}, C {}, HxW {} and {} groups do not fit input {}", n, c, space, groups,
                            graph::to_text(call.info(x).shape)));
  if (elements(mean) != n * groups || elements(rstd) != n * groups || (gamma >= 0 && elements(gamma) != c))
    return refuse("mean and rstd must be [N, group], gamma [C]");
  for (const auto& [out, count] : {std::pair{dx, all}, {dgamma, c}, {dbeta, c}})
    if (out >= 0 && graph::element_count(call.result(out).shape) != count)
      return refuse(formatted("a gradient has shape {}; it must have {} elements",
                              graph::to_text(call.result(out).shape), count));
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto g = TRY(reals(in[static_cast<size_t>(grad)])), values = TRY(reals(in[static_cast<size_t>(x)])),
               means = TRY(reals(in[static_cast<size_t>(mean)])), factors = TRY(reals(in[static_cast<size_t>(rstd)]));
    const auto weights = gamma < 0 ? Numbers(static_cast<size_t>(c), 1) : TRY(reals(in[static_cast<size_t>(gamma)]));
    Numbers to_x(values.size()), to_gamma(static_cast<size_t>(c)), to_beta(to_gamma);
    const int64_t each = c / groups * space;
    for (int64_t group = 0; group < n * groups; ++group) {
      const double middle = means[static_cast<size_t>(group)], factor = factors[static_cast<size_t>(group)];
      double along = 0, total = 0;
      for (int64_t i = group * each; i < (group + 1) * each; ++i) {
        const auto at = static_cast<size_t>(i), channel = static_cast<size_t>(i / space % c);
        const double away = (values[at] - middle) * factor;
        to_gamma[channel] += g[at] * away;
        to_beta[channel] += g[at];
        along += g[at] * weights[channel] * away;
        total += g[at] * weights[channel];
      }
      for (int64_t i = group * each; i < (group + 1) * each; ++i) {
        const auto at = static_cast<size_t>(i);
        const double away = (values[at] - middle) * factor;
        to_x[at] = factor * (g[at] * weights[static_cast<size_t>(i / space % c)] -
                             (total + away * along) / static_cast<double>(each));
      }
    }
    if (dx >= 0) TRY(write(to_x, out[static_cast<size_t>(dx)]));
    if (dgamma >= 0) TRY(write(to_gamma, out[static_cast<size_t>(dgamma)]));
    if (dbeta >= 0) TRY(write(to_beta, out[static_cast<size_t>(dbeta)]));
    return {};
  });
}

}  // namespace belay::backend::cpu
