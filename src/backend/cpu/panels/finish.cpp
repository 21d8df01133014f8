// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/panels/finish.h"

#include <limits>

namespace belay::backend::cpu::panels {
namespace {

void add_steps(const Eltwise& e, std::vector<Step>& steps) {
  switch (e.kind) {
    case EltwiseKind::Relu:
      steps.push_back(e.alpha == 0 ? Step{Map::Relu} : Step{Map::LeakyRelu, {e.alpha}});
      return;
    case EltwiseKind::Clip:
      steps.push_back({Map::Limit, {e.alpha, e.beta}});
      return;
    case EltwiseKind::Sigmoid:
      steps.push_back({Map::Sigmoid});
      return;
    case EltwiseKind::Tanh:
      steps.push_back({Map::Tanh});
      return;
    case EltwiseKind::Elu:
      steps.push_back({Map::Elu, {e.alpha, 1, 1}});
      return;
    case EltwiseKind::Swish:
      steps.push_back({Map::Swish, {e.alpha}});
      return;
    case EltwiseKind::HardSwish:
      steps.push_back({Map::HardSwish});
      return;
    case EltwiseKind::Mish:
      steps.push_back({Map::Mish});
      return;
    case EltwiseKind::GeluTanh:
      steps.push_back({Map::TanhGelu});
      return;
    case EltwiseKind::GeluErf:
      steps.push_back({Map::Gelu});
      return;
    case EltwiseKind::Linear:
      steps.push_back({Map::MultiplyValue, {e.alpha}});
      steps.push_back({Map::AddValue, {e.beta}});
      return;
  }
}

}  // namespace

std::vector<Step> steps_of(const Activation& activation) {
  std::vector<Step> steps;
  for (const Eltwise& e : activation) add_steps(e, steps);
  return steps;
}

Limits limits_of(std::span<const Step> steps) {
  if (steps.empty()) return {};
  const auto& [map, parameters] = steps[0];
  if (map == Map::Relu) return {true, 0, std::numeric_limits<float>::infinity(), steps.subspan(1)};
  if (map == Map::Limit) return {true, parameters[0], parameters[1], steps.subspan(1)};
  return {.rest = steps};
}

void take_steps(std::span<const Step> steps, float* y, int64_t rows, int64_t width, int64_t stride) {
  for (const Step& step : steps)
    map_rows(step.map, step.parameters, y, static_cast<size_t>(rows), static_cast<size_t>(width),
             static_cast<size_t>(stride));
}

}  // namespace belay::backend::cpu::panels
