// SPDX-License-Identifier: Apache-2.0
// Normalisation by sums of squares: RmsNorm, sums followed by a norm, LRN, L2Normalize.
#include <algorithm>

#include "backend/cpu/arguments.h"
#include "backend/cpu/axes_split.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/grain.h"
#include "backend/cpu/nn/statistics.h"
#include "backend/cpu/rows.h"
#include "base/threads/parallel.h"
#include "graph/infer/window.h"

namespace belay::backend::cpu {

namespace {

// One row of the last dimensions, in double.
using Row = std::vector<double>;

void scale_by_root(Row& row, double epsilon, double& factor) {
  double squares = 0;
  for (const double value : row) squares += value * value;
  factor = 1 / std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
  for (double& value : row) value *= factor;
}

template <class T>
void load(const Tensor& x, int64_t start, Row& row) {
  for (size_t i = 0; i < row.size(); ++i) row[i] = compute_t<T>(x.as<T>()[start + static_cast<int64_t>(i)]);
}
template <class T>
void store(const Tensor& y, int64_t start, const Row& row) {
  for (size_t i = 0; i < row.size(); ++i) y.as<T>()[start + static_cast<int64_t>(i)] = convert_element<T>(row[i]);
}

// As the type holds it.
template <class T>
void round_to_type(Row& row) {
  for (double& value : row) value = static_cast<double>(compute_t<T>(convert_element<T>(value)));
}

// Statistics are floats, or doubles where all is.
void store_statistic(const Tensor& to, int64_t row, double value) {
  if (to.type == DataType::Double)
    to.as<double>()[row] = value;
  else
    to.as<float>()[row] = static_cast<float>(value);
}

// AddRmsNorm norms the sum as its type holds it, and rounds what is multiplied by gamma, as the device does.
MadeKernel make_rms_norm(const KernelRequest& request) {
  const bool adds = request.node.type == "AddRmsNorm";
  const size_t gamma = adds ? 2 : 1;
  const int64_t length = graph::element_count(request.inputs[gamma].shape);
  const double epsilon = get_or(request.node.attributes, "epsilon", 1e-6f);
  const double gain_shift = request.node.type == "GemmaRmsNorm" ? 1 : 0;
  if (length == 0) return refuse("gamma is empty");
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const auto gains = TRY(reals(in[gamma]));
      parallel_for(in[0].count() / length, grain_of(4 * length), [&](int64_t begin, int64_t end) {
        Row row(static_cast<size_t>(length)), other(row.size());
        for (int64_t r = begin; r < end; ++r) {
          load<T>(in[0], r * length, row);
          if (adds) {
            load<T>(in[1], r * length, other);
            for (size_t i = 0; i < row.size(); ++i) row[i] += other[i];
            store<T>(out[2], r * length, row);
            round_to_type<T>(row);
          }
          double factor = 0;
          scale_by_root(row, epsilon, factor);
          if (adds) round_to_type<T>(row);
          for (size_t i = 0; i < row.size(); ++i) row[i] *= gains[i] + gain_shift;
          store<T>(out[0], r * length, row);
          if (out.size() > 1) store_statistic(out[1], r, factor);
        }
      });
      return {};
    });
  });
}

MadeKernel make_add_layer_norm(const KernelRequest& request) {
  const int64_t length = graph::element_count(request.inputs[2].shape);
  const double epsilon = get_or(request.node.attributes, "epsilon", 1e-5f);
  if (length == 0) return refuse("gamma is empty");
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const auto gains = TRY(reals(in[2])), shifts = TRY(reals(in[3]));
      const bool biased = in.size() > 4 && in[4].present;
      const int64_t bias_rows = biased ? std::max<int64_t>(in[4].count() / length, 1) : 1;
      Row row(static_cast<size_t>(length)), other(row.size());
      for (int64_t r = 0; r < in[0].count() / length; ++r) {
        load<T>(in[0], r * length, row);
        load<T>(in[1], r * length, other);
        for (size_t i = 0; i < row.size(); ++i) row[i] += other[i];
        if (biased) {
          load<T>(in[4], r % bias_rows * length, other);
          for (size_t i = 0; i < row.size(); ++i) row[i] += other[i];
        }
        store<T>(out[3], r * length, row);
        const Moments m = moments_of(length, [&](int64_t i) { return row[static_cast<size_t>(i)]; });
        const double factor = 1 / std::sqrt(m.variance + epsilon);
        for (size_t i = 0; i < row.size(); ++i) row[i] = (row[i] - m.mean) * factor * gains[i] + shifts[i];
        store<T>(out[0], r * length, row);
        store_statistic(out[1], r, m.mean);
        store_statistic(out[2], r, factor);
      }
      return {};
    });
  });
}

MadeKernel make_l2_normalize(const KernelRequest& request) {
  auto axes = get_or(request.node.attributes, "axis", std::vector<int64_t>{});
  const size_t rank = request.inputs[0].shape.size();
  for (size_t d = 0;
       d < rank && axes.size() < rank && get_or(request.node.attributes, "axis", std::vector<int64_t>{}).empty(); ++d)
    axes.push_back(static_cast<int64_t>(d));
  const AxesSplit split(request.inputs[0].shape, axes);
  const double epsilon = get_or(request.node.attributes, "eps", 1e-4f);
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      for (const int64_t base : split.kept) {
        double squares = 0;
        for (const int64_t offset : split.reduced) {
          const double value = compute_t<T>(in[0].as<T>()[base + offset]);
          squares += value * value;
        }
        const double divisor = std::sqrt(std::max(squares, epsilon));
        for (const int64_t offset : split.reduced)
          out[0].as<T>()[base + offset] =
              convert_element<T>(static_cast<double>(compute_t<T>(in[0].as<T>()[base + offset])) / divisor);
      }
      return {};
    });
  });
}

// Each element is divided by a power of the squares of its neighbours in channels.
MadeKernel make_lrn(const KernelRequest& request) {
  const graph::Attributes& attributes = request.node.attributes;
  if (get_or(attributes, "norm_region", std::string("ACROSS_CHANNELS")) != "ACROSS_CHANNELS")
    return refuse("only norm_region ACROSS_CHANNELS is supported");
  const Shape& x = request.inputs[0].shape;
  if (x.size() < 2) return refuse("x must have two dimensions or more");
  const bool last = graph::data_format_of(request.node, "NCHW").ends_with('C');
  const int64_t channels = last ? x.back() : x[1];
  int64_t inner = 1;
  for (size_t d = 2; d < x.size() && !last; ++d) inner *= x[d];
  const int64_t radius = get_or(attributes, "depth_radius", int64_t{5});
  const int64_t behind = get_or(attributes, "size", 2 * radius + 1) / 2;  // ours: ONNX has even windows too
  const double bias = get_or(attributes, "bias", 1.0f), alpha = get_or(attributes, "alpha", 1.0f);
  const double beta = get_or(attributes, "beta", 0.5f);
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const T* from = in[0].as<T>();
      parallel_for(in[0].count(), 4096, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t c = i / inner % channels;
          double squares = 0;
          for (int64_t k = std::max<int64_t>(c - radius, 0); k <= std::min(c + behind, channels - 1); ++k) {
            const double value = compute_t<T>(from[i + (k - c) * inner]);
            squares += value * value;
          }
          out[0].as<T>()[i] =
              convert_element<T>(static_cast<double>(compute_t<T>(from[i])) / std::pow(bias + alpha * squares, beta));
        }
      });
      return {};
    });
  });
}

// The mean, maximum or p-norm of each channel's plane.
template <int kind>
MadeKernel make_global_pool(const KernelRequest& request) {
  const double p = get_or(request.node.attributes, "p", 2.0f);
  const Shape& x = request.inputs[0].shape;
  if (x.size() < 2) return refuse("x must have two dimensions or more");
  const int64_t planes = x[0] * x[1], space = planes == 0 ? 0 : graph::element_count(x) / planes;
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      for (int64_t plane = 0; plane < planes; ++plane) {
        double total = kind == 1 ? -std::numeric_limits<double>::infinity() : 0;
        for (int64_t s = 0; s < space; ++s) {
          const double value = compute_t<T>(in[0].as<T>()[plane * space + s]);
          if (kind == 0) total += value;
          if (kind == 1 && (value > total || std::isnan(value))) total = std::isnan(total) ? total : value;
          if (kind == 2) total += std::pow(std::fabs(value), p);
        }
        if (kind == 0) total /= static_cast<double>(space);
        if (kind == 2) total = std::pow(total, 1 / p);
        out[0].as<T>()[plane] = convert_element<T>(total);
      }
      return {};
    });
  });
}

constexpr KernelRow rows[] = {
    {"AddLayerNorm", "reference", make_add_layer_norm},
    {"AddRmsNorm", "reference", make_rms_norm},
    {"GlobalAveragePool", "reference", make_global_pool<0>},
    {"GlobalLpPool", "reference", make_global_pool<2>},
    {"GlobalMaxPool", "reference", make_global_pool<1>},
    {"L2Normalize", "reference", make_l2_normalize},
    {"LRN", "reference", make_lrn},
    {"RmsNorm", "reference", make_rms_norm},
};

}  // namespace

std::span<const KernelRow> scale_norm_rows() { return rows; }

}  // namespace belay::backend::cpu
