// SPDX-License-Identifier: Apache-2.0
// To integers and back.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/quant/parameter.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

using QuantisableTypes = TypeList<float, double, Half, BFloat16, int32_t>;
using QuantisedTypes = TypeList<int8_t, uint8_t, int32_t>;

// Doubles stay what they are; all else is computed with as float.
template <class T>
using real_t = std::conditional_t<std::is_same_v<T, double>, double, float>;

Tensor input_or_absent(Inputs in, size_t i) { return i < in.size() ? in[i] : Tensor{.present = false}; }

// y = f(x, its scale, its offset) to an integer type, in float; of int32, which floats do not hold, in double.
template <class F>
Status each_quantised(const Tensor& x, const Parameter& scale, const Parameter& offset, Tensor& y, const F& f) {
  return with_type(QuantisableTypes{}, x.type, [&]<class T>() -> Status {
    using Real = std::conditional_t<std::is_same_v<T, int32_t>, double, real_t<T>>;
    return with_type(QuantisedTypes{}, y.type, [&]<class Q>() -> Status {
      parallel_for(x.count(), 8192, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end;) {
          const Real s = scale.at(i), o = offset.at(i);
          const int64_t until = std::min({end, scale.same_until(i), offset.same_until(i)});
          for (; i < until; ++i) y.as<Q>()[i] = saturated<Q>(f(Real(x.as<T>()[i]), s, o));
        }
      });
      return {};
    });
  });
}

Status check_quantised(const KernelRequest& request) {
  const DataType from = request.inputs[0].type, to = request.outputs[0].type;
  TRY(with_type(QuantisableTypes{}, from, []<class T>() { return Status{}; }));
  if (to == DataType::Int8 || to == DataType::UInt8 || to == DataType::Int32) return {};
  return refuse(formatted("quantising to {} is not supported", graph::name_of(to)));
}

// round(x / scale) + zero_point
MadeKernel make_quantize(const KernelRequest& request) {
  TRY(check_quantised(request));
  const int64_t axis = graph::int_of(request.node, "axis", 1);
  return function_kernel([=, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    const auto scale = TRY(Parameter::read(label, in[1], in[0].shape, axis, 1));
    const auto zero = TRY(Parameter::read(label, input_or_absent(in, 2), in[0].shape, axis, 0));
    return each_quantised(in[0], scale, zero, out[0], [](auto x, auto s, auto z) { return nearest_whole(x / s) + z; });
  });
}

// round(x * scale + offset), the scale squared in sqrt_mode.
MadeKernel make_ascend_quant(const KernelRequest& request) {
  TRY(check_quantised(request));
  const auto& node = request.node;
  const bool fixed = node.type == "AscendQuant", square = graph::flag_of(node, "sqrt_mode", false);
  const Rounding rounding = TRY(rounding_named(graph::text_of(node, "round_mode", "round")));
  const float own_scale = graph::get_or<float>(node.attributes, "scale", 1.0f);
  const float own_offset = graph::get_or<float>(node.attributes, "offset", 0.0f);
  const int64_t axis = graph::int_of(node, "axis", -1);
  return function_kernel([=, label = label_of(node)](Inputs in, Outputs out) -> Status {
    const auto scale = fixed ? Parameter::of(own_scale) : TRY(Parameter::read(label, in[1], in[0].shape, axis, 1));
    const auto offset =
        fixed ? Parameter::of(own_offset) : TRY(Parameter::read(label, input_or_absent(in, 2), in[0].shape, axis, 0));
    return each_quantised(in[0], scale, offset, out[0],
                          [=](auto x, auto s, auto o) { return rounded(rounding, (square ? x * s * s : x * s) + o); });
  });
}

// x * scale of int32; per channel, which is dimension 1 of an image and the last one of a matrix.
MadeKernel make_dequant(const KernelRequest& request) {
  const auto& node = request.node;
  const bool square = graph::flag_of(node, "sqrt_mode", false), relu = graph::flag_of(node, "relu_flag", false);
  if (request.inputs[0].type != DataType::Int32) return refuse("x must be int32");
  const int64_t axis = request.inputs[0].shape.size() > 3 ? 1 : -1;
  return function_kernel([=, label = label_of(node)](Inputs in, Outputs out) -> Status {
    const auto scale = TRY(Parameter::read(label, in[1], in[0].shape, axis, 1));
    return with_type(FloatTypes{}, out[0].type, [&]<class T>() -> Status {
      for (int64_t i = 0, count = in[0].count(); i < count; ++i) {
        using Real = real_t<T>;
        const Real s = scale.at(i), value = Real(in[0].as<int32_t>()[i]) * (square ? s * s : s);
        out[0].as<T>()[i] = T(relu ? std::max(value, Real(0)) : value);
      }
      return {};
    });
  });
}

// (x + offset) * scale
MadeKernel make_anti_quant(const KernelRequest& request) {
  const auto& node = request.node;
  const bool fixed = node.type == "AscendAntiQuant", square = graph::flag_of(node, "sqrt_mode", false);
  const float own_scale = graph::get_or<float>(node.attributes, "scale", 1.0f);
  const float own_offset = graph::get_or<float>(node.attributes, "offset", 0.0f);
  return function_kernel([=, label = label_of(node)](Inputs in, Outputs out) -> Status {
    const auto scale = fixed ? Parameter::of(own_scale) : TRY(Parameter::read(label, in[1], in[0].shape, -1, 1));
    const auto offset =
        fixed ? Parameter::of(own_offset) : TRY(Parameter::read(label, input_or_absent(in, 2), in[0].shape, -1, 0));
    return with_type(QuantisedTypes{}, in[0].type, [&]<class Q>() -> Status {
      return with_type(FloatTypes{}, out[0].type, [&]<class T>() -> Status {
        for (int64_t i = 0, count = in[0].count(); i < count; ++i) {
          const real_t<T> s = scale.at(i);
          out[0].as<T>()[i] = T((real_t<T>(in[0].as<Q>()[i]) + offset.at(i)) * (square ? s * s : s));
        }
        return {};
      });
    });
  });
}

// Each row with the scale (and offset) that its own range asks for.
template <class Real>
struct RowRange {
  bool symmetric;
  Real scale = 0, offset = 0;
  void fit(Real low, Real high) {
    if (symmetric) {
      scale = std::max(std::abs(low), std::abs(high)) / 127;
    } else {
      scale = (high - low) / 255;
      offset = scale == 0 ? 0 : 127 - high / scale;
    }
  }
  int8_t quantised(Real x) const {
    return scale == 0 ? int8_t(0) : saturated<int8_t>(std::nearbyint(x / scale + offset));
  }
};

template <class T>
void quantise_rows(const Tensor& x, const std::vector<double>& smooth, bool symmetric, Outputs out) {
  const int64_t width = x.shape.back(), count = width ? x.count() / width : 0;
  parallel_for(count, std::max<int64_t>(1, 8192 / std::max<int64_t>(1, width)), [&](int64_t begin, int64_t end) {
    using Real = real_t<T>;
    std::vector<Real> row(static_cast<size_t>(width));
    for (int64_t r = begin; r < end; ++r) {
      Real low = std::numeric_limits<Real>::infinity(), high = -low;
      for (int64_t i = 0; i < width; ++i) {
        Real& value = row[size_t(i)] = Real(x.as<T>()[r * width + i]);
        if (!smooth.empty()) value *= Real(smooth[size_t(i)]);
        low = std::min(low, value);
        high = std::max(high, value);
      }
      RowRange<Real> range{symmetric};
      range.fit(low, high);
      for (int64_t i = 0; i < width; ++i) out[0].as<int8_t>()[r * width + i] = range.quantised(row[size_t(i)]);
      out[1].as<Real>()[r] = range.scale;
      if (out.size() > 2) out[2].as<Real>()[r] = range.offset;
    }
  });
}

MadeKernel make_dynamic_quant(const KernelRequest& request) {
  const auto& node = request.node;
  if (request.outputs[0].type != DataType::Int8) return refuse("only int8 results are supported");
  if (request.inputs.size() > 2 && request.inputs[2].present) return refuse("group_index is not supported");
  if (const auto mode = graph::text_of(node, "quant_mode", "pertoken"); mode != "pertoken")
    return refuse(formatted("quant_mode {} is not supported", mode));
  const bool symmetric = node.type == "DynamicQuant" || graph::flag_of(node, "is_symmetrical", false);
  return function_kernel([=, label = label_of(node)](Inputs in, Outputs out) -> Status {
    std::vector<double> smooth;
    if (in.size() > 1 && in[1].present) smooth = TRY(reals(in[1]));
    if (!smooth.empty() && int64_t(smooth.size()) != in[0].shape.back())
      return failed(label, "smooth_scales needs a number for each element of a row");
    return with_type(FloatTypes{}, in[0].type, [&]<class T>() -> Status {
      quantise_rows<T>(in[0], smooth, symmetric, out);
      return {};
    });
  });
}

constexpr KernelRow rows[] = {
    {"Quantize", "reference", make_quantize},          {"AscendQuant", "reference", make_ascend_quant},
    {"AscendQuantV2", "reference", make_ascend_quant}, {"AscendDequant", "reference", make_dequant},
    {"AscendAntiQuant", "reference", make_anti_quant}, {"AscendAntiQuantV2", "reference", make_anti_quant},
    {"DynamicQuant", "reference", make_dynamic_quant}, {"DynamicQuantV2", "reference", make_dynamic_quant},
};

}  // namespace

std::span<const KernelRow> quantize_rows() { return rows; }

}  // namespace belay::backend::cpu
