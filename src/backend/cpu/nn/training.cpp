// SPDX-License-Identifier: Apache-2.0
// What training computes besides layers: the sums of a batch normalisation, its update, and BinaryCrossEntropy.
#include "backend/cpu/nn/training.h"

#include <cmath>

#include "backend/cpu/convert_element.h"
#include "backend/cpu/nn/batch_norm.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

using Numbers = std::vector<double>;

Numbers read(const Tensor& x) {
  Numbers made(static_cast<size_t>(x.count()));
  (void)with_type(FloatTypes{}, x.type, [&]<class T>() -> Status {
    for (size_t i = 0; i < made.size(); ++i) made[i] = static_cast<double>(compute_t<T>(x.as<T>()[i]));
    return {};
  });
  return made;
}

void write(const Numbers& values, Tensor& y) {
  (void)with_type(FloatTypes{}, y.type, [&]<class T>() -> Status {
    for (size_t i = 0; i < values.size(); ++i) y.as<T>()[i] = convert_element<T>(values[i]);
    return {};
  });
}

}  // namespace

// For each channel the sum of its elements, and of their squares.
MadeKernel make_batch_sums(const KernelRequest& request) {
  if (request.inputs[0].shape.size() < 2) return refuse("x must have two dimensions or more");
  const Channels c = read_channels(request, "NCHW");
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([c](Inputs in, Outputs out) -> Status {
      Numbers sums(static_cast<size_t>(c.channels)), squares(sums);
      parallel_for(c.channels, 1, [&](int64_t begin, int64_t end) {
        for (int64_t channel = begin; channel < end; ++channel)
          for (int64_t n = 0; n < c.batch; ++n)
            for (int64_t s = 0; s < c.space; ++s) {
              const auto x = static_cast<double>(compute_t<T>(in[0].as<T>()[c.at(n, channel, s)]));
              sums[static_cast<size_t>(channel)] += x;
              squares[static_cast<size_t>(channel)] += x * x;
            }
      });
      write(sums, out[0]);
      write(squares, out[1]);
      return {};
    });
  });
}

// The normalised batch, the running statistics moved towards it by `factor`, and its own.
MadeKernel make_batch_update(const KernelRequest& request) {
  if (request.inputs[0].shape.size() < 2) return refuse("x must have two dimensions or more");
  const Channels c = read_channels(request, "NCHW");
  for (size_t i = 1; i < 7; ++i)
    if (graph::element_count(request.inputs[i].shape) != c.channels)
      return refuse(formatted("input {} has shape {}; there are {} channels", i,
                              graph::to_text(request.inputs[i].shape), c.channels));
  const double factor = get_or(request.node.attributes, "factor", 0.0f),
               epsilon = get_or(request.node.attributes, "epsilon", 0.0f);
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const Numbers sums = read(in[1]), squares = read(in[2]), scale = read(in[3]), offset = read(in[4]);
      Numbers mean = read(in[5]), variance = read(in[6]), own_mean(mean), own_variance(mean);
      const auto count = static_cast<double>(c.batch * c.space);
      for (size_t i = 0; i < mean.size(); ++i) {
        own_mean[i] = sums[i] / count;
        own_variance[i] = std::max(0.0, squares[i] / count - own_mean[i] * own_mean[i]);
        const double unbiased = count > 1 ? own_variance[i] * count / (count - 1) : own_variance[i];
        mean[i] = mean[i] * (1 - factor) + own_mean[i] * factor;
        variance[i] = variance[i] * (1 - factor) + unbiased * factor;
      }
      parallel_for(c.batch * c.channels, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const auto channel = static_cast<size_t>(i % c.channels);
          const double by = scale[channel] / std::sqrt(own_variance[channel] + epsilon);
          for (int64_t s = 0; s < c.space; ++s) {
            const int64_t at = c.at(i / c.channels, i % c.channels, s);
            const auto x = static_cast<double>(compute_t<T>(in[0].as<T>()[at]));
            out[0].as<T>()[at] = convert_element<T>((x - own_mean[channel]) * by + offset[channel]);
          }
        }
      });
      write(mean, out[1]);
      write(variance, out[2]);
      write(own_mean, out[3]);
      write(own_variance, out[4]);
      return {};
    });
  });
}

// -weight * (y log x + (1 - y) log(1 - x)), logarithms at least -100; as it is, averaged or summed.
MadeKernel make_cross_entropy(const KernelRequest& request) {
  const auto &x = request.inputs[0], &y = request.inputs[1];
  const bool weighted = request.inputs.size() > 2 && request.inputs[2].present;
  if (x.type != y.type || x.shape != y.shape || (weighted && request.inputs[2].shape != x.shape))
    return refuse("x, y and weight must have one type and shape");
  const std::string reduction = get_or(request.node.attributes, "reduction", std::string("mean"));
  if (reduction != "none" && reduction != "mean" && reduction != "sum")
    return refuse(formatted("reduction {} is not none, mean or sum", reduction));
  if (x.type != DataType::Float && x.type != DataType::Float16 && x.type != DataType::BFloat16 &&
      x.type != DataType::Double)
    return refuse(formatted("type {} is not supported", graph::name_of(x.type)));
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const Numbers p = read(in[0]), target = read(in[1]), weight = weighted ? read(in[2]) : Numbers{};
    Numbers made(p.size());
    double sum = 0;
    for (size_t i = 0; i < p.size(); ++i) {
      const double yes = std::max(std::log(p[i]), -100.0), no = std::max(std::log(1 - p[i]), -100.0);
      made[i] = -(target[i] * yes + (1 - target[i]) * no) * (weighted ? weight[i] : 1);
      sum += made[i];
    }
    write(reduction == "none" ? made : Numbers{reduction == "sum" ? sum : sum / static_cast<double>(p.size())}, out[0]);
    return {};
  });
}

}  // namespace belay::backend::cpu
