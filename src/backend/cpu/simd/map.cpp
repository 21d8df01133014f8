// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of one tensor.
#include <cstring>

#include "backend/cpu/rows.h"
#include "backend/cpu/simd/elementwise_kernel.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

template <Map f>
MadeKernel make(const KernelRequest& request) {
  return map_kernel(request, f);
}

MapParameters numbers_of(const KernelRequest& request, std::initializer_list<std::pair<const char*, float>> names) {
  MapParameters parameters{};
  size_t i = 0;
  for (const auto& [name, otherwise] : names) parameters[i++] = graph::get_or(request.node.attributes, name, otherwise);
  return parameters;
}

MadeKernel make_relu6(const KernelRequest& request) { return map_kernel(request, Map::Limit, {0, 6}); }
MadeKernel make_hardtanh(const KernelRequest& request) {
  return map_kernel(request, Map::Limit, numbers_of(request, {{"min_val", -1.0f}, {"max_val", 1.0f}}));
}
MadeKernel make_leaky_relu(const KernelRequest& request) {
  return map_kernel(request, Map::LeakyRelu, numbers_of(request, {{"negative_slope", 0.0f}}));
}
MadeKernel make_hard_sigmoid(const KernelRequest& request) {
  return map_kernel(request, Map::HardSigmoid, numbers_of(request, {{"alpha", 0.16666666f}, {"beta", 0.5f}}));
}
MadeKernel make_swish(const KernelRequest& request) {
  return map_kernel(request, Map::Swish, numbers_of(request, {{"scale", 1.0f}}));
}
MadeKernel make_elu(const KernelRequest& request) {
  const auto parameters = numbers_of(request, {{"alpha", 1.0f}, {"scale", 1.0f}, {"input_scale", 1.0f}});
  if (parameters[2] < 0) return refuse("input_scale is below 0");
  return map_kernel(request, Map::Elu, parameters);
}
MadeKernel make_gelu_v2(const KernelRequest& request) {
  const bool tanh = graph::get_or(request.node.attributes, "approximate", std::string("none")) == "tanh";
  return map_kernel(request, tanh ? Map::TanhGelu : Map::Gelu);
}
MadeKernel make_adds(const KernelRequest& request) {
  return map_kernel(request, Map::AddValue, numbers_of(request, {{"value", 0.0f}}));
}
MadeKernel make_muls(const KernelRequest& request) {
  return map_kernel(request, Map::MultiplyValue, numbers_of(request, {{"value", 0.0f}}));
}
MadeKernel make_exp(const KernelRequest& request) {
  const auto [base, scale, shift] = numbers_of(request, {{"base", -1.0f}, {"scale", 1.0f}, {"shift", 0.0f}});
  if (base > 0 || scale != 1 || shift != 0) return refuse("only e to the power of x is supported here");
  return map_kernel(request, Map::Exp);
}

MadeKernel make_log(const KernelRequest& request) {
  const auto [base, scale, shift] = numbers_of(request, {{"base", -1.0f}, {"scale", 1.0f}, {"shift", 0.0f}});
  if (base > 0 || scale != 1 || shift != 0) return refuse("only the natural logarithm of x is supported here");
  return map_kernel(request, Map::Log);
}

// The one element of a constant float input.
Result<float> constant_of(const KernelRequest& request, size_t input) {
  const graph::TensorInfo& info = request.inputs[input];
  if (!info.present || !info.value || info.type != DataType::Float || graph::element_count(info.shape) != 1)
    return refuse(formatted("input {} is not one constant float", input));
  float value;
  std::memcpy(&value, info.value->bytes.data(), sizeof(value));
  return value;
}

// A constant exponent that has a function of its own.
MadeKernel make_pow(const KernelRequest& request) {
  if (request.inputs[0].shape != request.outputs[0].shape) return refuse("the exponent has more dimensions than x");
  const float exponent = TRY(constant_of(request, 1));
  if (exponent == 2) return map_kernel(request, Map::Square);
  if (exponent == 3) return map_kernel(request, Map::Cube);
  if (exponent == 0.5f) return map_kernel(request, Map::SqrtOfPower);
  if (exponent == -1) return map_kernel(request, Map::Reciprocal);
  if (exponent == 1) return map_kernel(request, Map::AddValue, {-0.0f});
  return refuse(formatted("exponent {} is not 3, 2, 1, 0.5 or -1", exponent));
}

MadeKernel make_clip(const KernelRequest& request) {
  if (request.inputs.size() < 3 || request.inputs[0].shape != request.outputs[0].shape)
    return refuse("the limits must be two constants");
  const float least = TRY(constant_of(request, 1));
  const float most = TRY(constant_of(request, 2));
  return map_kernel(request, Map::Limit, {least, most});
}

constexpr KernelRow rows[] = {
    {"Abs", "simd", make<Map::Abs>},
    {"Adds", "simd", make_adds},
    {"Ceil", "simd", make<Map::Ceil>},
    {"ClipByValue", "simd", make_clip},
    {"ClipByValueV2", "simd", make_clip},
    {"Cos", "simd", make<Map::Cos>},
    {"Elu", "simd", make_elu},
    {"Erf", "simd", make<Map::Erf>},
    {"Exp", "simd", make_exp},
    {"FastGelu", "simd", make<Map::FastGelu>},
    {"Floor", "simd", make<Map::Floor>},
    {"Gelu", "simd", make<Map::Gelu>},
    {"GeluV2", "simd", make_gelu_v2},
    {"HardSigmoid", "simd", make_hard_sigmoid},
    {"HardSwish", "simd", make<Map::HardSwish>},
    {"HardtanhV2", "simd", make_hardtanh},
    {"Inv", "simd", make<Map::Reciprocal>},
    {"LeakyRelu", "simd", make_leaky_relu},
    {"Log", "simd", make_log},
    {"Mish", "simd", make<Map::Mish>},
    {"Muls", "simd", make_muls},
    {"Neg", "simd", make<Map::Negative>},
    {"Pow", "simd", make_pow},
    {"Reciprocal", "simd", make<Map::Reciprocal>},
    {"Relu", "simd", make<Map::Relu>},
    {"Relu6", "simd", make_relu6},
    {"Rsqrt", "simd", make<Map::Rsqrt>},
    {"Sigmoid", "simd", make<Map::Sigmoid>},
    {"Sin", "simd", make<Map::Sin>},
    {"Sqrt", "simd", make<Map::Sqrt>},
    {"Square", "simd", make<Map::Square>},
    {"Swish", "simd", make_swish},
    {"Tanh", "simd", make<Map::Tanh>},
};

}  // namespace

std::span<const KernelRow> simd_map_rows() { return rows; }

}  // namespace belay::backend::cpu
