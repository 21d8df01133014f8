// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/linear/separable.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu/arguments.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

using Numbers = std::vector<double>;

// What an element along a dimension is made of: places in the input, with weights.
using Taps = std::vector<std::pair<int64_t, double>>;

// The dimensions that are changed, and the taps of each element of the result along them.
struct Maps {
  Shape in, out;
  std::vector<std::vector<Taps>> taps;  // of the last dimensions

  size_t first() const { return in.size() - taps.size(); }
};

int64_t padded_place(const std::string& kind, int64_t i, int64_t n) {
  if (kind == "replicate") return std::clamp<int64_t>(i, 0, n - 1);
  if (kind == "circular") return (i % n + n) % n;
  return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
}

// Before anything of that length is made.
Status check_length(int64_t length, int64_t out) {
  if (length == out) return {};
  return refuse(formatted("a dimension of the result has {} elements, not {}", length, out));
}

Result<std::vector<Taps>> padding_taps(const std::string& kind, int64_t n, int64_t before, int64_t after, int64_t out) {
  const int64_t most = kind == "reflect" ? n - 1 : kind == "circular" ? n : std::numeric_limits<int64_t>::max();
  if (before < 0 || after < 0 || before > most || after > most || n == 0)
    return refuse(formatted("padding of {} and {} does not fit a dimension of {}", before, after, n));
  if (before > out || after > out) return check_length(std::max(before, after), out);
  TRY(check_length(before + n + after, out));
  std::vector<Taps> made;
  for (int64_t o = -before; o < n + after; ++o) made.push_back({{padded_place(kind, o, n), 1}});
  return made;
}

std::vector<Taps> adaptive_taps(int64_t in, int64_t out) {
  std::vector<Taps> made(static_cast<size_t>(out));
  for (int64_t o = 0; o < out; ++o) {
    const int64_t begin = o * in / out, end = ((o + 1) * in + out - 1) / out;
    for (int64_t i = begin; i < end; ++i)
      made[static_cast<size_t>(o)].push_back({i, 1.0 / static_cast<double>(end - begin)});
  }
  return made;
}

std::vector<Taps> cubic_taps(int64_t in, int64_t out, bool align, double scale) {
  constexpr double a = -0.75;
  std::vector<Taps> made(static_cast<size_t>(out));
  for (int64_t o = 0; o < out; ++o) {
    const double ratio = align       ? (out > 1 ? double(in - 1) / double(out - 1) : 0)
                         : scale > 0 ? 1 / scale
                                     : double(in) / double(out);
    const double at = align ? double(o) * ratio : (double(o) + 0.5) * ratio - 0.5, low = std::floor(at);
    for (int64_t k = -1; k < 3; ++k) {
      const double d = std::abs(at - low - double(k));
      const double weight = d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
      made[static_cast<size_t>(o)].push_back({std::clamp<int64_t>(static_cast<int64_t>(low) + k, 0, in - 1), weight});
    }
  }
  return made;
}

struct Average {
  int64_t kernel, stride, padding;
  bool ceil, counts, divided;  // `divided`: by a number of the caller's
};

Result<std::vector<Taps>> average_taps(int64_t n, const Average& w, int64_t out) {
  constexpr int64_t most = int64_t{1} << 40;  // of a number: sums of them are numbers still
  if (w.kernel < 1 || w.stride < 1 || w.padding < 0 || w.padding > most || n + 2 * w.padding < w.kernel)
    return refuse(
        formatted("a window of {} with stride {} and padding {} does not fit {}", w.kernel, w.stride, w.padding, n));
  const int64_t room = n + 2 * w.padding - w.kernel;
  int64_t count = (w.ceil ? (room + w.stride - 1) / w.stride : room / w.stride) + 1;
  if (w.ceil && (count - 1) * w.stride >= n + w.padding) --count;
  TRY(check_length(count, out));
  std::vector<Taps> made(static_cast<size_t>(count));
  for (int64_t o = 0; o < count; ++o) {
    const int64_t begin = o * w.stride - w.padding, end = std::min(begin + w.kernel, n + w.padding);
    const int64_t low = std::max<int64_t>(begin, 0), high = std::min(end, n);
    const auto size = static_cast<double>(w.divided ? 1 : w.counts ? end - begin : high - low);
    for (int64_t i = low; i < high; ++i) made[static_cast<size_t>(o)].push_back({i, 1 / size});
  }
  return made;
}

// `x` is the input, `y` the result, or what its gradient has.
Result<Maps> maps_of(const WholeCall& call, const Shape& x, const Shape& y) {
  Maps made{x, y, {}};
  const std::string kind = call.text("kind");
  const auto pads = call.ints("pads");
  const auto spatial = pads.empty() ? static_cast<size_t>(call.integer("spatial")) : pads.size() / 2;
  if (x.size() != spatial + 1 && x.size() != spatial + 2)
    return refuse(formatted("a tensor of shape {} does not have {} dimensions in space", graph::to_text(x), spatial));
  const auto number = [&](const char* name, size_t d, int64_t otherwise) {
    const auto list = call.ints(name);
    return list.empty() ? otherwise : list[std::min(d, list.size() - 1)];
  };
  for (size_t d = 0; d < spatial; ++d) {
    const int64_t in = x[x.size() - spatial + d], out = y.size() == x.size() ? y[x.size() - spatial + d] : -1;
    const int64_t kernel = number("kernel", d, 1);
    if (kind == "adaptive")
      made.taps.push_back(adaptive_taps(in, std::max<int64_t>(out, 0)));
    else if (kind == "cubic")
      made.taps.push_back(
          cubic_taps(in, std::max<int64_t>(out, 0), call.flag("align"), call.real(d ? "scale1" : "scale0")));
    else if (kind == "average")
      made.taps.push_back(TRY(average_taps(in,
                                           {kernel, number("stride", d, kernel), number("padding", d, 0),
                                            call.flag("ceil"), call.flag("counts"), call.integer("divisor") != 0},
                                           out)));
    else  // pads are of the last dimension first
      made.taps.push_back(
          TRY(padding_taps(kind, in, pads[2 * (spatial - 1 - d)], pads[2 * (spatial - 1 - d) + 1], out)));
  }
  Shape wanted = x;
  for (size_t d = 0; d < spatial; ++d) wanted[made.first() + d] = static_cast<int64_t>(made.taps[d].size());
  if (y != wanted || graph::element_count(x) == 0)
    return refuse(formatted("the result of {} has shape {}, not {}", graph::to_text(x), graph::to_text(wanted),
                            graph::to_text(y)));
  return made;
}

// One dimension of `shape` after another, forward or back.
Numbers apply(const Maps& maps, Numbers values, bool back) {
  Shape now = back ? maps.out : maps.in;
  for (size_t k = 0; k < maps.taps.size(); ++k) {
    const size_t d = maps.first() + k;
    const int64_t outer = product(now, 0, d), inner = product(now, d + 1, now.size());
    const int64_t from = now[d], to = back ? maps.in[d] : maps.out[d];
    Numbers made(static_cast<size_t>(outer * to * inner));
    for (int64_t o = 0; o < outer; ++o)
      for (size_t p = 0; p < maps.taps[k].size(); ++p)
        for (const auto& [place, weight] : maps.taps[k][p])
          for (int64_t i = 0; i < inner; ++i) {
            const int64_t source = back ? static_cast<int64_t>(p) : place,
                          target = back ? place : static_cast<int64_t>(p);
            made[static_cast<size_t>((o * to + target) * inner + i)] +=
                weight * values[static_cast<size_t>((o * from + source) * inner + i)];
          }
    values = std::move(made);
    now[d] = to;
  }
  return values;
}

MadeKernel make(const WholeCall& call, const Maps& maps, int from, bool back) {
  const auto &x = call.info(from), &y = call.result(0);
  if (x.type != y.type) return refuse("the result must have the type of what it is made of");
  const double divisor = call.integer("divisor") != 0 ? static_cast<double>(call.integer("divisor")) : 1;
  return with_type(FloatTypes{}, y.type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const auto made = apply(maps, TRY(reals(in[static_cast<size_t>(from)])), back);
      for (size_t i = 0; i < made.size(); ++i) out[0].as<T>()[i] = convert_element<T>(made[i] / divisor);
      return {};
    });
  });
}

}  // namespace

MadeKernel make_separable(const KernelRequest& request) {
  const WholeCall call(request);
  const int x = call.even_empty("x");
  const Shape& y = call.result(0).shape;
  if (const auto size = call.ints("size");
      size.size() > y.size() || !std::equal(size.rbegin(), size.rend(), y.rbegin()))
    return refuse(formatted("outputSize is {}; out has shape {}", graph::to_text(size), graph::to_text(y)));
  return make(call, TRY(maps_of(call, call.info(x).shape, y)), x, false);
}

MadeKernel make_separable_grad(const KernelRequest& request) {
  const WholeCall call(request);
  const int grad = call.even_empty("grad"), x = call.even_empty("x");
  const Shape& y = call.result(0).shape;
  const auto size = call.ints("input_size");
  if ((x >= 0 && call.info(x).shape != y) || (!size.empty() && size != y))
    return refuse(formatted("the gradient has shape {}, which is not that of the input", graph::to_text(y)));
  return make(call, TRY(maps_of(call, y, call.info(grad).shape)), grad, true);
}

}  // namespace belay::backend::cpu
