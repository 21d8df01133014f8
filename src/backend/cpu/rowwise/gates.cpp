// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls of gated units: one half of a row, activated, times the other, as floats or whole numbers.
#include <cmath>

#include "backend/cpu/arguments.h"
#include "backend/cpu/quant/grouped.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/rowwise/whole_row.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

// How the halves become one. The activated half comes first, unless `second`.
struct Gate {
  enum class Kind { Activation, Clipped, Limited, Situ };
  Kind kind = Kind::Activation;
  int64_t act = 5;  // as `activated` numbers them
  bool second = false, interleaved = false, ceiling = false;
  float alpha = 1, limit = INFINITY, bias = 0, linear = 0;

  // Of a row of 2 * count: the result, and the activated half when it is asked for.
  void run(const float* row, int64_t count, float* y, float* gate) const {
    for (int64_t c = 0; c < count; ++c) {
      const float left = interleaved ? row[2 * c] : row[c], right = interleaved ? row[2 * c + 1] : row[count + c];
      const float a = second ? right : left, b = second ? left : right;
      if (kind == Kind::Clipped) {
        const float x = std::min(a, limit);
        y[c] = x * sigmoid(alpha * x) * (std::clamp(b, -limit, limit) + bias);
      } else if (kind == Kind::Limited) {
        const float x = ceiling ? activated(5, std::min(a, limit)) : std::min(activated(5, a), limit);
        y[c] = x * std::clamp(b, -limit, limit);
      } else if (kind == Kind::Situ) {
        const float up = linear > 0 ? linear * std::tanh(b / linear) : b;
        y[c] = alpha * std::tanh(a / alpha) * sigmoid(a) * up;
      } else {
        const float x = activated(act, a);
        if (gate) gate[c] = x;
        y[c] = x * b;
      }
    }
  }
  static float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
};

Result<Gate> gate_of(const WholeCall& call) {
  const auto real = [&](const char* name, double fallback) { return static_cast<float>(call.real(name, fallback)); };
  Gate made;
  const std::string kind = call.text("kind", "activation");
  made.kind = kind == "clipped"   ? Gate::Kind::Clipped
              : kind == "limited" ? Gate::Kind::Limited
              : kind == "situ"    ? Gate::Kind::Situ
                                  : Gate::Kind::Activation;
  made.act = call.integer("act", 5);
  if (call.has("gelu")) made.act = call.integer("gelu") == 1 ? 2 : 3;
  if (const std::string name = call.text("gelu_name"); name != "" && name != "none" && name != "tanh")
    return refuse(formatted("approximate \"{}\" is not \"none\" or \"tanh\"", name));
  else if (name == "tanh")
    made.act = 2;
  made.second = call.has("left") && !call.flag("left");
  made.interleaved = call.flag("interleaved"), made.ceiling = call.flag("ceiling");
  made.alpha = real("alpha", 1), made.limit = real("limit", INFINITY), made.bias = real("added", 0);
  made.linear = real("linear", 0);
  if (const int64_t mode = call.integer("swiglu_mode", 0); mode != 0) {  // DequantSwigluQuantV2's
    if (mode < 1 || mode > 3) return refuse(formatted("swigluMode is {}; it must be from 0 to 3", mode));
    made.kind = mode == 3 ? Gate::Kind::Limited : Gate::Kind::Clipped;
    made.interleaved = mode == 1;
  }
  return made;
}

// Rows of two halves along a dimension.
struct Halves {
  int64_t rows, count;  // `count` of each half

  static Result<Halves> of(const WholeCall& call, const graph::TensorInfo& x) {
    const auto rank = static_cast<int64_t>(x.shape.size());
    int64_t dim = call.integer("dim", -1);
    if (rank == 0 || dim < -rank || dim >= rank) return refuse(formatted("dim is {}; x has {} dimensions", dim, rank));
    if (dim < 0) dim += rank;
    const auto d = static_cast<size_t>(dim);
    const int64_t after = product(x.shape, d, x.shape.size());
    const bool whole = call.flag("flat");  // the dimensions from dim on are one row
    if ((whole ? after : x.shape[d]) % 2 != 0)
      return refuse(formatted("x has shape {}; the size along dim {} must be even", graph::to_text(x.shape), dim));
    return Halves{product(x.shape, 0, d), after / 2};
  }
};

struct GateCall {
  Gate gate;
  Halves halves;
  int x, groups, weight, y, outer;
  bool sizes;

  Status run(Inputs in, Outputs out) const {
    int64_t rows = halves.rows;
    if (groups >= 0) {
      int64_t sum = 0;
      for (const int64_t each : TRY(integers(in[static_cast<size_t>(groups)]))) sum += each;
      rows = std::clamp<int64_t>(sum, 0, rows);
    }
    const auto weights = all_floats(tensor_at(in, weight));
    const int64_t n = halves.count;
    parallel_for(rows, std::max<int64_t>(1, 4096 / std::max<int64_t>(n, 1)), [&](int64_t begin, int64_t end) {
      std::vector<float> row(static_cast<size_t>(2 * n)), made(static_cast<size_t>(n)), half(made);
      for (int64_t r = begin; r < end; ++r) {
        read_floats(in[static_cast<size_t>(x)], r * 2 * n, 2 * n, row.data());
        gate.run(row.data(), n, made.data(), outer >= 0 ? half.data() : nullptr);
        for (float& value : made)
          if (!weights.empty()) value *= weights[static_cast<size_t>(r)];
        write_floats(made.data(), n, out[static_cast<size_t>(y)], r * n);
        if (outer >= 0) write_floats(half.data(), n, out[static_cast<size_t>(outer)], r * n);
      }
    });
    return {};
  }
};

MadeKernel make_gate(const KernelRequest& request) {
  const WholeCall call(request);
  const auto& x = call.info(call.even_empty("x"));
  if (!is_real(x.type)) return refuse(formatted("x of {} is not supported", graph::name_of(x.type)));
  const Gate gate = TRY(gate_of(call));
  const Halves halves = TRY(Halves::of(call, x));
  GateCall op{gate,           halves, call.even_empty("x"), call.input("groups"), call.input("weight"), call.output(0),
              call.output(1), true};
  for (const int output : {op.y, op.outer}) {
    if (output < 0) continue;
    const auto& y = call.result(output);
    if (!is_real(y.type) || graph::element_count(y.shape) != op.halves.rows * op.halves.count)
      return refuse(formatted("the result is {} {}; x has shape {}, of which it has one half", graph::name_of(y.type),
                              graph::to_text(y.shape), graph::to_text(x.shape)));
  }
  TRY(check_numbers(call, "weight", {op.halves.rows}));
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

// SwiGlu of numbers that come from a product, and whole numbers out of it.
struct GateQuant {
  Gate gate;
  Halves halves;
  int x, weight_scale, token, bias, smooth, offset, groups;
  int y, scale;
  bool dynamic, divides, inverse, sizes, cuts, whole_bias;
  int64_t group_count;

  // The numbers of a row's group: `list` has `width` for each group, or for all.
  static const float* of(const std::vector<float>& list, int64_t group, int64_t width) {
    const bool each = static_cast<int64_t>(list.size()) > width && group >= 0;
    return list.data() + (each ? group * width : 0);
  }

  void widen(Inputs in, int64_t r, int64_t group, float* row, const std::vector<float> (&numbers)[3]) const {
    const int64_t n = 2 * halves.count;
    const auto& [weights, tokens, biases] = numbers;
    const Tensor& from = in[static_cast<size_t>(x)];
    if (from.type != DataType::Int32) return read_floats(from, r * n, n, row);
    const float* scales = of(weights, group, n);
    const float* added = of(biases, group, n);
    for (int64_t c = 0; c < n; ++c) {
      int64_t whole = from.as<int32_t>()[r * n + c];
      if (!biases.empty() && whole_bias) whole += static_cast<int64_t>(added[c]);
      float value = static_cast<float>(whole) * (weights.empty() ? 1 : scales[c]);
      if (!tokens.empty()) value *= tokens[static_cast<size_t>(r)];
      row[c] = !biases.empty() && !whole_bias ? value + added[c] : value;
    }
  }

  void store(float* values, int64_t r, int64_t group, const std::vector<float>& factors,
             const std::vector<float>& offsets, Outputs out) const {
    const int64_t n = halves.count;
    Tensor& to = out[static_cast<size_t>(y)];
    const bool each = static_cast<int64_t>(factors.size()) == group_count && group_count != n && n > 1;  // one a group
    const auto number = [&](const std::vector<float>& list, int64_t c) {
      if (list.size() == 1) return list[0];
      if (each) return list[static_cast<size_t>(std::max<int64_t>(group, 0)) % list.size()];
      return of(list, group, n)[c];
    };
    const bool smooths = !factors.empty() && !(inverse && groups >= 0 && group < 0);
    if (dynamic) {
      for (int64_t c = 0; c < n && smooths; ++c) values[c] *= number(factors, c);
      float made = store_scaled(values, n, to, r * n);
      if (inverse) made = made > 0 ? 1 / made : 0;
      if (scale >= 0) out[static_cast<size_t>(scale)].as<float>()[r] = made;
      return;
    }
    for (int64_t c = 0; c < n; ++c) {
      const float factor = smooths ? number(factors, c) : 1;
      const float value = divides ? values[c] / factor : values[c] * factor;
      values[c] = nearest_whole(value + (offsets.empty() || !smooths ? 0 : number(offsets, c)));
    }
    store_whole(values, n, to, r * n);
    if (inverse && scale >= 0) out[static_cast<size_t>(scale)].as<float>()[r] = 0;
  }

  Status run(Inputs in, Outputs out) const {
    const std::vector<float> numbers[3] = {all_floats(tensor_at(in, weight_scale)), all_floats(tensor_at(in, token)),
                                           all_floats(tensor_at(in, bias))};
    const auto factors = all_floats(tensor_at(in, smooth)), offsets = all_floats(tensor_at(in, offset));
    const auto list = groups < 0 ? std::vector<int64_t>{} : TRY(integers(in[static_cast<size_t>(groups)]));
    const auto group = groups_of_rows(list, sizes, halves.rows);
    const int64_t n = halves.count;
    parallel_for(halves.rows, std::max<int64_t>(1, 4096 / std::max<int64_t>(n, 1)), [&](int64_t begin, int64_t end) {
      std::vector<float> row(static_cast<size_t>(2 * n)), made(static_cast<size_t>(n));
      for (int64_t r = begin; r < end; ++r) {
        const int64_t g = groups < 0 ? 0 : group[static_cast<size_t>(r)];
        if (g < 0 && cuts) continue;
        widen(in, r, g, row.data(), numbers);
        gate.run(row.data(), n, made.data(), nullptr);
        store(made.data(), r, g, factors, offsets, out);
      }
    });
    return {};
  }
};

MadeKernel make_gate_quant(const KernelRequest& request) {
  const WholeCall call(request);
  const auto& x = call.info(call.even_empty("x"));
  if (!is_real(x.type) && x.type != DataType::Int32)
    return refuse(formatted("x of {} is not supported", graph::name_of(x.type)));
  const Gate gate = TRY(gate_of(call));
  const Halves halves = TRY(Halves::of(call, x));
  GateQuant op{gate,
               halves,
               call.even_empty("x"),
               call.input("weight_scale"),
               call.input("token"),
               call.input("bias"),
               call.input("smooth"),
               call.input("offset"),
               call.input("groups"),
               call.output(0),
               call.output(1)};
  if (op.halves.rows * op.halves.count * 2 != graph::element_count(x.shape) || op.halves.count * 2 != x.shape.back())
    return refuse("the halves must be those of the last dimension");
  const std::string mode = call.text("mode", call.text("mode_by_default"));
  const std::string named = mode.empty() ? call.text("mode_by_default") : mode;
  if (named != "static" && named != "dynamic")
    return refuse(formatted("quantMode \"{}\" is not \"static\" or \"dynamic\"", named));
  if (const std::string round = call.text("round"); round != "" && round != "rint" && round != "round")
    return refuse(formatted("roundMode \"{}\" is not supported; \"rint\" is", round));
  op.dynamic = named == "dynamic", op.divides = call.flag("divides"), op.inverse = call.flag("inverse");
  op.sizes = call.flag("sizes"), op.cuts = call.flag("cuts");
  const int64_t list_type = call.integer("list_type", op.sizes ? 1 : 0);
  if (list_type != 0 && list_type != 1) return refuse(formatted("groupListType is {}; it must be 0 or 1", list_type));
  op.sizes = list_type == 1;
  op.group_count = op.groups < 0 ? 1 : graph::element_count(call.info(op.groups).shape);
  const int64_t n = op.halves.count, m = op.halves.rows, g = op.group_count;
  const auto& y = call.result(op.y);
  TRY(check_whole_type(y, call.integer("type", -1), "yOut"));
  if (whole_count(y) != m * n)
    return refuse(formatted("yOut has shape {}; x has shape {}, of which it has one half", graph::to_text(y.shape),
                            graph::to_text(x.shape)));
  if (op.scale >= 0) {
    const auto& scale = call.result(op.scale);
    if (scale.type != DataType::Float || (op.dynamic && graph::element_count(scale.shape) != m))
      return refuse(
          formatted("scaleOut has shape {}; it must be FLOAT with {} elements", graph::to_text(scale.shape), m));
    if (graph::element_count(scale.shape) != m) op.scale = -1;
  } else if (op.dynamic) {
    return refuse("scaleOut must have an element for each row");
  }
  TRY(check_numbers(call, "weight_scale", {2 * n, g * 2 * n}));
  TRY(check_numbers(call, "bias", {2 * n, g * 2 * n}));
  TRY(check_numbers(call, "token", {m}));
  TRY(check_numbers(call, "smooth", {n, g * n, 1, g}));
  TRY(check_numbers(call, "offset", {n, g * n, 1, g}));
  if (x.type != DataType::Int32)
    TRY(call.absent({"weight_scale", "token", "bias"}));
  else if (op.weight_scale < 0)
    return refuse("an x of INT32 needs weightScale");
  if (!op.dynamic && op.smooth < 0) return refuse("quantMode \"static\" needs a scale");
  op.whole_bias = op.bias >= 0 && call.info(op.bias).type == DataType::Int32;
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

constexpr KernelRow rows[] = {
    {"AclnnGate", "reference", make_gate},
    {"AclnnGateQuant", "reference", make_gate_quant},
};

}  // namespace

std::span<const KernelRow> aclnn_gate_rows() { return rows; }

}  // namespace belay::backend::cpu
