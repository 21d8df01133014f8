// SPDX-License-Identifier: Apache-2.0
// Norms: statistics of a group in the type of sums, then a few steps for each element in its own type.
#include <algorithm>
#include <cmath>

#include "exact/models/norm_plan.h"
#include "exact/products/sum.h"
#include "graph/model/attribute.h"

namespace belay::exact {
namespace {

using graph::get_or;

// What a group's statistics may be off by.
struct Statistics {
  double mean = 0, variance = 0, factor = 1;
  double mean_error = 0, variance_error = 0, factor_share = 0;  // the last as a part of the factor
};

struct Units {
  double own, sum, terms;  // of the element's type, of sums, and the roundings of a sum over a group
};

// In two passes: the mean, then the squares of what is left.
template <class Error>
Statistics measure(const NormPlan& plan, int64_t begin, const Units& units, const Error& error) {
  Statistics s;
  const double n = plan.groups.size();
  double size = 0, moved = 0, moved_squares = 0;
  for (const int64_t member : plan.groups.members) {
    const double x = plan.x[static_cast<size_t>(begin + member)];
    s.mean += x / n;
    size += std::fabs(x) / n;
    moved += error(begin + member) / n;
  }
  if (!plan.centred) s.mean = 0;
  for (const int64_t member : plan.groups.members) {
    const double z = plan.x[static_cast<size_t>(begin + member)] - s.mean;
    s.variance += z * z / n;
    moved_squares += 2 * std::fabs(z) * error(begin + member) / n;
  }
  s.mean_error = plan.centred ? units.sum * (units.terms * size + 2 * std::fabs(s.mean)) + moved : 0;
  s.variance_error = s.variance * ((units.terms + 6) * units.sum + 2 * units.own) + s.mean_error * s.mean_error +
                     moved_squares + moved * moved;
  if (!plan.divides) return s;
  if (plan.epsilon_outside) {
    const double root = std::sqrt(s.variance);
    s.factor = 1 / (root + plan.epsilon);
    const double below = std::max(0.0, s.variance - s.variance_error);
    s.factor_share = (std::sqrt(s.variance + s.variance_error) - std::sqrt(below)) * s.factor + 3 * units.sum;
  } else {
    const double inside = plan.largest ? std::max(s.variance * n, plan.epsilon) / n : s.variance + plan.epsilon;
    s.factor = 1 / std::sqrt(plan.largest ? inside * n : inside);
    s.factor_share = s.variance_error / (2 * inside) + 4 * units.sum;
  }
  return s;
}

double element_error(const NormPlan& plan, const Statistics& s, int64_t at, double y, const Units& units,
                     double moved) {
  const double gain = std::fabs(plan.gain_at(at)), shift = plan.shift_at(at);
  const double z = std::fabs(plan.x[static_cast<size_t>(at)] - s.mean);
  const double scaled = z * s.factor * gain;
  const double error = gain * s.factor * (s.mean_error + moved) + scaled * (4 * units.own + s.factor_share) +
                       units.own * std::fabs(shift);
  if (!plan.swish) return error;
  const double before = (plan.x[static_cast<size_t>(at)] - s.mean) * s.factor * plan.gain_at(at) + shift;
  return 1.2 * (error + units.own * std::fabs(before)) +
         units.own * (5 + 2 * std::fabs(*plan.swish * before)) * std::fabs(y);
}

void set_statistic(std::span<Tracked> outputs, int output, size_t group, double error) {
  if (output < 0 || static_cast<size_t>(output) >= outputs.size()) return;
  Tracked& to = outputs[static_cast<size_t>(output)];
  const auto values = to.value.doubles();
  if (group >= values.size()) return;
  (*std::const_pointer_cast<std::vector<double>>(to.errors))[group] =
      with_rounding(rounding_of(to.stored), values[group], error);
}

Status norm(const Operation& operation, std::span<Tracked> outputs) {
  const NormPlan plan = TRY(plan_norm(operation));
  for (size_t i = 1; i < operation.inputs.size(); ++i)
    if (operation.inputs[i].errors && !(plan.added && i == 1))
      return not_checkable(operation.node, "its parameters may be rounded differently");
  for (Tracked& output : outputs)
    output.errors = std::make_shared<std::vector<double>>(static_cast<size_t>(output.value.count()));
  const Rounding& rounding = rounding_of(outputs[0].stored);
  const double n = plan.groups.size();
  const Units units{rounding.unit, sum_unit(outputs[0].stored),
                    roundings(n, n * repeated_part(operation.inputs[0].value))};
  const auto moved = [&](int64_t at) {
    double error = error_at(operation.inputs[0], at);
    if (plan.added)
      error += 2 * units.own * std::fabs(plan.x[static_cast<size_t>(at)]) + error_at(operation.inputs[1], at);
    return error;
  };
  auto& errors = *std::const_pointer_cast<std::vector<double>>(outputs[0].errors);
  const auto y = outputs[0].value.doubles();
  parallel_for(static_cast<int64_t>(plan.groups.begins.size()), 1, [&](int64_t from, int64_t until) {
    for (int64_t g = from; g < until; ++g) {
      const int64_t begin = plan.groups.begins[static_cast<size_t>(g)];
      const Statistics s = measure(plan, begin, units, moved);
      for (const int64_t member : plan.groups.members) {
        const auto at = static_cast<size_t>(begin + member);
        errors[at] =
            with_rounding(rounding, y[at], element_error(plan, s, begin + member, y[at], units, moved(begin + member)));
        if (plan.sum_output > 0)
          set_statistic(outputs, plan.sum_output, at, 2 * units.own * std::fabs(plan.x[at]) + moved(begin + member));
      }
      set_statistic(outputs, plan.mean_output, static_cast<size_t>(g), s.mean_error);
      set_statistic(outputs, plan.variance_output, static_cast<size_t>(g), s.variance_error);
      set_statistic(outputs, plan.deviation_output, static_cast<size_t>(g), s.factor * s.factor_share);
    }
  });
  return {};
}

// With statistics that are given: x * factor + addend, or as a norm.
Status batch_norm(const Operation& operation, std::span<Tracked> outputs) {
  const std::string& type = operation.node.type;
  if (type.starts_with("BatchNorm") && get_or(operation.node.attributes, "is_training", true))
    return not_checkable(operation.node, "it computes statistics of a batch, as training does");
  const size_t mean = type == "BNInferenceD" ? 1 : 3, variance = type == "BNInferenceD" ? 2 : 4;
  for (size_t i = 1; i < operation.inputs.size(); ++i)
    if (operation.inputs[i].errors) return not_checkable(operation.node, "its parameters may be rounded differently");
  const auto sizes = [&](bool widened) -> Result<std::vector<Value>> {
    auto values = magnitudes(operation, widened);
    values[variance] = operation.inputs[variance].value;
    std::vector<double> turned(values[mean].doubles().begin(), values[mean].doubles().end());
    for (double& value : turned) value = -value;
    values[mean] = make_value(values[mean].shape, turned);
    return operation.again(values);
  };
  const auto plain = TRY(sizes(false)), wide = operation.inexact() ? TRY(sizes(true)) : plain;
  const double unit = rounding_of(outputs[0].stored).unit;
  const auto sum = plain[0].doubles(), most = wide[0].doubles();
  outputs[0].errors = round_each(outputs[0], [&](int64_t i) {
    const auto e = static_cast<size_t>(i);
    return 6 * unit * std::fabs(most[e]) + std::fabs(most[e] - sum[e]);
  });
  return {};
}

// x / (bias + alpha * squares)^beta
Status local_response(const Operation& operation, std::span<Tracked> outputs) {
  if (operation.inexact()) return not_checkable(operation.node, "its inputs may be rounded differently");
  const double beta = get_or(operation.node.attributes, "beta", 0.5f);
  const double radius = static_cast<double>(get_or(operation.node.attributes, "depth_radius", int64_t{5}));
  Tracked& y = outputs[0];
  const double own = rounding_of(y.stored).unit, sums = sum_unit(y.stored);
  const auto x = operation.inputs[0].value.doubles(), values = y.value.doubles();
  y.errors = round_each(y, [&](int64_t i) {
    const auto e = static_cast<size_t>(i);
    const double size = std::fabs(values[e]), power = size > 0 ? std::fabs(std::log(std::fabs(x[e]) / size)) : 0;
    return size * (own * (6 + 3 * power) + beta * sums * (2 * radius + 8));
  });
  return {};
}

constexpr ErrorModelRow rows[] = {
    {"AddLayerNorm", norm},
    {"AddRmsNorm", norm},
    {"BNInfer", batch_norm},
    {"BNInferenceD", batch_norm},
    {"BatchNorm", batch_norm},
    {"BatchNorm3D", batch_norm},
    {"GroupNorm", norm},
    {"GroupNormSilu", norm},
    {"GroupNormSwish", norm},
    {"GroupNormV2", norm},
    {"InstanceNorm", norm},
    {"L2Normalize", norm},
    {"LRN", local_response},
    {"LayerNorm", norm},
    {"LayerNormV3", norm},
    {"LayerNormV4", norm},
    {"MVN", norm},
    {"MVNV2", norm},
    {"RmsNorm", norm},
};

}  // namespace

std::span<const ErrorModelRow> norm_models() { return rows; }

}  // namespace belay::exact
