// SPDX-License-Identifier: Apache-2.0
// Normalisation by statistics that belong to channels.
#include "backend/cpu/nn/batch_norm.h"
#include "backend/cpu/nn/training.h"

#include "backend/cpu/arguments.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/grain.h"
#include "backend/cpu/nn/statistics.h"
#include "backend/cpu/rows.h"
#include "base/threads/parallel.h"
#include "graph/infer/window.h"

namespace belay::backend::cpu {

namespace {

bool is_batch_norm(const graph::Node& node) { return node.type == "BatchNorm" || node.type == "BatchNorm3D"; }
bool trains(const graph::Node& node) { return is_batch_norm(node) && get_or(node.attributes, "is_training", true); }

double epsilon_of(const graph::Node& node) {
  return get_or(node.attributes, "epsilon", is_batch_norm(node) ? 1e-4f : 1e-5f);
}

Channels channels_of(const KernelRequest& request) {
  const std::string_view type = request.node.type;
  return read_channels(request, type == "BatchNorm" ? "NHWC" : type == "BatchNorm3D" ? "NCDHW" : "NCHW");
}

// y = x * factor + addend, one pair for each channel.
template <class T>
Status scale_channels(const Channels& c, const Tensor& x, const Tensor& y, const std::vector<double>& factors,
                      const std::vector<double>& addends) {
  parallel_for(c.batch * c.channels, grain_of(c.space), [&](int64_t begin, int64_t end) {
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

MadeKernel make_training(const KernelRequest& request) {
  const Channels c = channels_of(request);
  const double epsilon = epsilon_of(request.node);
  const double factor = get_or(request.node.attributes, "exponential_avg_factor", 1.0f);
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) { return train<T>(c, in, out, epsilon, factor); });
  });
}

MadeKernel make_batch_norm(const KernelRequest& request) {
  if (trains(request.node)) return make_training(request);
  const GivenStatistics g = TRY(read_given_statistics(request));
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const auto optional = [&](size_t i) {
        return i < in.size() && in[i].present ? reals(in[i]) : Result(std::vector<double>{});
      };
      const auto mean = TRY(reals(in[g.mean])), variance = TRY(reals(in[g.variance]));
      TRY(normalise<T>(g.channels, in[0], out[0], mean, variance, TRY(optional(g.scale)), TRY(optional(g.offset)),
                       g.epsilon));
      for (size_t o = 1; o < out.size(); ++o) TRY(write(out[o], o % 2 == 1 ? mean : variance));
      return {};
    });
  });
}

constexpr KernelRow rows[] = {
    {"BNTrainingReduce", "reference", make_batch_sums},      {"BNTrainingUpdate", "reference", make_batch_update},
    {"BinaryCrossEntropy", "reference", make_cross_entropy}, {"BNInfer", "reference", make_batch_norm},
    {"BNInferenceD", "reference", make_batch_norm},          {"BatchNorm", "reference", make_batch_norm},
    {"BatchNorm3D", "reference", make_batch_norm},
};

}  // namespace

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

Result<GivenStatistics> read_given_statistics(const KernelRequest& request) {
  const graph::Node& node = request.node;
  if (trains(node)) return refuse("it computes the statistics itself");
  const bool d = node.type == "BNInferenceD";
  const GivenStatistics g = d ? GivenStatistics{1, 2, 3, 4, epsilon_of(node), channels_of(request)}
                              : GivenStatistics{3, 4, 1, 2, epsilon_of(node), channels_of(request)};
  for (const size_t i : {g.mean, g.variance})
    if (i >= request.inputs.size() || !request.inputs[i].present)
      return refuse("mean and variance must be connected when is_training is false");
  return g;
}

std::span<const KernelRow> batch_norm_rows() { return rows; }

}  // namespace belay::backend::cpu
