// SPDX-License-Identifier: Apache-2.0
// Operators that compute each element by itself.
#include <algorithm>
#include <cmath>
#include <limits>

#include "exact/models/broadcast.h"
#include "exact/models/functions.h"
#include "exact/models/model.h"

namespace belay::exact {
namespace {

// How far the output moves when each input goes to either end of its interval.
Result<std::vector<double>> at_corners(const Operation& operation, const Value& y) {
  std::vector<size_t> moving;
  for (size_t i = 0; i < operation.inputs.size(); ++i)
    if (operation.inputs[i].errors) moving.push_back(i);
  std::vector<double> spread(static_cast<size_t>(y.count()));
  const auto middle = y.doubles();
  for (size_t corner = 0; corner < size_t{1} << moving.size(); ++corner) {
    std::vector<Value> values = operation.values();
    for (size_t m = 0; m < moving.size(); ++m) {
      const auto center = values[moving[m]].doubles();
      const auto& errors = *operation.inputs[moving[m]].errors;
      std::vector<double> moved(center.size());
      for (size_t i = 0; i < moved.size(); ++i) moved[i] = center[i] + (corner >> m & 1 ? errors[i] : -errors[i]);
      values[moving[m]] = make_value(values[moving[m]].shape, moved);
    }
    const auto made = TRY(operation.again(values));
    const auto ends = made[0].doubles();
    for (size_t i = 0; i < spread.size(); ++i) spread[i] = std::max(spread[i], error_between(ends[i], middle[i]));
  }
  return spread;
}

// The same for a function that is known here.
std::vector<double> at_ends(const Operation& operation, const Function& function, const Broadcast& places,
                            const Value& y) {
  std::vector<double> spread(static_cast<size_t>(y.count()));
  const auto middle = y.doubles();
  const size_t inputs = std::min(operation.inputs.size(), Broadcast::most);
  parallel_for(static_cast<int64_t>(spread.size()), 1 << 12, [&](int64_t begin, int64_t end) {
    places.visit(begin, end, [&](int64_t i, const int64_t* at) {
      const auto e = static_cast<size_t>(i);
      double x[Broadcast::most], error[Broadcast::most] = {};
      places.load(at, x);
      for (size_t k = 0; k < inputs; ++k) error[k] = error_at(operation.inputs[k], at[k]);
      for (size_t corner = 0; corner < size_t{1} << inputs; ++corner) {
        double moved[Broadcast::most];
        for (size_t k = 0; k < inputs; ++k) moved[k] = x[k] + (corner >> k & 1 ? error[k] : -error[k]);
        spread[e] = std::max(spread[e], error_between(function.direct(moved), middle[e]));
      }
    });
  });
  return spread;
}

// A divisor whose interval has zero in it.
bool divides(std::string_view op) {
  return op == "Div" || op == "RealDiv" || op == "DivNoNan" || op == "Xdivy" || op == "Inv" || op == "Reciprocal" ||
         op == "Addcdiv";
}
void open_at_zero(const Operation& operation, const Broadcast& places, std::vector<double>& spread) {
  const size_t divisor = operation.node.type == "Addcdiv" ? 2 : operation.inputs.size() > 1 ? 1 : 0;
  const Tracked& input = operation.inputs[divisor];
  if (!input.errors) return;
  const auto x = input.value.doubles();
  places.visit(0, static_cast<int64_t>(spread.size()), [&](int64_t i, const int64_t* at) {
    if (std::fabs(x[static_cast<size_t>(at[divisor])]) <= error_at(input, at[divisor]))
      spread[static_cast<size_t>(i)] = std::numeric_limits<double>::infinity();
  });
}

Result<std::vector<double>> inherited(const Operation& operation, const Function& function, const Broadcast& places,
                                      const Value& y) {
  if (!operation.inexact()) return std::vector<double>();
  if (function.steepness > 0) {
    std::vector<double> spread = *operation.inputs[0].errors;
    for (double& error : spread) error *= function.steepness;
    return spread;
  }
  if (function.direct) return at_ends(operation, function, places, y);
  std::vector<double> spread = TRY(at_corners(operation, y));
  if (divides(operation.node.type)) open_at_zero(operation, places, spread);
  return spread;
}

// How much of an error leaves the result where the function's results are; the last step may go a unit beyond.
double within_range(const Function& function, double y, double error, double unit) {
  if (std::isnan(error)) return error;
  const double most = function.most + 2 * unit * std::fabs(function.most);
  const double least = function.least - 2 * unit * std::fabs(function.least);
  return std::max(std::min(y + error, most) - y, y - std::max(y - error, least));
}

Status each(const Operation& operation, std::span<Tracked> outputs) {
  Tracked& y = outputs[0];
  if (!y.value.real()) return {};
  const Function& function = function_of(operation.node.type);
  const Broadcast places(operation, y.value.shape);
  const auto spread = TRY(inherited(operation, function, places, y.value));
  if (!function.steps) {
    if (!spread.empty()) y.errors = std::make_shared<const std::vector<double>>(spread);
    return {};
  }
  const auto values = y.value.doubles();
  auto errors = std::make_shared<std::vector<double>>(values.size());
  const Rounding& rounding = rounding_of(y.stored);
  parallel_for(static_cast<int64_t>(values.size()), 1 << 12, [&](int64_t begin, int64_t end) {
    places.visit(begin, end, [&](int64_t i, const int64_t* at) {
      double x[Broadcast::most];
      places.load(at, x);
      const auto e = static_cast<size_t>(i);
      const double steps = function.cut ? function.cut(x, values[e], rounding.unit, operation.node)
                                        : rounding.unit * function.steps(x, values[e], operation.node);
      const double before = steps + (spread.empty() ? 0 : spread[e]);
      (*errors)[e] = with_rounding(rounding, values[e], within_range(function, values[e], before, rounding.unit));
    });
  });
  y.errors = std::move(errors);
  return {};
}

}  // namespace

std::span<const ErrorModelRow> elementwise_models() {
  static const auto* rows = [] {
    auto* made = new std::vector<ErrorModelRow>;
    for (const Function& function : unary_functions()) made->push_back({function.op, each});
    for (const Function& function : other_functions()) made->push_back({function.op, each});
    return made;
  }();
  return *rows;
}

}  // namespace belay::exact
