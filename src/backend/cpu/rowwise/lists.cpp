// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls on lists of tensors whose parameters lie in tensors: ForeachRoundOffNumber,
// ForeachNonFiniteCheckAndUnscale.
#include <cmath>

#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

double to_odd(double x) {
  const double low = std::floor(x);
  return low == x || std::fmod(low, 2) != 0 ? low : low + 1;
}

using Round = double (*)(double);
// The modes 1 to 6: to even, down, up, half away from 0, towards 0, to odd.
constexpr Round kRounds[] = {[](double x) { return std::nearbyint(x); }, [](double x) { return std::floor(x); },
                             [](double x) { return std::ceil(x); },      [](double x) { return std::round(x); },
                             [](double x) { return std::trunc(x); },     to_odd};

MadeKernel make_round_off(const KernelRequest& request) {
  const WholeCall call(request);
  const auto from = call.inputs("x"), to = call.outputs(0);
  const int mode = call.input("mode");
  const int64_t fixed = call.has("fixed") ? static_cast<int64_t>(call.real("fixed")) : 0;
  if (from.size() != to.size()) return refuse(formatted("x has {} tensors, out {}", from.size(), to.size()));
  for (size_t i = 0; i < from.size(); ++i) {
    const auto &x = call.info(static_cast<int>(from[i])), &y = call.result(static_cast<int>(to[i]));
    if (x.type != y.type || x.shape != y.shape) return refuse("out must have the types and shapes of x");
    if (x.type != DataType::Float && x.type != DataType::Float16 && x.type != DataType::BFloat16)
      return refuse(formatted("x of {} is not supported", graph::name_of(x.type)));
  }
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const int64_t asked = mode < 0 ? fixed : TRY(integer(in[static_cast<size_t>(mode)]));
    if (asked < 1 || asked > 6)
      return failed("ForeachRoundOffNumber", formatted("roundMode is {}; it must be from 1 to 6", asked));
    for (size_t i = 0; i < from.size(); ++i) {
      auto values = all_floats(in[from[i]]);
      for (float& value : values) value = static_cast<float>(kRounds[asked - 1](value));
      write_floats(values.data(), static_cast<int64_t>(values.size()), out[to[i]], 0);
    }
    return {};
  });
}

// All tensors times a factor; `found` becomes 1 where an element was infinite or NaN, and is kept otherwise.
MadeKernel make_unscale(const KernelRequest& request) {
  const WholeCall call(request);
  const auto from = call.inputs("x"), to = call.outputs(0);
  const int found = call.even_empty("found"), factor = call.even_empty("factor"), told = call.output(1);
  if (call.info(found).type != DataType::Float || call.info(factor).type != DataType::Float ||
      graph::element_count(call.info(found).shape) != 1 || graph::element_count(call.info(factor).shape) != 1)
    return refuse("foundInf and invScale must be FLOAT with one element");
  std::vector<std::pair<size_t, size_t>> shared{{static_cast<size_t>(told), static_cast<size_t>(found)}};
  for (size_t i = 0; i < from.size(); ++i) {
    shared.emplace_back(to[i], from[i]);
    const DataType type = call.info(static_cast<int>(from[i])).type;
    if (type != DataType::Float && type != DataType::Float16 && type != DataType::BFloat16)
      return refuse(formatted("scaledGrads of {} are not supported", graph::name_of(type)));
  }
  return whole_kernel(shared, [=](Inputs in, Outputs out) -> Status {
    bool bad = false;
    const float by = in[static_cast<size_t>(factor)].as<float>()[0];
    const float before = in[static_cast<size_t>(found)].as<float>()[0];
    for (size_t i = 0; i < from.size(); ++i) {
      auto values = all_floats(in[from[i]]);
      for (float& value : values) {
        bad = bad || !std::isfinite(value);
        value *= by;
      }
      write_floats(values.data(), static_cast<int64_t>(values.size()), out[to[i]], 0);
    }
    out[static_cast<size_t>(told)].as<float>()[0] = bad ? 1 : before;
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"AclnnRoundOff", "reference", make_round_off},
    {"AclnnUnscale", "reference", make_unscale},
};

}  // namespace

std::span<const KernelRow> list_rows() { return rows; }

}  // namespace belay::backend::cpu
