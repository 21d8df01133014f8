// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls that count elements: Bincount, Histc; and those that make complex numbers or take them apart.
#include <algorithm>
#include <cmath>

#include "backend/cpu/arguments.h"
#include "backend/cpu/broadcast.h"
#include "backend/cpu/element.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

// How often each number stands in x, or the sum of the weights there. The output must have room for the largest.
MadeKernel make_bincount(const KernelRequest& request) {
  const WholeCall call(request);
  const int x = call.even_empty("x"), weights = call.even_empty("weights");
  const auto &info = call.info(x), &y = call.result(0);
  const int64_t count = graph::element_count(info.shape), least = call.integer("least");
  if (info.shape.size() != 1 || y.shape.size() != 1) return refuse("self and out must have one dimension");
  if (least < 0 || y.shape[0] < least)
    return refuse(formatted("out has {} elements, minlength is {}", y.shape[0], least));
  if (weights >= 0 && graph::element_count(call.info(weights).shape) != count)
    return refuse(
        formatted("weights has {} elements, self has {}", graph::element_count(call.info(weights).shape), count));
  return with_type(IntegerTypes{}, info.type, [&]<class X>() -> MadeKernel {
    return with_type(NumberTypes{}, y.type, [&]<class Y>() -> MadeKernel {
      return function_kernel([=](Inputs in, Outputs out) -> Status {
        const auto values = weights < 0 ? std::vector<double>() : TRY(reals(in[static_cast<size_t>(weights)]));
        std::vector<double> sums(static_cast<size_t>(out[0].count()));
        for (int64_t i = 0; i < count; ++i) {
          const auto number = static_cast<int64_t>(in[static_cast<size_t>(x)].as<X>()[i]);
          if (number < 0 || number >= out[0].count())
            return failed("Bincount",
                          formatted("element {} of self is {}; out has {} elements", i, number, out[0].count()));
          sums[static_cast<size_t>(number)] += values.empty() ? 1 : values[static_cast<size_t>(i)];
        }
        for (size_t i = 0; i < sums.size(); ++i) out[0].as<Y>()[i] = static_cast<Y>(static_cast<compute_t<Y>>(sums[i]));
        return {};
      });
    });
  });
}

// Equal bins from low to high, the last with its end; what is outside is not counted, nor is a NaN. Where low is high
// they are those of x, as torch's histc has it.
struct Histogram {
  int64_t bins;
  double low, high;

  template <class C>
  Status run(const std::vector<double>& x, std::vector<int64_t>& counts) const {
    auto from = static_cast<C>(low), to = static_cast<C>(high);
    if (from == to && !x.empty()) {
      const auto [least, most] = std::ranges::minmax(x);
      from = static_cast<C>(least), to = static_cast<C>(most);
    }
    if (from == to) from -= 1, to += 1;
    if (!std::isfinite(from) || !std::isfinite(to))
      return failed("Histc", formatted("the range from {} to {} is not finite", double(from), double(to)));
    for (const double each : x) {
      const auto value = static_cast<C>(each);
      if (!(value >= from && value <= to)) continue;
      const auto bin = static_cast<int64_t>((value - from) * static_cast<C>(bins) / (to - from));
      ++counts[static_cast<size_t>(std::min(bin, bins - 1))];
    }
    return {};
  }
};

MadeKernel make_histogram(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &info = call.info(call.even_empty("x")), &y = call.result(0);
  const Histogram op{call.integer("bins"), call.real("low"), call.real("high")};
  if (op.bins <= 0 || y.shape != Shape{op.bins})
    return refuse(formatted("out has shape {} for {} bins", graph::to_text(y.shape), op.bins));
  if (op.low > op.high) return refuse(formatted("min is {}, which is more than max, {}", op.low, op.high));
  if (info.type == DataType::Double) return refuse("self of DOUBLE is not supported");
  const bool whole = !is_real(info.type);  // of which floats may not hold all
  return with_type(NumberTypes{}, y.type, [&]<class Y>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const auto x = TRY(reals(in[0]));
      std::vector<int64_t> counts(static_cast<size_t>(op.bins));
      TRY(whole ? op.run<double>(x, counts) : op.run<float>(x, counts));
      for (size_t i = 0; i < counts.size(); ++i)
        out[0].as<Y>()[i] = static_cast<Y>(static_cast<compute_t<Y>>(counts[i]));
      return {};
    });
  });
}

DataType complex_of(DataType part) {
  if (part == DataType::Float) return DataType::Complex64;
  return part == DataType::Double ? DataType::Complex128 : DataType::Undefined;
}

// Two tensors that broadcast: the parts of a complex number, or its size and angle.
MadeKernel make_complex(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &a = call.info(call.even_empty("a")), &b = call.info(call.even_empty("b")), &y = call.result(0);
  const bool polar = call.flag("polar");
  if (a.type != b.type || complex_of(a.type) == DataType::Undefined || y.type != complex_of(a.type))
    return refuse(formatted("{} and {} do not make {}; two FLOAT make COMPLEX64, two DOUBLE COMPLEX128",
                            graph::name_of(a.type), graph::name_of(b.type), graph::name_of(y.type)));
  const auto both = graph::broadcast(a.shape, b.shape);
  if (!both.ok()) return refuse(both.status().message);
  if (*both != y.shape)
    return refuse(formatted("the result is {}, out is {}", graph::to_text(*both), graph::to_text(y.shape)));
  const Shape shapes[] = {a.shape, b.shape};
  const Broadcast broadcast(y.shape, shapes);
  return with_type(TypeList<float, double>{}, a.type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      for_rows<2>(broadcast, [&](int64_t start, const auto& at, int64_t length) {
        T* to = out[0].as<T>() + 2 * start;
        for (int64_t i = 0; i < length; ++i) {
          const T p = in[0].as<T>()[at[0] + i * broadcast.strides[0].back()],
                  q = in[1].as<T>()[at[1] + i * broadcast.strides[1].back()];
          to[2 * i] = polar ? p * std::cos(q) : p;
          to[2 * i + 1] = polar ? p * std::sin(q) : q;
        }
      });
      return {};
    });
  });
}

MadeKernel make_real_part(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &x = call.info(call.even_empty("x")), &y = call.result(0);
  if (x.type != complex_of(y.type) || x.shape != y.shape)
    return refuse(formatted("the real part of {} {} is not {} {}", graph::name_of(x.type), graph::to_text(x.shape),
                            graph::name_of(y.type), graph::to_text(y.shape)));
  return with_type(TypeList<float, double>{}, y.type, [&]<class T>() -> MadeKernel {
    return function_kernel([](Inputs in, Outputs out) -> Status {
      for (int64_t i = 0; i < out[0].count(); ++i) out[0].as<T>()[i] = in[0].as<T>()[2 * i];
      return {};
    });
  });
}

constexpr KernelRow kRows[] = {
    {"AclnnBincount", "reference", make_bincount},
    {"AclnnComplex", "reference", make_complex},
    {"AclnnHistogram", "reference", make_histogram},
    {"AclnnRealPart", "reference", make_real_part},
};

}  // namespace

std::span<const KernelRow> counting_rows() { return kRows; }

}  // namespace belay::backend::cpu
