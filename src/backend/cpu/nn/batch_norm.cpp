// SPDX-License-Identifier: Apache-2.0
// Normalisation by statistics that belong to channels.
#include "backend/cpu/arguments.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/nn/statistics.h"
#include "backend/cpu/rows.h"
#include "base/parallel.h"
#include "graph/window.h"

namespace belay::backend::cpu {

namespace {

// A tensor as batch x channels x space, whichever of the last two comes first.
struct Channels {
  int64_t batch = 1, channels = 1, space = 1;
  bool last = false;

  int64_t at(int64_t n, int64_t c, int64_t s) const {
    return last ? (n * space + s) * channels + c : (n * channels + c) * space + s;
  }
};

Channels read_channels(const KernelRequest& request, std::string_view fallback) {
  const Shape& x = request.inputs[0].shape;
  const std::string format = graph::data_format_of(request.node, fallback);
  Channels c;
  c.last = x.size() > 2 && format.ends_with('C');
  if (x.size() == 1) {
    c.channels = x[0];
    return c;
  }
  c.batch = x[0];
  c.channels = c.last ? x.back() : x[1];
  for (size_t d = 1; d < x.size(); ++d)
    if (d != (c.last ? x.size() - 1 : 1)) c.space *= x[d];
  return c;
}

// y = x * factor + addend, one pair for each channel.
template <class T>
Status scale_channels(const Channels& c, const Tensor& x, const Tensor& y, const std::vector<double>& factors,
                      const std::vector<double>& addends) {
  parallel_for(c.batch * c.channels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = i / c.channels, channel = i % c.channels;
      const double factor = factors[static_cast<size_t>(channel)], addend = addends[static_cast<size_t>(channel)];
      for (int64_t s = 0; s < c.space; ++s) {
        const int64_t at = c.at(n, channel, s);
        y.as<T>()[at] = convert_element<T>(static_cast<double>(compute_t<T>(x.as<T>()[at])) * factor + addend);
      }
    }
  });
  return {};
}

template <class T>
Status normalise(const Channels& c, const Tensor& x, const Tensor& y, const std::vector<double>& mean,
                 const std::vector<double>& variance, const std::vector<double>& scale,
                 const std::vector<double>& offset, double epsilon) {
  std::vector<double> factors(mean.size()), addends(mean.size());
  for (size_t i = 0; i < mean.size(); ++i) {
    factors[i] = (scale.empty() ? 1 : scale[i]) / std::sqrt(variance[i] + epsilon);
    addends[i] = (offset.empty() ? 0 : offset[i]) - mean[i] * factors[i];
  }
  return scale_channels<T>(c, x, y, factors, addends);
}

Status write(const Tensor& to, const std::vector<double>& values) {
  return with_type(FloatTypes{}, to.type, [&]<class T>() -> Status {
    for (size_t i = 0; i < values.size(); ++i) to.as<T>()[i] = convert_element<T>(values[i]);
    return {};
  });
}

// Statistics of this batch; the running ones move towards them by `factor`.
template <class T>
Status train(const Channels& c, Inputs in, Outputs out, double epsilon, double factor) {
  std::vector<double> mean, variance;
  for (int64_t channel = 0; channel < c.channels; ++channel) {
    const Moments m = moments_of(c.batch * c.space, [&](int64_t i) {
      return static_cast<double>(compute_t<T>(in[0].as<T>()[c.at(i / c.space, channel, i % c.space)]));
    });
    mean.push_back(m.mean);
    variance.push_back(m.variance);
  }
  TRY(normalise<T>(c, in[0], out[0], mean, variance, TRY(reals(in[1])), TRY(reals(in[2])), epsilon));
  std::vector<double> running_mean = mean, running_variance = variance;
  if (factor != 1 && in.size() > 4 && in[3].present && in[4].present) {
    const auto old_mean = TRY(reals(in[3])), old_variance = TRY(reals(in[4]));
    for (size_t i = 0; i < mean.size(); ++i) {
      running_mean[i] = old_mean[i] * (1 - factor) + mean[i] * factor;
      running_variance[i] = old_variance[i] * (1 - factor) + variance[i] * factor;
    }
  }
  for (size_t o = 1; o < out.size(); ++o)
    TRY(write(out[o], o == 1 ? running_mean : o == 2 ? running_variance : o % 2 == 1 ? mean : variance));
  return {};
}

MadeKernel make_batch_norm(const KernelRequest& request) {
  const graph::Attributes& attributes = request.node.attributes;
  const Channels c = read_channels(request, request.node.type == "BatchNorm3D" ? "NCDHW" : "NHWC");
  const double epsilon = get_or(attributes, "epsilon", 1e-4f);
  const double factor = get_or(attributes, "exponential_avg_factor", 1.0f);
  const bool training = get_or(attributes, "is_training", true);
  if (!training && (request.inputs.size() < 5 || !request.inputs[3].present || !request.inputs[4].present))
    return refuse("mean and variance must be connected when is_training is false");
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      if (training) return train<T>(c, in, out, epsilon, factor);
      const auto mean = TRY(reals(in[3])), variance = TRY(reals(in[4]));
      TRY(normalise<T>(c, in[0], out[0], mean, variance, TRY(reals(in[1])), TRY(reals(in[2])), epsilon));
      for (size_t o = 1; o < out.size(); ++o) TRY(write(out[o], o % 2 == 1 ? mean : variance));
      return {};
    });
  });
}

// The forms without training, whose inputs come in two orders.
template <size_t mean, size_t variance, size_t scale, size_t offset>
MadeKernel make_inference(const KernelRequest& request) {
  const Channels c = read_channels(request, "NCHW");
  const double epsilon = get_or(request.node.attributes, "epsilon", 1e-5f);
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const auto optional = [&](size_t i) {
        return i < in.size() && in[i].present ? reals(in[i]) : Result(std::vector<double>{});
      };
      return normalise<T>(c, in[0], out[0], TRY(reals(in[mean])), TRY(reals(in[variance])), TRY(optional(scale)),
                          TRY(optional(offset)), epsilon);
    });
  });
}

constexpr KernelRow rows[] = {
    {"BNInfer", "reference", make_inference<3, 4, 1, 2>},
    {"BNInferenceD", "reference", make_inference<1, 2, 3, 4>},
    {"BatchNorm", "reference", make_batch_norm},
    {"BatchNorm3D", "reference", make_batch_norm},
};

}  // namespace

std::span<const KernelRow> batch_norm_rows() { return rows; }

}  // namespace belay::backend::cpu
