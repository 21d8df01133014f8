// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/nn/loss.h"

#include <cmath>
#include <string>

#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"

namespace belay::backend::cpu {
namespace {

// Scores of shape [batches, classes, positions...] and one class index for each batch and position.
struct Loss {
  int64_t batches, classes, positions;
  std::string reduction;
  int64_t ignored;
};

Loss read_loss(const KernelRequest& request) {
  const Shape& shape = request.inputs[0].shape;
  Loss loss{shape[0], shape[1], 1, get_or(request.node.attributes, "reduction", std::string("mean")),
            get_or(request.node.attributes, "ignore_index", int64_t{-100})};
  for (size_t i = 2; i < shape.size(); ++i) loss.positions *= shape[i];
  return loss;
}

int64_t label_at(const Tensor& labels, int64_t index) {
  return labels.type == DataType::Int64 ? labels.as<int64_t>()[index] : labels.as<int32_t>()[index];
}

// -weight * log probability of the right class, summed or averaged as the reduction says; the sum of the weights.
template <class T, class LogProbability>
Result<double> reduce(const Loss& loss, const Tensor& labels, const Tensor* weights, const Tensor& y,
                      const LogProbability& log_probability) {
  double sum = 0, total = 0;
  const bool each = loss.reduction == "none";
  for (int64_t n = 0; n < loss.batches; ++n) {
    for (int64_t s = 0; s < loss.positions; ++s) {
      const int64_t at = n * loss.positions + s, label = label_at(labels, at);
      const bool counts = label != loss.ignored;
      if (counts && (label < 0 || label >= loss.classes))
        return Status{ACL_ERROR_RT_AICORE_EXCEPTION, "label " + std::to_string(at) + " is " + std::to_string(label) +
                                                         ", but there are " + std::to_string(loss.classes) +
                                                         " classes"};
      const double weight = !counts ? 0 : weights ? double(compute_t<T>(weights->as<T>()[label])) : 1;
      const double one = counts ? -weight * log_probability(n, label, s) : 0;
      if (each) y.as<T>()[at] = T(static_cast<compute_t<T>>(one));
      sum += one;
      total += weight;
    }
  }
  if (!each) y.as<T>()[0] = T(static_cast<compute_t<T>>(loss.reduction == "mean" ? sum / total : sum));
  return total;
}

Status check_labels(const KernelRequest& request) {
  const DataType type = request.inputs[1].type;
  if (request.inputs[0].shape.size() < 2) return refuse("the scores need at least two dimensions");
  if (type != DataType::Int32 && type != DataType::Int64) return refuse("the labels must be int32 or int64");
  return {};
}

const Tensor* weights_of(Inputs in) { return in.size() > 2 && in[2].present ? &in[2] : nullptr; }

}  // namespace

MadeKernel make_nll_loss(const KernelRequest& request) {
  TRY(check_labels(request));
  const Loss loss = read_loss(request);
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([loss](Inputs in, Outputs out) -> Status {
      const double total = TRY(reduce<T>(loss, in[1], weights_of(in), out[0], [&](int64_t n, int64_t c, int64_t s) {
        return double(compute_t<T>(in[0].as<T>()[(n * loss.classes + c) * loss.positions + s]));
      }));
      if (out.size() > 1 && out[1].data) out[1].as<T>()[0] = T(static_cast<compute_t<T>>(total));
      return {};
    });
  });
}

MadeKernel make_softmax_cross_entropy(const KernelRequest& request) {
  TRY(check_labels(request));
  const Loss loss = read_loss(request);
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([loss](Inputs in, Outputs out) -> Status {
      std::vector<double> logs(static_cast<size_t>(loss.batches * loss.classes * loss.positions));
      auto at = [&](int64_t n, int64_t c, int64_t s) {
        return static_cast<size_t>((n * loss.classes + c) * loss.positions + s);
      };
      for (int64_t n = 0; n < loss.batches; ++n) {
        for (int64_t s = 0; s < loss.positions; ++s) {
          double most = -INFINITY, sum = 0;
          for (int64_t c = 0; c < loss.classes; ++c)
            most = std::max(most, logs[at(n, c, s)] = double(compute_t<T>(in[0].as<T>()[at(n, c, s)])));
          for (int64_t c = 0; c < loss.classes; ++c) sum += std::exp(logs[at(n, c, s)] - most);
          const double rest = std::log(sum);
          for (int64_t c = 0; c < loss.classes; ++c) logs[at(n, c, s)] = logs[at(n, c, s)] - most - rest;
        }
      }
      (void)TRY(reduce<T>(loss, in[1], weights_of(in), out[0],
                          [&](int64_t n, int64_t c, int64_t s) { return logs[at(n, c, s)]; }));
      if (out.size() > 1 && out[1].data)
        for (size_t i = 0; i < logs.size(); ++i) out[1].as<T>()[i] = T(static_cast<compute_t<T>>(logs[i]));
      return {};
    });
  });
}

}  // namespace belay::backend::cpu
