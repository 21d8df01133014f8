// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "operators/builtins/builtins.h"

namespace belay::operators {
namespace {

// op over `dims`, which may be empty for all; a list without dimensions is kept as it is.
Result<Value> over(Sketch& s, const std::string& op, const Value& x, const std::vector<int64_t>& dims, bool keep_dims) {
  if (dims.empty()) return x;
  return s.op(op, {x, s.indices(dims)}, {{"keep_dims", keep_dims}});
}

// reduce(op, x, dims, keep)
Result<Value> reduce(Sketch& s, const Values& a) {
  TRY(need(a[1]));
  return over(s, a[0].text, a[1], TRY(dimensions(at(a, 2), a[1].rank())), flag_at(a, 3));
}

// total(op, x, dims, keep, dtype): whole numbers add up in Int64 unless another type is asked for.
Result<Value> total(Sketch& s, const Values& a) {
  TRY(need(a[1]));
  DataType type = category_of(a[1].type) <= Category::Integer ? DataType::Int64 : a[1].type;
  if (at(a, 4).present() && static_cast<DataType>(a[4].integer) != DataType::Undefined && a[4].integer >= 0)
    type = static_cast<DataType>(a[4].integer);
  const Value x = TRY(s.cast(a[1], type));
  Value made = TRY(over(s, a[0].text, x, TRY(dimensions(at(a, 2), x.rank())), flag_at(a, 3)));
  made.any_type = at(a, 4).present();
  return made;
}

// mean(x, dims, keep, dtype)
Result<Value> mean(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  DataType type = a[0].type;
  if (at(a, 3).present() && a[3].integer >= 0) type = static_cast<DataType>(a[3].integer);
  if (category_of(type) < Category::Float) return invalid("mean needs a floating-point type; give it as dtype");
  return over(s, "ReduceMean", TRY(s.cast(a[0], type)), TRY(dimensions(at(a, 1), a[0].rank())), flag_at(a, 2));
}

// truth(op, x, dims, keep): all or any of what is not 0.
Result<Value> truth(Sketch& s, const Values& a) {
  TRY(need(a[1]));
  const Value x = TRY(s.cast(a[1], DataType::Bool));
  Value made = TRY(over(s, a[0].text, x, TRY(dimensions(at(a, 2), x.rank())), flag_at(a, 3)));
  made.any_type = true;
  return made;
}

// variance(x, dims, correction, keep) -> variance, mean
Result<Value> variance(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  if (category_of(a[0].type) != Category::Float) return invalid("variance needs a floating-point type");
  const auto dims = TRY(dimensions(at(a, 1), a[0].rank()));
  const Value x = a[0].type == DataType::Double ? a[0] : TRY(s.cast(a[0], DataType::Float));
  const Value center = TRY(over(s, "ReduceMean", x, dims, true));
  const Value away = TRY(s.op("Sub", {x, center}));
  const Value sum = TRY(over(s, "ReduceSum", TRY(s.op("Mul", {away, away})), dims, flag_at(a, 3)));
  double count = 1;
  for (const int64_t dim : dims) count *= static_cast<double>(a[0].shape.empty() ? 1 : a[0].shape[dim]);
  const Value divisor = s.scalar(x.type, std::max(count - real_at(a, 2, 1), 0.0));
  const Value made = TRY(s.op("RealDiv", {sum, divisor}));
  const Value mean = TRY(s.reshape(center, made.shape));
  const Value variance = TRY(s.cast(made, a[0].type));
  const Value means = TRY(s.cast(mean, a[0].type));
  return Value::many({variance, means});
}

// arg(op, x, dim, keep): the index of the largest or smallest; without dim, in the whole.
Result<Value> arg(Sketch& s, const Values& a) {
  TRY(need(a[1]));
  Value x = a[1];
  if (x.rank() == 0) x = TRY(s.reshape(x, {1}));
  const int64_t dim = TRY(dimension(int_at(a, 2), x.rank()));
  const Value made =
      TRY(s.op(a[0].text, {x, s.scalar(DataType::Int64, static_cast<double>(dim))}, {{"dtype", DataType::Int64}}));
  if (a[1].rank() == 0) return s.reshape(made, {});
  if (!flag_at(a, 3)) return made;
  Shape kept = x.shape;
  kept[static_cast<size_t>(dim)] = 1;
  return s.reshape(made, kept);
}

// extreme(arg_op, op, x, dim, keep) -> values, indices
Result<Value> extreme(Sketch& s, const Values& a) {
  const Value index = TRY(arg(s, {a[0], a[2], a[3], at(a, 4)}));
  const Value x = a[2].rank() == 0 ? TRY(s.reshape(a[2], {1})) : a[2];
  const auto dims = std::vector<int64_t>{TRY(dimension(int_at(a, 3), x.rank()))};
  const Value made = TRY(over(s, a[1].text, x, dims, flag_at(a, 4)));
  return Value::many({TRY(s.reshape(made, index.shape)), index});
}

// cumulate(op, x, dim, dtype, exclusive, reverse)
Result<Value> cumulate(Sketch& s, const Values& a) {
  TRY(need(a[1]));
  const bool typed = at(a, 3).present() && a[3].integer >= 0;
  const Value x = TRY(s.cast(a[1], typed ? static_cast<DataType>(a[3].integer) : a[1].type));
  const int64_t dim = TRY(dimension(int_at(a, 2), x.rank()));
  if (x.rank() == 0) return x;
  Value made = TRY(s.op(a[0].text, {x, s.scalar(DataType::Int64, static_cast<double>(dim))},
                        {{"exclusive", flag_at(a, 4)}, {"reverse", flag_at(a, 5)}}));
  made.any_type = typed;
  return made;
}

// norm(x, p, dims, keep): of vectors.
Result<Value> norm(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const double p = real_at(a, 1, 2);
  const auto dims = TRY(dimensions(at(a, 2), a[0].rank()));
  const bool keep_dims = flag_at(a, 3);
  const Value size = TRY(s.op("Abs", {a[0]}));
  if (p == std::numeric_limits<double>::infinity()) return over(s, "ReduceMax", size, dims, keep_dims);
  if (p == -std::numeric_limits<double>::infinity()) return over(s, "ReduceMin", size, dims, keep_dims);
  const Value zero = s.scalar(size.type, 0);
  if (p == 0) return over(s, "ReduceSum", TRY(s.cast(TRY(s.op("NotEqual", {size, zero})), size.type)), dims, keep_dims);
  if (p == 1) return over(s, "ReduceSum", size, dims, keep_dims);
  const Value x = size.type == DataType::Double ? size : TRY(s.cast(size, DataType::Float));
  const Value power = p == 2 ? TRY(s.op("Mul", {x, x})) : TRY(s.op("Pow", {x, s.scalar(x.type, p)}));
  const Value sum = TRY(over(s, "ReduceSum", power, dims, keep_dims));
  const Value root = p == 2 ? TRY(s.op("Sqrt", {sum})) : TRY(s.op("Pow", {sum, s.scalar(x.type, 1 / p)}));
  return s.cast(root, a[0].type);
}

// log_sum_exp(x, dims, keep)
Result<Value> log_sum_exp(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const Value x = category_of(a[0].type) < Category::Float ? TRY(s.cast(a[0], DataType::Float)) : a[0];
  return over(s, "ReduceLogSumExp", x, TRY(dimensions(at(a, 1), x.rank())), flag_at(a, 2));
}

// loss(x, reduction): 0 as it is, 1 the mean, 2 the sum.
Result<Value> loss(Sketch& s, const Values& a) {
  const auto dims = TRY(dimensions({}, a[0].rank()));
  if (int_at(a, 1) == 1) return over(s, "ReduceMean", a[0], dims, false);
  if (int_at(a, 1) == 2) return over(s, "ReduceSum", a[0], dims, false);
  return int_at(a, 1) == 0 ? Result<Value>(a[0]) : Result<Value>(invalid("reduction must be 0, 1 or 2"));
}

// axes(dims, noop): the dims, unless none of them meant that nothing is reduced.
Result<Value> axes(Sketch&, const Values& a) {
  if (flag_at(a, 1) && a[0].numbers.empty()) return invalid("empty dims that reduce nothing are not supported");
  return a[0];
}

// axes_or_none(dims, noop): the same for what is its input where nothing is reduced.
Result<Value> axes_or_none(Sketch&, const Values& a) {
  return flag_at(a, 1) && a[0].numbers.empty() ? Value::of(std::string("none")) : a[0];
}

constexpr Builtin kRows[] = {
    {"axes", axes},         {"axes_or_none", axes_or_none},
    {"reduce", reduce},     {"total", total},
    {"mean", mean},         {"truth", truth},
    {"arg", arg},           {"extreme", extreme},
    {"norm", norm},         {"cumulate", cumulate},
    {"loss", loss},         {"log_sum_exp", log_sum_exp},
    {"variance", variance},
};

}  // namespace

std::span<const Builtin> reduce_builtins() { return kRows; }

}  // namespace belay::operators
