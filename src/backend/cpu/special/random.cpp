// SPDX-License-Identifier: Apache-2.0
// Random numbers. A seed other than 0 gives the same sequence for every model loaded with it; with 0 it is another one
// each time.
#include <algorithm>
#include <cmath>
#include <random>

#include "backend/cpu/arguments.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

using Generator = std::mt19937_64;

Generator make_generator(const graph::Node& node) {
  const auto seed = static_cast<uint64_t>(graph::int_of(node, "seed", 0));
  const auto second = static_cast<uint64_t>(graph::int_of(node, "seed2", 0));
  if (seed == 0 && second == 0) return Generator(std::random_device{}());
  std::seed_seq mixed{uint32_t(seed), uint32_t(seed >> 32), uint32_t(second), uint32_t(second >> 32)};
  return Generator(mixed);
}

// In [0, 1), of 24 bits: exact in a float, so that rounding never gives 1.
double uniform(Generator& generator) { return static_cast<double>(generator() >> 40) * 0x1p-24; }

// Box and Muller's.
double normal(Generator& generator) {
  const double radius = std::sqrt(-2 * std::log(1 - uniform(generator)));
  return radius * std::cos(2 * M_PI * uniform(generator));
}

template <double (*draw)(Generator&)>
MadeKernel make_random(const KernelRequest& request) {
  return with_type(FloatTypes{}, request.outputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([generator = make_generator(request.node)](Inputs, Outputs out) mutable -> Status {
      for (int64_t i = 0, count = out[0].count(); i < count; ++i) {
        // Rounding to a narrow type must not reach 1 either.
        const double value = draw(generator);
        out[0].as<T>()[i] =
            convert_element<T>(is_narrow_float<T> && draw == uniform ? std::floor(value * 128) / 128 : value);
      }
      return {};
    });
  });
}

// Classes drawn by their unnormalised log-probabilities.
template <class T>
Status draw_classes(Generator& generator, const Tensor& logits, const Tensor& y) {
  const int64_t classes = logits.shape[1], samples = y.shape[1];
  if (classes == 0) return refuse("there are no classes to draw from");
  std::vector<double> sums(static_cast<size_t>(classes));
  for (int64_t n = 0; n < logits.shape[0]; ++n) {
    const T* row = logits.as<T>() + n * classes;
    double highest = -INFINITY, sum = 0;
    for (int64_t c = 0; c < classes; ++c) highest = std::max(highest, static_cast<double>(compute_t<T>(row[c])));
    for (int64_t c = 0; c < classes; ++c)
      sums[c] = sum += std::exp(static_cast<double>(compute_t<T>(row[c])) - highest);
    for (int64_t s = 0; s < samples; ++s) {
      const double at = uniform(generator) * sum;
      const int64_t drawn =
          std::min<int64_t>(std::upper_bound(sums.begin(), sums.end(), at) - sums.begin(), classes - 1);
      if (y.type == DataType::Int64)
        y.as<int64_t>()[n * samples + s] = drawn;
      else
        y.as<int32_t>()[n * samples + s] = static_cast<int32_t>(drawn);
    }
  }
  return {};
}

MadeKernel make_multinomial(const KernelRequest& request) {
  const DataType type = request.outputs[0].type;
  if (type != DataType::Int32 && type != DataType::Int64) return refuse("its result must be int32 or int64");
  if (request.inputs[0].shape.size() != 2) return refuse("logits must be [batch, classes]");
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([generator = make_generator(request.node)](Inputs in, Outputs out) mutable {
      return draw_classes<T>(generator, in[0], out[0]);
    });
  });
}

constexpr KernelRow rows[] = {
    {"Multinomial", "reference", make_multinomial},
    {"RandomStandardNormal", "reference", make_random<normal>},
    {"RandomUniform", "reference", make_random<uniform>},
};

}  // namespace

std::span<const KernelRow> random_rows() { return rows; }

}  // namespace belay::backend::cpu
