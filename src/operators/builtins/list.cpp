// SPDX-License-Identifier: Apache-2.0
// Lists of tensors, member by member.
#include "opdev/op_errno.h"
#include "operators/builtins/builtins.h"

namespace belay::operators {
namespace {

// foreach(function, arguments...): the function on the members of all lists that have the same place; what is no list
// is the same for all.
Result<Value> foreach (Sketch& s, const Values& a) {
  const Builtin* each = find_builtin(a[0].text);
  if (!each) return Status{ACL_ERROR_INTERNAL_ERROR, "there is no function " + a[0].text};
  const Value* longest = nullptr;
  for (const Value& value : a) {
    TRY(need(value));
    if (value.kind != Value::Kind::List) continue;
    if (longest && longest->list.size() != value.list.size())
      return invalid(formatted("the lists have {} and {} members", longest->list.size(), value.list.size()));
    longest = &value;
  }
  if (!longest || longest->list.empty())
    return Status{ACLNN_ERR_PARAM_NULLPTR, formatted("parameter {}, a list of tensors, must not be null or empty",
                                                     longest ? longest->text : "")};
  Values made;
  for (size_t i = 0; i < longest->list.size(); ++i) {
    Values arguments;
    for (size_t k = 1; k < a.size(); ++k) arguments.push_back(a[k].kind == Value::Kind::List ? a[k].list[i] : a[k]);
    for (const Value& argument : arguments)
      if (!argument.present()) return need(argument);
    made.push_back(TRY(each->run(s, arguments)));
  }
  return Value::many(std::move(made));
}

// unbind(x): a scalar tensor for each element of a vector.
Result<Value> unbind(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  if (!a[0].is_tensor()) return a[0];
  const int64_t count = graph::element_count(a[0].shape);
  const Value flat = TRY(s.reshape(a[0], {count}));
  Values made;
  for (int64_t i = 0; i < count; ++i)
    made.push_back(
        TRY(s.op("GatherV2", {flat, s.scalar(DataType::Int64, static_cast<double>(i)), s.scalar(DataType::Int64, 0)})));
  return Value::many(std::move(made));
}

// wide(x): types of 16 bits as Float, so that a formula is rounded once; other types as they are.
Result<Value> wide(Sketch& s, const Values& a) {
  if (a[0].kind == Value::Kind::List) {
    Values made;
    for (const Value& member : a[0].list) made.push_back(TRY(wide(s, {member})));
    Value list = Value::many(std::move(made));
    list.text = a[0].text;
    return list;
  }
  if (!a[0].is_tensor()) return a[0];
  return is_narrow(a[0].type) ? s.cast(a[0], DataType::Float) : a[0];
}

// floating(x): as wide; whole numbers and bools, too.
Result<Value> real_of(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  if (a[0].is_tensor() && category_of(a[0].type) < Category::Float) return s.cast(a[0], DataType::Float);
  return wide(s, a);
}

constexpr Builtin kRows[] = {{"foreach", foreach}, {"unbind", unbind}, {"wide", wide}, {"floating", real_of}};

}  // namespace

std::span<const Builtin> list_builtins() { return kRows; }

}  // namespace belay::operators
