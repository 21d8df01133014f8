// SPDX-License-Identifier: Apache-2.0
// What gradients and losses need besides arithmetic.
#include <cmath>

#include "operators/builtins/builtins.h"

namespace belay::operators {
namespace {

Result<Value> op2(Sketch& s, const char* op, const Value& a, const Value& b) { return promoted(s, op, Values{a, b}); }
Result<Value> times(Sketch& s, const Value& a, const Value& b) { return op2(s, "Mul", a, b); }
Result<Value> times(Sketch& s, const Value& a, double b) { return op2(s, "Mul", a, Value::of(b)); }
Result<Value> plus(Sketch& s, const Value& a, double b) { return op2(s, "Add", a, Value::of(b)); }

// gelu_slope(x, by tanh): the derivative of gelu.
Result<Value> gelu_slope(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  if (category_of(a[0].type) != Category::Float) return invalid("gelu is of floating-point types");
  const Value x = a[0].type == DataType::Double ? a[0] : TRY(s.cast(a[0], DataType::Float));
  const Value square = TRY(times(s, x, x));
  if (int_at(a, 1) == 1) {  // tanh(c (x + b x^3)); c = sqrt(2 / pi), b = 0.044715
    const double c = 0.7978845608028654, b = 0.044715;
    const Value inner = TRY(times(s, TRY(times(s, x, c)), TRY(plus(s, TRY(times(s, square, b)), 1.0))));
    const Value t = TRY(s.op("Tanh", {inner}));
    const Value slope = TRY(plus(s, TRY(times(s, square, 3 * b * c)), c));
    const Value rest = TRY(op2(s, "Sub", Value::of(1.0), TRY(times(s, t, t))));
    const Value second = TRY(times(s, TRY(times(s, x, 0.5)), TRY(times(s, rest, slope))));
    return op2(s, "Add", TRY(times(s, TRY(plus(s, t, 1.0)), 0.5)), second);
  }
  const Value bell = TRY(times(s, TRY(s.op("Exp", {TRY(times(s, square, -0.5))})), 0.3989422804014327));
  const Value share = TRY(plus(s, TRY(s.op("Erf", {TRY(times(s, x, 0.7071067811865476))})), 1.0));
  return op2(s, "Add", TRY(times(s, share, 0.5)), TRY(times(s, x, bell)));
}

// mean_share(x, reduction, of): x, divided by the number of elements of `of` where the loss was their mean.
Result<Value> mean_share(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const int64_t reduction = int_at(a, 1);
  if (reduction < 0 || reduction > 2) return invalid("reduction must be 0, 1 or 2");
  const int64_t count = graph::element_count(a[2].shape);
  return reduction == 1 && count > 0 ? times(s, a[0], 1 / static_cast<double>(count)) : Result<Value>(a[0]);
}

// leaky_grad(g, x, slope, x is the result)
Result<Value> leaky_grad(Sketch& s, const Values& a) {
  for (const Value& value : a) TRY(need(value));
  if (flag_at(a, 3) && a[2].number < 0)
    return invalid("selfIsResult needs a negativeSlope that is not below 0: the sign of self is lost otherwise");
  const Value above = TRY(s.op("Greater", {a[1], s.scalar(a[1].type, 0)}));
  const Value sloped = TRY(times(s, a[0], a[2].number));
  return s.op("SelectV2", {above, a[0], sloped});
}

// logit(x, eps): of x clipped to [eps, 1 - eps]; as it is where eps is below 0.
Result<Value> logit(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const double eps = real_at(a, 1);
  Value x = a[0];
  if (eps >= 0) {
    x = TRY(op2(s, "Maximum", x, Value::of(eps)));
    x = TRY(op2(s, "Minimum", x, Value::of(1 - eps)));
  }
  return s.op("Log", {TRY(op2(s, "RealDiv", x, TRY(op2(s, "Sub", Value::of(1.0), x))))});
}

// logit_grad(x, g, eps): 0 outside of [eps, 1 - eps]; NaN outside of [0, 1] where eps is below 0.
Result<Value> logit_grad(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[1]));
  const double eps = real_at(a, 2), low = std::max(eps, 0.0);
  const Value& x = a[0];
  const Value made = TRY(op2(s, "RealDiv", a[1], TRY(times(s, x, TRY(op2(s, "Sub", Value::of(1.0), x))))));
  const Value above = TRY(s.op("GreaterEqual", {x, s.scalar(x.type, low)})),
              below = TRY(s.op("LessEqual", {x, s.scalar(x.type, 1 - low)}));
  return s.op("SelectV2", {TRY(s.op("LogicalAnd", {above, below})), made, s.scalar(made.type, eps < 0 ? NAN : 0)});
}

// [1, C, 1...] of one dimension, or of one element.
Result<Value> channels_of(Sketch& s, const Value& parameter, const Value& x) {
  if (!parameter.is_tensor() || graph::element_count(parameter.shape) == 1) return parameter;
  if (x.rank() < 2 || graph::element_count(parameter.shape) != x.shape[1])
    return invalid(formatted("a parameter of shape {} does not fit the channels of {}", graph::to_text(parameter.shape),
                             graph::to_text(x.shape)));
  Shape shape(x.rank(), 1);
  shape[1] = x.shape[1];
  return s.reshape(parameter, shape);
}

Result<Value> along_channels(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  return channels_of(s, a[0], a[1]);
}

Result<Value> over_all_but_channels(Sketch& s, const char* op, const Value& x) {
  std::vector<int64_t> axes{0};
  for (size_t i = 2; i < x.rank(); ++i) axes.push_back(static_cast<int64_t>(i));
  return s.op(op, {x, s.indices(axes)}, {{"keep_dims", true}});
}

// sum_channels(x, like): the sum over all dimensions but the channels; over all where `like` has one element.
Result<Value> sum_channels(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  if (graph::element_count(a[1].shape) != 1 && a[0].rank() > 1)
    return s.reshape(TRY(over_all_but_channels(s, "ReduceSum", a[0])), {a[0].shape[1]});
  std::vector<int64_t> axes;
  for (size_t i = 0; i < a[0].rank(); ++i) axes.push_back(static_cast<int64_t>(i));
  return s.reshape(TRY(s.op("ReduceSum", {a[0], s.indices(axes)})), a[1].shape);
}

// channel_statistics(x, eps) -> mean and inverse deviation of each channel
Result<Value> channel_statistics(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const Value& x = a[0];
  if (x.rank() < 2) return invalid("input must have two dimensions or more");
  const Value mean = TRY(over_all_but_channels(s, "ReduceMean", x));
  const Value away = TRY(op2(s, "Sub", x, mean));
  const Value variance = TRY(over_all_but_channels(s, "ReduceMean", TRY(times(s, away, away))));
  const Value factor = TRY(s.op("Rsqrt", {TRY(plus(s, variance, real_at(a, 1)))}));
  const Value means = TRY(s.reshape(mean, {x.shape[1]})), factors = TRY(s.reshape(factor, {x.shape[1]}));
  return Value::many({means, factors});
}

// batch_norm_grad(g, x, weight, running mean, running variance, saved mean, saved inverse deviation, training, eps,
// mask) -> gradients of x, weight and bias; absent where the mask leaves one out
Result<Value> batch_norm_grad(Sketch& s, const Values& a) {
  const Value &g = a[0], &x = a[1];
  const bool training = flag_at(a, 7);
  if (x.rank() < 2 || g.shape != x.shape)
    return invalid("input must have two dimensions or more, and gradOut its shape");
  const auto parameter = [&](const Value& given) -> Result<Value> {
    TRY(need(given));
    return channels_of(s, TRY(s.cast(given, x.type)), x);
  };
  const Value mean = TRY(parameter(training ? a[5] : a[3]));
  Value factor = TRY(parameter(training ? a[6] : a[4]));
  if (!training) factor = TRY(s.op("Rsqrt", {TRY(plus(s, factor, real_at(a, 8)))}));
  const Value away = TRY(times(s, TRY(op2(s, "Sub", x, mean)), factor));
  const Value bias = TRY(over_all_but_channels(s, "ReduceSum", g));
  const Value weight = TRY(over_all_but_channels(s, "ReduceSum", TRY(times(s, g, away))));
  Value by = factor;
  if (a[2].present()) by = TRY(times(s, by, TRY(parameter(a[2]))));
  Value inner = g;
  if (training) {
    const double count = static_cast<double>(graph::element_count(x.shape)) / static_cast<double>(x.shape[1]);
    inner = TRY(op2(s, "Sub", inner, TRY(times(s, bias, 1 / count))));
    inner = TRY(op2(s, "Sub", inner, TRY(times(s, away, TRY(times(s, weight, 1 / count))))));
  }
  const Value of_x = TRY(times(s, inner, by)), of_weight = TRY(s.reshape(weight, {x.shape[1]})),
              of_bias = TRY(s.reshape(bias, {x.shape[1]}));
  Values made{of_x, of_weight, of_bias};
  for (size_t i = 0; i < 3; ++i) {
    made[i].any_type = true;
    if (at(a, 9).numbers.size() == 3 && at(a, 9).numbers[i] == 0) made[i] = {};
  }
  return Value::many(std::move(made));
}

// by_name(text, name, value, name, value...): the value behind the name that the text is.
Result<Value> by_name(Sketch&, const Values& a) {
  TRY(need(a[0]));
  std::string names;
  for (size_t i = 1; i + 1 < a.size(); i += 2) {
    if (a[i].text == a[0].text) return a[i + 1];
    names += (names.empty() ? "\"" : " or \"") + a[i].text + "\"";
  }
  return invalid(formatted("\"{}\" is not {}", a[0].text, names));
}

// round_decimals(x, d): whole numbers only with d = 0.
Result<Value> round_decimals(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const int64_t d = int_at(a, 1);
  if (category_of(a[0].type) <= Category::Integer)
    return d == 0 ? Result<Value>(a[0]) : Result<Value>(invalid("decimals must be 0 for whole numbers"));
  const bool narrow = a[0].type == DataType::Float16 || a[0].type == DataType::BFloat16;
  const Value x = narrow ? TRY(s.cast(a[0], DataType::Float)) : a[0];
  if (d == 0) return s.op("Rint", {x});
  const Value power = Value::of(std::pow(10.0, std::abs(static_cast<double>(d))));
  const char *there = d > 0 ? "Mul" : "RealDiv", *back = d > 0 ? "RealDiv" : "Mul";
  return op2(s, back, TRY(s.op("Rint", {TRY(op2(s, there, x, power))})), power);
}

Result<Value> reshape_like(Sketch& s, const Values& a) { return s.reshape(a[0], a[1].shape); }

Result<Value> flat(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  return a[0].is_tensor() ? s.reshape(a[0], {graph::element_count(a[0].shape)}) : Result<Value>(a[0]);
}

// same_end(x, size): x, whose last dimensions must be these.
Result<Value> same_end(Sketch&, const Values& a) {
  const auto size = a[1].ints();
  if (size.size() > a[0].rank() || !std::equal(size.rbegin(), size.rend(), a[0].shape.rbegin()))
    return invalid(formatted("{} is not the end of the shape {}", graph::to_text(size), graph::to_text(a[0].shape)));
  return a[0];
}

// trace(x): the sum of the diagonal of a matrix.
Result<Value> trace(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  if (a[0].rank() != 2) return invalid("self must be a matrix");
  const int64_t rows = a[0].shape[0], columns = a[0].shape[1];
  std::vector<int64_t> places;
  for (int64_t i = 0; i < std::min(rows, columns); ++i) places.push_back(i * columns + i);
  const Value all = TRY(s.reshape(a[0], {rows * columns}));
  const Value diagonal = TRY(s.op("GatherV2", {all, s.indices(places), s.scalar(DataType::Int64, 0)}));
  const bool whole = category_of(a[0].type) <= Category::Integer;
  return s.op("ReduceSum", {whole ? TRY(s.cast(diagonal, DataType::Int64)) : diagonal, s.indices({0})});
}

// A step of AdamW with decoupled decay: `power1` and `power2` are the betas to the number of the step.
struct AdamW {
  Value lr, beta1, beta2, decay, eps, power1, power2;
  bool largest, maximize;  // amsgrad

  // The new variable, both moments and the largest second moment.
  Result<Value> step(Sketch& s, const Value& var, const Value& m, const Value& v, const Value& most,
                     const Value& grad) const {
    const auto minus = [&](const Value& a, const Value& b) { return op2(s, "Sub", a, b); };
    const Value one = Value::of(1.0);
    const Value g = maximize ? TRY(s.op("Neg", {grad})) : grad;
    const Value first = TRY(op2(s, "Add", TRY(times(s, m, beta1)), TRY(times(s, g, TRY(minus(one, beta1))))));
    const Value second =
        TRY(op2(s, "Add", TRY(times(s, v, beta2)), TRY(times(s, TRY(times(s, g, g)), TRY(minus(one, beta2))))));
    const Value top = largest ? TRY(op2(s, "Maximum", most, second)) : second;
    const Value level = TRY(op2(s, "RealDiv", top, TRY(minus(one, power2))));
    const Value below = TRY(op2(s, "Add", TRY(s.op("Sqrt", {level})), eps));
    const Value mean = TRY(op2(s, "RealDiv", first, TRY(minus(one, power1))));
    const Value move = TRY(times(s, lr, TRY(op2(s, "RealDiv", mean, below))));
    const Value kept = TRY(times(s, var, TRY(minus(one, TRY(times(s, lr, decay))))));
    return Value::many({TRY(minus(kept, move)), first, second, largest ? top : Value{}});
  }
};

// A number of a recipe, or a tensor of one element, which has no dimensions afterwards; whole numbers become Float.
Result<Value> one_number(Sketch& s, const Value& value) {
  TRY(need(value));
  if (!value.is_tensor()) return Value::of(value.number);
  if (graph::element_count(value.shape) != 1) return invalid("a parameter of the step must be one element");
  return s.reshape(category_of(value.type) <= Category::Integer ? TRY(s.cast(value, DataType::Float)) : value, {});
}

// adamw(var, m, v, largest v, gradient, step, lr, beta1, beta2, decay, eps, amsgrad, maximize)
Result<Value> adamw(Sketch& s, const Values& a) {
  for (const size_t i : {0, 1, 2, 4, 5}) TRY(need(a[i]));
  if (flag_at(a, 11)) TRY(need(a[3]));
  for (const size_t i : {1, 2, 4})
    if (a[i].shape != a[0].shape) return invalid("var, m, v and grad must have one shape");
  const Value t = TRY(one_number(s, a[5]));
  const Value first = TRY(op2(s, "Pow", a[7], t)), second = TRY(op2(s, "Pow", a[8], t));
  const AdamW made{a[6], a[7], a[8], a[9], a[10], first, second, flag_at(a, 11), flag_at(a, 12)};
  return made.step(s, a[0], a[1], a[2], a[3], a[4]);
}

// adamw_by_powers(var, m, v, largest v, gradient, power of beta1, of beta2, lr, decay, beta1, beta2, eps, amsgrad,
// maximize): the powers are those of the step before.
Result<Value> adamw_by_powers(Sketch& s, const Values& a) {
  for (const size_t i : {0, 1, 2, 4}) TRY(need(a[i]));
  if (flag_at(a, 12)) TRY(need(a[3]));
  Values n;
  for (size_t i = 5; i < 12; ++i) n.push_back(TRY(one_number(s, a[i])));
  const Value first = TRY(times(s, n[0], n[4])), second = TRY(times(s, n[1], n[5]));
  const AdamW made{n[2], n[4], n[5], n[3], n[6], first, second, flag_at(a, 12), flag_at(a, 13)};
  return made.step(s, a[0], a[1], a[2], a[3], a[4]);
}

constexpr Builtin kRows[] = {
    {"adamw", adamw},
    {"channel_statistics", channel_statistics},
    {"adamw_by_powers", adamw_by_powers},
    {"gelu_slope", gelu_slope},
    {"mean_share", mean_share},
    {"leaky_grad", leaky_grad},
    {"logit", logit},
    {"logit_grad", logit_grad},
    {"along_channels", along_channels},
    {"sum_channels", sum_channels},
    {"batch_norm_grad", batch_norm_grad},
    {"by_name", by_name},
    {"round_decimals", round_decimals},
    {"reshape_like", reshape_like},
    {"flat", flat},
    {"same_end", same_end},
    {"trace", trace},
};

}  // namespace

std::span<const Builtin> gradient_builtins() { return kRows; }

}  // namespace belay::operators
