// SPDX-License-Identifier: Apache-2.0
// Parameters of which only some values are supported: each of these gives its first argument, or refuses by name.
#include "opdev/op_errno.h"
#include "operators/builtins/builtins.h"

namespace belay::operators {
namespace {

std::string number_text(double value) {
  return value == static_cast<double>(static_cast<int64_t>(value)) ? std::to_string(static_cast<int64_t>(value))
                                                                   : std::to_string(value);
}

// need(value): the value; 161001 when it was null, or is a list without tensors.
Result<Value> needed(Sketch&, const Values& a) {
  TRY(need(a[0]));
  if (a[0].kind != Value::Kind::List) return a[0];
  for (const Value& member : a[0].list) TRY(need(member));
  if (a[0].list.empty())
    return Status{ACLNN_ERR_PARAM_NULLPTR,
                  formatted("parameter {}, a list of tensors, must not be null or empty", a[0].text)};
  return a[0];
}

// must(value, name, given, allowed...): the value, when `given` is absent or one of the numbers.
Result<Value> must(Sketch&, const Values& a) {
  if (!a[2].present()) return a[0];
  std::string wanted;
  for (size_t i = 3; i < a.size(); ++i) {
    if (a[2].number == a[i].number) return a[0];
    wanted += (wanted.empty() ? "" : " or ") + number_text(a[i].number);
  }
  return invalid(formatted("{} is {}; it must be {}", a[1].text, number_text(a[2].number), wanted));
}

// when_present(value, name, given, allowed...): the same where the value was given.
Result<Value> when_present(Sketch& s, const Values& a) { return a[0].present() ? must(s, a) : a[0]; }

// must_list(value, name, given, wanted...): the value, when `given` is absent, empty or exactly these numbers.
Result<Value> must_list(Sketch&, const Values& a) {
  std::vector<double> wanted;
  for (size_t i = 3; i < a.size(); ++i) wanted.push_back(a[i].number);
  if (!a[2].present() || a[2].numbers.empty() || a[2].numbers == wanted) return a[0];
  return invalid(formatted("{} is {}; the tensors say {}", a[1].text, graph::to_text(a[2].ints()),
                           graph::to_text(Shape(wanted.begin(), wanted.end()))));
}

// of_type(value, name, type, like): the value, when `type` is undefined or that of the tensor.
Result<Value> of_type(Sketch&, const Values& a) {
  const auto type = static_cast<DataType>(int_at(a, 2, -1));
  if (int_at(a, 2, -1) < 0 || type == a[3].type) return a[0];
  return invalid(formatted("{} is {}, but the result is a tensor of {}", a[1].text, graph::name_of(type),
                           graph::name_of(a[3].type)));
}

// int32_if(value, flag, like): the value, when the tensor is INT32 and the flag set, or INT64 and it is not.
Result<Value> int32_if(Sketch&, const Values& a) {
  const DataType wanted = flag_at(a, 1) ? DataType::Int32 : DataType::Int64;
  if (a[2].type == wanted) return a[0];
  return invalid(formatted("outInt32 asks for {}, but out is {}", graph::name_of(wanted), graph::name_of(a[2].type)));
}

// empty(value, name, like): the value, when the tensor has no elements or was not given.
Result<Value> empty(Sketch&, const Values& a) {
  if (!a[2].present() || graph::element_count(a[2].shape) == 0) return a[0];
  return invalid(formatted("{} is not supported; give a tensor without elements", a[1].text));
}

// unless(value, message, numbers...): the value, when all of the rest are absent, 0 or empty.
Result<Value> unless(Sketch&, const Values& a) {
  for (size_t i = 2; i < a.size(); ++i)
    if (a[i].present() && (a[i].kind != Value::Kind::Number || a[i].number != 0) &&
        (a[i].kind != Value::Kind::Numbers || !a[i].numbers.empty()))
      return invalid(a[1].text);
  return a[0];
}

// one_of(value, given...): the value, when one of the others was given.
Result<Value> one_of(Sketch&, const Values& a) {
  std::string names;
  for (size_t i = 1; i < a.size(); ++i) {
    if (a[i].present()) return a[0];
    names += (names.empty() ? "" : " and ") + a[i].text;
  }
  return Status{ACLNN_ERR_PARAM_NULLPTR, formatted("parameters {} must not all be null", names)};
}

// needed_with(value, name, given, other, name): the value, unless `given` is null and `other` is not: then 161001.
Result<Value> needed_with(Sketch&, const Values& a) {
  if (a[2].present() || !a[3].present()) return a[0];
  return Status{ACLNN_ERR_PARAM_NULLPTR,
                formatted("parameter {} must not be null when {} is given", a[1].text, a[4].text)};
}

// given(x): whether a parameter is not null.
Result<Value> given(Sketch&, const Values& a) { return Value::of(a[0].present()); }

// in_fractals(x): to be stored in FRACTAL_NZ; of a weight's types and dimensions.
Result<Value> in_fractals(Sketch&, const Values& a) {
  TRY(need(a[0]));
  using enum DataType;
  if (std::ranges::count(std::vector{Float16, BFloat16, Int8, Float}, a[0].type) == 0)
    return invalid(
        formatted("a weight of {} is not supported; FLOAT16, BF16, INT8 and FLOAT are", graph::name_of(a[0].type)));
  if (a[0].rank() < 2 || a[0].rank() > 6 || graph::element_count(a[0].shape) == 0)
    return invalid(
        formatted("the weight has shape {}; it must have 2 to 6 dimensions with elements", graph::to_text(a[0].shape)));
  Value made = a[0];
  made.form = Form::Fractal;
  return made;
}

// as_labelled(x): to be stored as the output's format says.
Result<Value> as_labelled(Sketch&, const Values& a) {
  TRY(need(a[0]));
  if (graph::element_count(a[0].shape) == 0 || a[0].rank() < 2 || a[0].rank() > 6)
    return invalid(formatted("a tensor of shape {} cannot be cast; 2 to 6 dimensions with elements are supported",
                             graph::to_text(a[0].shape)));
  Value made = a[0];
  made.form = Form::Labelled;
  return made;
}

// times(numbers...): their product.
Result<Value> times(Sketch&, const Values& a) {
  int64_t product = 1;
  for (const Value& value : a) product *= value.integer;
  return Value::of(product);
}

// count(x, dim): the number of elements in the dimensions from `dim` on.
Result<Value> count(Sketch&, const Values& a) {
  TRY(need(a[0]));
  int64_t product = 1;
  for (auto i = static_cast<size_t>(int_at(a, 1)); i < a[0].rank(); ++i) product *= a[0].shape[i];
  return Value::of(product);
}

constexpr Builtin kRows[] = {{"need", needed},
                             {"must", must},
                             {"when_present", when_present},
                             {"must_list", must_list},
                             {"of_type", of_type},
                             {"int32_if", int32_if},
                             {"empty", empty},
                             {"times", times},
                             {"count", count},
                             {"unless", unless},
                             {"one_of", one_of},
                             {"needed_with", needed_with},
                             {"given", given},
                             {"in_fractals", in_fractals},
                             {"as_labelled", as_labelled}};

}  // namespace

std::span<const Builtin> check_builtins() { return kRows; }

}  // namespace belay::operators
