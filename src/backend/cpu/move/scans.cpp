// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls along a dimension, and functions without a closed form: Cummax, Cummin, Kthvalue, Median,
// LinalgCross, Erfinv, Digamma.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/cpu/arguments.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

// Lines along a dimension; a tensor without dimensions is one line of one element.
struct Lines {
  int64_t outer = 1, size = 1, inner = 1;

  static Result<Lines> of(const WholeCall& call, const Shape& shape) {
    if (call.flag("flat")) return Lines{1, graph::element_count(shape), 1};
    const auto rank = static_cast<int64_t>(std::max<size_t>(shape.size(), 1));
    int64_t dim = call.integer("dim");
    if (dim < -rank || dim >= rank) return refuse(formatted("dim is {}; self has {} dimensions", dim, shape.size()));
    if (dim < 0) dim += rank;
    if (shape.empty()) return Lines{};
    const auto d = static_cast<size_t>(dim);
    return Lines{product(shape, 0, d), shape[d], product(shape, d + 1, shape.size())};
  }
  int64_t count() const { return outer * inner; }
  int64_t place(int64_t line, int64_t i) const { return (line / inner * size + i) * inner + line % inner; }
};

Status check_index(const WholeCall& call, int output, int64_t count) {
  if (output < 0) return {};
  const auto& info = call.result(output);
  if ((info.type == DataType::Int64 || info.type == DataType::Int32) && graph::element_count(info.shape) == count)
    return {};
  return refuse(formatted("indices are {} {}; they must be INT64 with {} elements", graph::name_of(info.type),
                          graph::to_text(info.shape), count));
}

void set_index(Tensor& y, int64_t at, int64_t value) {
  if (y.type == DataType::Int64)
    y.as<int64_t>()[at] = value;
  else
    y.as<int32_t>()[at] = static_cast<int32_t>(value);
}

// The largest so far, and where it was last; a NaN stays.
MadeKernel make_cumulative(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &x = call.info(0), &y = call.result(0);
  const Lines lines = TRY(Lines::of(call, x.shape));
  if (y.type != x.type || y.shape != x.shape) return refuse("valuesOut must have self's type and shape");
  TRY(check_index(call, call.output(1), graph::element_count(x.shape)));
  const bool largest = call.flag("largest");
  return with_type(AllTypes{}, x.type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const T* from = in[0].as<T>();
      for (int64_t line = 0; line < lines.count(); ++line) {
        int64_t best = 0;
        for (int64_t i = 0; i < lines.size; ++i) {
          const auto now = compute_t<T>(from[lines.place(line, i)]), kept = compute_t<T>(from[lines.place(line, best)]);
          const bool better = largest ? now >= kept : now <= kept;
          if (better || now != now) best = kept != kept && !(now != now) ? best : i;
          out[0].as<T>()[lines.place(line, i)] = from[lines.place(line, best)];
          set_index(out[1], lines.place(line, i), best);
        }
      }
      return {};
    });
  });
}

// The k-th smallest of each line and its index; the median is that of the middle, the lower one of two. A NaN comes
// last, or makes the median NaN, or is left out.
MadeKernel make_kth(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &x = call.info(0), &y = call.result(0);
  const Lines lines = TRY(Lines::of(call, x.shape));
  const int index = call.output(1);
  const int64_t k = call.integer("k", 0);
  const bool median = !call.has("k"), skips = call.flag("skips_nan");
  if (lines.size == 0) return refuse("the dimension has no elements");
  if (!median && (k < 1 || k > lines.size)) return refuse(formatted("k is {}; it must be from 1 to {}", k, lines.size));
  if (y.type != x.type || graph::element_count(y.shape) != lines.count())
    return refuse(formatted("valuesOut is {} {}; it must be {} with {} elements", graph::name_of(y.type),
                            graph::to_text(y.shape), graph::name_of(x.type), lines.count()));
  TRY(check_index(call, index, lines.count()));
  return with_type(NumberTypes{}, x.type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const T* from = in[0].as<T>();
      std::vector<int64_t> order(static_cast<size_t>(lines.size));
      for (int64_t line = 0; line < lines.count(); ++line) {
        const auto value = [&](int64_t i) { return compute_t<T>(from[lines.place(line, i)]); };
        const auto is_nan = [&](int64_t i) { return value(i) != value(i); };
        std::iota(order.begin(), order.end(), int64_t{0});
        std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
          return is_nan(a) || is_nan(b) ? !is_nan(a) && is_nan(b) : value(a) < value(b);
        });
        const int64_t numbers = lines.size - std::ranges::count_if(order, is_nan);
        int64_t place = k - 1;
        if (median && skips) place = std::max<int64_t>(numbers - 1, 0) / 2;
        if (median && !skips) place = numbers < lines.size ? numbers : (lines.size - 1) / 2;
        const int64_t found = order[static_cast<size_t>(place)];
        out[0].as<T>()[line] = from[lines.place(line, found)];
        if (index >= 0) set_index(out[static_cast<size_t>(index)], line, found);
      }
      return {};
    });
  });
}

// Winitzki's start and Newton's steps.
double erfinv(double x) {
  if (!(std::abs(x) <= 1)) return NAN;
  if (std::abs(x) == 1) return std::copysign(INFINITY, x);
  const double log = std::log1p(-x * x), a = 0.147, half = 2 / (M_PI * a) + log / 2;
  double y = std::copysign(std::sqrt(std::sqrt(half * half - log / a) - half), x);
  for (int i = 0; i < 4; ++i) {
    const double slope = 2 / std::sqrt(M_PI) * std::exp(-y * y);
    const double far = (x < 0 ? -1 : 1) * (1 - std::abs(x) - std::erfc(std::abs(y)));
    const double away = std::abs(x) < 0.5 ? std::erf(y) - x : far;
    if (slope == 0) break;
    y -= away / slope;
  }
  return y;
}

// Up to where the series holds, and it.
double digamma(double x) {
  if (x == 0) return std::copysign(INFINITY, -x);
  if (x < 0 && x == std::floor(x)) return NAN;
  if (x < 0) return digamma(1 - x) - M_PI / std::tan(M_PI * x);
  double sum = 0;
  for (; x < 10; ++x) sum -= 1 / x;
  const double s = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x - s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s / 132))));
}

MadeKernel make_map(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &x = call.info(0), &y = call.result(0);
  if (y.shape != x.shape) return refuse("out must have self's shape");
  const auto function = call.text("kind") == "erfinv" ? erfinv : digamma;
  return with_type(FloatTypes{}, y.type, [&]<class T>() -> MadeKernel {
    return function_kernel([function](Inputs in, Outputs out) -> Status {
      const auto values = TRY(reals(in[0]));
      for (size_t i = 0; i < values.size(); ++i) out[0].as<T>()[i] = convert_element<T>(function(values[i]));
      return {};
    });
  });
}

MadeKernel make_cross(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &a = call.info(0), &b = call.info(1), &y = call.result(0);
  if (a.shape != b.shape || y.shape != a.shape || a.type != b.type || y.type != a.type)
    return refuse("self, other and out must have one type and shape");
  const Lines lines = TRY(Lines::of(call, a.shape));
  if (lines.size != 3) return refuse(formatted("the dimension has {} elements; it must have 3", lines.size));
  return with_type(NumberTypes{}, a.type, [&]<class T>() -> MadeKernel {
    return function_kernel([lines](Inputs in, Outputs out) -> Status {
      for (int64_t line = 0; line < lines.count(); ++line)
        for (int64_t i = 0; i < 3; ++i) {
          const auto x = [&](size_t k, int64_t d) {
            return compute_t<T>(in[k].as<T>()[lines.place(line, (i + d) % 3)]);
          };
          out[0].as<T>()[lines.place(line, i)] = T(static_cast<compute_t<T>>(x(0, 1) * x(1, 2) - x(0, 2) * x(1, 1)));
        }
      return {};
    });
  });
}

constexpr KernelRow rows[] = {
    {"AclnnCross", "reference", make_cross},
    {"AclnnCumulative", "reference", make_cumulative},
    {"AclnnKth", "reference", make_kth},
    {"AclnnMap", "reference", make_map},
};

}  // namespace

std::span<const KernelRow> scan_rows() { return rows; }

}  // namespace belay::backend::cpu
