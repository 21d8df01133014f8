// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls that draw random numbers: the same seed, offset and shape give the same numbers.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "backend/cpu/arguments.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/sampling/philox.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

// Where the seed and the offset come from: numbers, or tensors of one element.
struct Source {
  int64_t seed = 0, offset = 0;
  int seed_tensor = -1, offset_tensor = -1;

  static Source of(const WholeCall& call) {
    return {call.integer("seed"), call.integer("offset"), call.input("seed_tensor"), call.input("offset_tensor")};
  }
  Result<Philox> open(Inputs in) const {
    const int64_t from = seed_tensor < 0 ? seed : TRY(integer(in[static_cast<size_t>(seed_tensor)]));
    const int64_t shift = offset_tensor < 0 ? 0 : TRY(integer(in[static_cast<size_t>(offset_tensor)]));
    return Philox(static_cast<uint64_t>(from), static_cast<uint64_t>(offset + shift));
  }
};

// One number, or one for each element.
struct Parameter {
  std::vector<double> values;
  double at(int64_t i) const { return values[values.size() == 1 ? 0 : static_cast<size_t>(i)]; }

  static Result<Parameter> read(Inputs in, int place, double fallback) {
    if (place < 0) return Parameter{{fallback}};
    return Parameter{TRY(reals(in[static_cast<size_t>(place)]))};
  }
};

using Draw = double (*)(const Philox&, uint64_t, double, double);

double draw_uniform(const Philox& from, uint64_t i, double low, double high) {
  return low + from.uniform(i) * (high - low);
}
double draw_normal(const Philox& from, uint64_t i, double mean, double deviation) {
  return mean + from.normal(i) * deviation;
}
double draw_bernoulli(const Philox& from, uint64_t i, double p, double) { return from.uniform(i) < p; }
double draw_exponential(const Philox& from, uint64_t i, double rate, double) {
  return -std::log(from.uniform(i)) / rate;
}

struct Kind {
  const char* name;
  Draw draw;
};
constexpr Kind kKinds[] = {{"uniform", draw_uniform},
                           {"normal", draw_normal},
                           {"bernoulli", draw_bernoulli},
                           {"exponential", draw_exponential}};

// Elements [0, limit) of the result; the rest is left as it is.
template <class T>
Status draw_all(const Philox& from, Draw draw, const Parameter& a, const Parameter& b, int64_t limit, Tensor& to) {
  const bool half_open = draw == draw_uniform;
  parallel_for(std::min(limit, to.count()), 2048, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T made = convert_element<T>(draw(from, static_cast<uint64_t>(i), a.at(i), b.at(i)));
      // What rounding took to the upper end would lie outside.
      if constexpr (is_float<T>)
        if (half_open && static_cast<double>(compute_t<T>(made)) >= b.at(i) && a.at(i) < b.at(i))
          made = convert_element<T>(a.at(i));
      to.as<T>()[i] = made;
    }
  });
  return {};
}

// draws of a distribution with two parameters, `a` and `b`, that are numbers or tensors.
MadeKernel make_random(const KernelRequest& request) {
  const WholeCall call(request);
  const std::string name = call.text("kind");
  const auto* kind = std::ranges::find(kKinds, name, &Kind::name);
  if (kind == std::end(kKinds)) return refuse(formatted("there is no distribution \"{}\"", name));
  const int a = call.input("a_tensor"), b = call.input("b_tensor");
  const double first = call.real("a"), second = call.real("b");
  const int64_t count = graph::element_count(call.result(0).shape), limit = call.integer("limit", count);
  for (const int each : {a, b}) {
    if (each < 0) continue;
    const int64_t given = graph::element_count(call.info(each).shape);
    if (given != 1 && given != count)
      return refuse(formatted("a parameter of shape {} does not fit a result of {}",
                              graph::to_text(call.info(each).shape), graph::to_text(call.result(0).shape)));
  }
  if (name == "uniform" && first > second) return refuse(formatted("from is {}, which is above to, {}", first, second));
  if (name == "normal" && b < 0 && second < 0) return refuse(formatted("std is {}; it must not be below 0", second));
  if (name == "bernoulli" && a < 0 && !(first >= 0 && first <= 1))
    return refuse(formatted("prob is {}; it must be from 0 to 1", first));
  if (name == "exponential" && !(first > 0)) return refuse(formatted("lambda is {}; it must be above 0", first));
  const Draw draw = kind->draw;
  const Source source = Source::of(call);
  return with_type(AllTypes{}, call.result(0).type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      return draw_all<T>(TRY(source.open(in)), draw, TRY(Parameter::read(in, a, first)),
                         TRY(Parameter::read(in, b, second)), limit, out[0]);
    });
  });
}

// Whole numbers from `from` to `to` - 1; without them, from 0 to the largest that the type holds exactly.
MadeKernel make_integers(const KernelRequest& request) {
  const WholeCall call(request);
  const DataType type = call.result(0).type;
  const bool free = !call.has("to");
  const int64_t from = call.integer("from");
  int64_t last = call.integer("to") - 1;
  if (!free && from > last) return refuse(formatted("from is {}, which is not below to, {}", from, last + 1));
  const Source source = Source::of(call);
  return with_type(AllTypes{}, type, [&]<class T>() -> MadeKernel {
    if (free) {
      const int digits = std::is_same_v<T, Half>       ? 11
                         : std::is_same_v<T, BFloat16> ? 8
                         : std::is_same_v<T, Bool>     ? 1
                         : is_float<T>                 ? std::numeric_limits<compute_t<T>>::digits
                                                       : std::min(63, std::numeric_limits<compute_t<T>>::digits);
      last = digits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << digits) - (is_float<T> ? 0 : 1);
    }
    const uint64_t range = static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;  // 0: all of 64 bits
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const Philox numbers = TRY(source.open(in));
      for (int64_t i = 0, count = out[0].count(); i < count; ++i) {
        const uint64_t word = numbers.wide(static_cast<uint64_t>(i));
        const auto drawn = static_cast<int64_t>(static_cast<uint64_t>(from) + (range ? word % range : word));
        out[0].as<T>()[i] = convert_element<T>(drawn);
      }
      return {};
    });
  });
}

// 0 to n - 1 in random order: the order of random keys.
MadeKernel make_permutation(const KernelRequest& request) {
  const WholeCall call(request);
  const int64_t n = call.integer("n");
  if (n < 0 || graph::element_count(call.result(0).shape) != n)
    return refuse(formatted("n is {}; out has shape {}", n, graph::to_text(call.result(0).shape)));
  const Source source = Source::of(call);
  return with_type(NumberTypes{}, call.result(0).type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const Philox numbers = TRY(source.open(in));
      std::vector<std::pair<uint64_t, int64_t>> keys;
      for (int64_t i = 0; i < n; ++i) keys.emplace_back(numbers.wide(static_cast<uint64_t>(i)), i);
      std::ranges::sort(keys);
      for (size_t i = 0; i < keys.size(); ++i) out[0].as<T>()[i] = convert_element<T>(keys[i].second);
      return {};
    });
  });
}

// Bits that are 1 with the probability of keeping, the lowest of a byte first.
void draw_mask(const Philox& numbers, double keep, Tensor& to) {
  auto* bytes = to.as<uint8_t>();
  parallel_for(to.count(), 256, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      unsigned made = 0;
      for (unsigned bit = 0; bit < 8; ++bit)
        if (numbers.uniform(static_cast<uint64_t>(b) * 8 + bit) < keep) made |= 1U << bit;
      bytes[b] = static_cast<uint8_t>(made);
    }
  });
}

bool bit_at(const Tensor& mask, int64_t i) { return mask.as<uint8_t>()[i / 8] >> (i % 8) & 1; }
int64_t mask_bytes(int64_t count) { return count / 128 * 16 + (count % 128 ? 16 : 0); }

Status check_mask(const graph::TensorInfo& mask, int64_t count) {
  if ((mask.type == DataType::UInt8 || mask.type == DataType::Bool) &&
      graph::element_count(mask.shape) >= count / 8 + (count % 8 ? 1 : 0))
    return {};
  return refuse(formatted("the mask is {} {}; it must be UINT8 with {} elements, a bit for each of {}",
                          graph::name_of(mask.type), graph::to_text(mask.shape), mask_bytes(count), count));
}

MadeKernel make_mask(const KernelRequest& request) {
  const WholeCall call(request);
  const auto dims = call.ints("shape");
  const int64_t count = graph::element_count(Shape(dims.begin(), dims.end()));
  const double p = call.real("p");
  if (!(p >= 0 && p <= 1)) return refuse(formatted("prob is {}; it must be from 0 to 1", p));
  if (call.result(0).type != DataType::UInt8) return refuse("out must be UINT8");
  TRY(check_mask(call.result(0), count));
  const Source source = Source::of(call);
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    draw_mask(TRY(source.open(in)), 1 - p, out[0]);
    return {};
  });
}

// y = x * factor where the mask's bit is 1, else 0.
template <class T>
void keep_marked(const Tensor& x, const Tensor& mask, double factor, Tensor& y) {
  for (int64_t i = 0, count = x.count(); i < count; ++i)
    y.as<T>()[i] =
        bit_at(mask, i) ? T(static_cast<compute_t<T>>(static_cast<double>(compute_t<T>(x.as<T>()[i])) * factor)) : T(0);
}

// With `p` the factor is 1 / (1 - p); with `scale` that is it, and 0 gives zeros.
MadeKernel make_masked(const KernelRequest& request) {
  const WholeCall call(request);
  const int x = call.even_empty("x"), mask = call.even_empty("mask");
  const auto &info = call.info(x), &y = call.result(0);
  if (y.type != info.type || y.shape != info.shape)
    return refuse(formatted("the result is {} {}; x is {} {}", graph::name_of(y.type), graph::to_text(y.shape),
                            graph::name_of(info.type), graph::to_text(info.shape)));
  TRY(check_mask(call.info(mask), graph::element_count(info.shape)));
  const double p = call.real("p"), scale = call.real("scale");
  if (call.has("scale") && scale != 0 && !(scale >= 1))
    return refuse(formatted("scale is {}; it must be 0, or 1 and above", scale));
  if (!(p >= 0 && p <= 1)) return refuse(formatted("prob is {}; it must be from 0 to 1", p));
  const bool nothing = call.has("scale") ? scale == 0 : p == 1, everything = !call.has("scale") && p == 0;
  const double factor = call.has("scale") ? scale : 1 / (1 - p);
  return with_type(FloatTypes{}, info.type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const Tensor& from = in[static_cast<size_t>(x)];
      if (nothing)
        std::memset(out[0].data, 0, out[0].bytes());
      else if (everything)
        copy_unless_same(from, out[0]);
      else
        keep_marked<T>(from, in[static_cast<size_t>(mask)], factor, out[0]);
      return {};
    });
  });
}

// A mask, and what it leaves of x.
MadeKernel make_dropout(const KernelRequest& request) {
  const WholeCall call(request);
  const int x = call.even_empty("x");
  const auto &info = call.info(x), &y = call.result(0);
  if (y.type != info.type || y.shape != info.shape) return refuse("out must have input's type and shape");
  TRY(check_mask(call.result(1), graph::element_count(info.shape)));
  const double p = call.real("p");
  if (!(p >= 0 && p <= 1)) return refuse(formatted("p is {}; it must be from 0 to 1", p));
  TRY(call.absent({"noise_shape"}));
  const bool trains = call.integer("train", 1) != 0;
  const Source source = Source::of(call);
  return with_type(FloatTypes{}, info.type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const double keep = trains ? 1 - p : 1;
      draw_mask(TRY(source.open(in)), keep, out[1]);
      if (keep == 0)
        std::memset(out[0].data, 0, out[0].bytes());
      else
        keep_marked<T>(in[static_cast<size_t>(x)], out[1], 1 / keep, out[0]);
      return {};
    });
  });
}

// Classes drawn by their weights. Without replacement those with the largest weight / exponential number.
MadeKernel make_multinomial(const KernelRequest& request) {
  const WholeCall call(request);
  const int x = call.even_empty("x");
  const Shape shape = call.info(x).shape;
  if (shape.empty() || shape.size() > 2) return refuse("self must have one or two dimensions");
  const int64_t classes = shape.back(), rows = shape.size() == 2 ? shape[0] : 1, samples = call.integer("samples");
  const bool again = call.flag("replacement");
  if (samples <= 0 || classes == 0 || classes > (int64_t{1} << 24))
    return refuse(
        formatted("numsamples is {} of {} classes; both must be above 0, classes at most 2^24", samples, classes));
  if (!again && samples > classes)
    return refuse(formatted("numsamples is {}, but there are {} classes; draw with replacement", samples, classes));
  const auto& y = call.result(0);
  if (y.type != DataType::Int64 || graph::element_count(y.shape) != rows * samples)
    return refuse(formatted("out is {} {}; it must be INT64 [{},{}]", graph::name_of(y.type), graph::to_text(y.shape),
                            rows, samples));
  const Source source = Source::of(call);
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const Philox numbers = TRY(source.open(in));
    const auto weights = TRY(reals(in[static_cast<size_t>(x)]));
    std::vector<double> sums(static_cast<size_t>(classes));
    std::vector<std::pair<double, int64_t>> keys(static_cast<size_t>(classes));
    for (int64_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (int64_t c = 0; c < classes; ++c) {
        const double w = weights[static_cast<size_t>(r * classes + c)];
        if (!(w >= 0) || std::isinf(w))
          return failed("Multinomial",
                        formatted("weight {} of row {} is {}; weights are finite and not below 0", c, r, w));
        sums[static_cast<size_t>(c)] = sum += w;
        const double noise = -std::log(numbers.uniform(static_cast<uint64_t>(r * classes + c)));
        keys[static_cast<size_t>(c)] = {-w / noise, c};
      }
      if (sum <= 0) return failed("Multinomial", formatted("all weights of row {} are 0", r));
      auto* drawn = out[0].as<int64_t>() + r * samples;
      if (!again) {
        std::ranges::partial_sort(keys, keys.begin() + samples);
        for (int64_t s = 0; s < samples; ++s) drawn[s] = keys[static_cast<size_t>(s)].second;
        continue;
      }
      for (int64_t s = 0; s < samples; ++s) {
        const double at = numbers.uniform(static_cast<uint64_t>(r * samples + s)) * sum;
        drawn[s] = std::min<int64_t>(std::ranges::upper_bound(sums, at) - sums.begin(), classes - 1);
      }
    }
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"AclnnDropout", "reference", make_dropout},         {"AclnnMask", "reference", make_mask},
    {"AclnnMasked", "reference", make_masked},           {"AclnnMultinomial", "reference", make_multinomial},
    {"AclnnPermutation", "reference", make_permutation}, {"AclnnRandom", "reference", make_random},
    {"AclnnRandomIntegers", "reference", make_integers},
};

}  // namespace

std::span<const KernelRow> draw_rows() { return rows; }

}  // namespace belay::backend::cpu
