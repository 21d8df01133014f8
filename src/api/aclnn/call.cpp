// SPDX-License-Identifier: Apache-2.0
#include "api/aclnn/call.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

#include "aclnn/aclnn_base.h"
#include "api/aclnn/executor.h"
#include "api/aclnn/stored_form.h"
#include "api/core/entry.h"
#include "api/operators/tensor_desc.h"
#include "base/text.h"
#include "opdev/op_errno.h"
#include "operators/plan_cache.h"
#include "runtime/device/current.h"

namespace belay::api {
namespace {

using operators::CallArgument;
using operators::Value;
using Kind = AclnnArgument::Kind;

Status null_pointer(std::string_view parameter) {
  return {ACLNN_ERR_PARAM_NULLPTR, formatted("parameter {} must not be null", parameter)};
}

Value scalar(const Scalar& given) {
  if (given.type == ACL_BOOL) return Value::of(given.integer() != 0);
  if (given.whole()) return Value::of(given.integer());
  return Value::of(given.real());
}

Value value_of(const AclnnArgument& argument) {
  if (argument.kind == Kind::Integer) return Value::of(argument.integer);
  if (argument.kind == Kind::Flag) return Value::of(argument.integer != 0);
  if (argument.kind == Kind::Real) return Value::of(argument.real);
  if (!argument.object) return {};
  Value made{.kind = Value::Kind::Numbers};
  const auto take = [&](const auto& values) {
    for (const auto value : values)
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, float>)
        made.add_number(value, Value::limited(value));
      else
        made.add_number(static_cast<double>(value), value);
  };
  switch (argument.kind) {
    case Kind::Text:
      return Value::of(std::string(static_cast<const char*>(argument.object)));
    case Kind::Scalar:
      return scalar(static_cast<const aclScalar*>(argument.object)->value);
    case Kind::Ints:
      take(static_cast<const aclIntArray*>(argument.object)->values);
      return made;
    case Kind::Floats:
      take(static_cast<const aclFloatArray*>(argument.object)->values);
      return made;
    case Kind::Bools:
      take(static_cast<const aclBoolArray*>(argument.object)->values);
      return made;
    default: {
      operators::Values members;
      for (const aclScalar* member : static_cast<const aclScalarList*>(argument.object)->members)
        members.push_back(member ? scalar(member->value) : Value{});
      return Value::many(std::move(members));
    }
  }
}

// The tensors of an argument, null where one was not given; none for a value.
std::span<const aclTensor* const> tensors_of(const AclnnArgument& argument) {
  if (argument.kind == Kind::Tensor) return {&argument.tensor, 1};
  const auto* list = argument.kind == Kind::Tensors ? static_cast<const aclTensorList*>(argument.object) : nullptr;
  return list ? std::span(list->members) : std::span<const aclTensor* const>();
}

// What a recipe sees of the arguments.
std::vector<CallArgument> described(std::span<const AclnnArgument> arguments) {
  std::vector<CallArgument> all;
  for (const AclnnArgument& argument : arguments) {
    CallArgument& made = all.emplace_back();
    if (argument.kind == Kind::Tensor)
      made.kind = CallArgument::Kind::Tensor;
    else if (argument.kind == Kind::Tensors)
      made.kind = CallArgument::Kind::Tensors;
    else
      made.value = value_of(argument);
    for (const aclTensor* tensor : tensors_of(argument)) {
      if (!tensor)
        made.tensors.push_back({.present = false});
      else
        made.tensors.push_back({to_graph(tensor->view->type), tensor->view->shape, to_graph(tensor->view->format)});
    }
  }
  return all;
}

// A text that is equal for calls which one plan serves, and for no others.
class Key {
 public:
  Key(const operators::RecipeRow& row, std::span<const AclnnArgument> arguments) {
    text_.reserve(256);
    add(static_cast<int64_t>(reinterpret_cast<intptr_t>(&row)));
    for (const AclnnArgument& argument : arguments) {
      if (argument.kind != Kind::Tensor && argument.kind != Kind::Tensors) add(value_of(argument));
      const auto tensors = tensors_of(argument);
      add(static_cast<int64_t>(tensors.size()));
      for (const aclTensor* tensor : tensors) add(tensor);
    }
  }
  const std::string& text() const { return text_; }

 private:
  void add(int64_t number) { text_.append(reinterpret_cast<const char*>(&number), sizeof(number)); }
  void add(const aclTensor* tensor) {
    add(int64_t{tensor != nullptr});
    if (!tensor) return;
    const TensorView& view = *tensor->view;
    add(static_cast<int64_t>(view.type));
    add(static_cast<int64_t>(view.format));
    add(static_cast<int64_t>(view.shape.size()));
    for (const int64_t dim : view.shape) add(dim);
  }
  void add(const Value& value) {
    add(static_cast<int64_t>(value.kind));
    add(static_cast<int64_t>(value.type));
    add(value.integer);
    add(std::bit_cast<int64_t>(value.number));
    add(static_cast<int64_t>(value.numbers.size()));
    for (const double number : value.numbers) add(std::bit_cast<int64_t>(number));
    for (const int64_t number : value.integers) add(number);
    add(static_cast<int64_t>(value.text.size()));
    text_ += value.text;
    for (const Value& member : value.list) add(member);
  }

  std::string text_;
};

using SharedPlan = std::shared_ptr<const AclnnPlan>;

operators::PlanCache<SharedPlan>& cache() {
  static auto& only = *new operators::PlanCache<SharedPlan>(1024);
  return only;
}

// Errors of shapes and types are the caller's; nulls keep their code.
Status as_invalid(Status status) {
  if (status.code != ACLNN_ERR_PARAM_NULLPTR) status.code = ACLNN_ERR_PARAM_INVALID;
  return status;
}

// A tensor of a type that is none, or that no memory could hold: sizes beyond this are mistakes, and products of them
// would overflow.
Status check_tensor(const TensorView& view) {
  if (view.type != ACL_DT_UNDEFINED && graph::bits_of(to_graph(view.type)) == 0)
    return {ACLNN_ERR_PARAM_INVALID, formatted("{} is not a data type of elements", static_cast<int>(view.type))};
  constexpr int64_t most = int64_t{1} << 44;
  int64_t count = 1;
  for (const int64_t dim : view.shape) {
    if (dim < 0 || dim > most || (dim > 0 && count > most / dim))
      return {ACLNN_ERR_PARAM_INVALID,
              formatted("a tensor has the shape {}: no dimension may be negative, and no memory holds more than {} "
                        "elements",
                        graph::to_text(view.shape), most)};
    count *= std::max<int64_t>(dim, 1);
  }
  return {};
}

Status check_tensors(std::span<const AclnnArgument> arguments) {
  for (const AclnnArgument& argument : arguments)
    for (const aclTensor* tensor : tensors_of(argument))
      if (tensor) TRY(check_tensor(*tensor->view));
  return {};
}

bool nothing_to_do(const operators::Composition& made, const std::vector<CallArgument>& arguments) {
  return std::ranges::all_of(made.outputs, [&](const operators::Place& place) {
    return graph::element_count(arguments[place.parameter].tensors[place.member].shape) == 0;
  });
}

// The outputs, those that the call names last first.
std::vector<size_t> backwards(const std::vector<operators::Place>& outputs) {
  std::vector<size_t> order(outputs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) {
    const operators::Place &x = outputs[a], &y = outputs[b];
    return std::pair{x.parameter, x.member} > std::pair{y.parameter, y.member};
  });
  return order;
}

Result<AclnnPlan> make_plan_of(const operators::RecipeRow& row, const std::vector<CallArgument>& arguments) {
  auto composed = operators::compose(row, arguments);
  if (!composed.ok()) return as_invalid(composed.status());
  operators::Composition made = std::move(composed).value();
  AclnnPlan plan{nullptr, made.inputs, made.outputs, made.whole, backwards(made.outputs)};
  if (nothing_to_do(made, arguments)) return plan;
  auto compiled = operators::Plan::make(std::move(made.graph));
  if (!compiled.ok()) return as_invalid(compiled.status());
  plan.plan = std::move(compiled).value();
  return plan;
}

// Recipes look at dimensions and list members that a call may not have.
Result<AclnnPlan> make_plan(const operators::RecipeRow& row, const std::vector<CallArgument>& arguments) {
  try {
    return make_plan_of(row, arguments);
  } catch (const std::out_of_range&) {
    return Status{ACLNN_ERR_PARAM_INVALID, "a tensor has too few dimensions, or a list too few members"};
  } catch (const std::length_error&) {
    return Status{ACLNN_ERR_PARAM_INVALID, "a number asks for more elements than any memory holds"};
  }
}

Result<SharedPlan> find_plan(const operators::RecipeRow& row, std::span<const AclnnArgument> arguments) {
  const Key key(row, arguments);
  if (auto kept = cache().find(key.text())) return *std::move(kept);
  auto made = std::make_shared<const AclnnPlan>(TRY(make_plan(row, described(arguments))));
  cache().keep(key.text(), made);
  return SharedPlan(std::move(made));
}

std::vector<std::shared_ptr<TensorView>> views_at(const std::vector<operators::Place>& places,
                                                  std::span<const AclnnArgument> arguments) {
  std::vector<std::shared_ptr<TensorView>> views;
  views.reserve(places.size());
  for (const auto& place : places) views.push_back(tensors_of(arguments[place.parameter])[place.member]->view);
  return views;
}

// Tensors in private formats must have a storage shape and strides that go with it.
Status check_forms(const AclnnPlan& plan, const std::vector<std::shared_ptr<TensorView>>& inputs,
                   const std::vector<std::shared_ptr<TensorView>>& outputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (plan.inputs[i].form != operators::Form::Plain) {
      TRY(check_form(*inputs[i], *outputs.at(0)));
      TRY(check_strides(*inputs[i], plan.inputs[i].form));
    }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (plan.outputs[i].form == operators::Form::Labelled) TRY(check_form(*outputs[i], *inputs.at(0)));
  for (size_t i = 0; i < outputs.size(); ++i) TRY(check_strides(*outputs[i], plan.outputs[i].form));
  return {};
}

// What the runtime refuses has one code in aclnn; its sentence stays.
Status of_runtime(Status status) {
  const int layer = status.code / 1000;
  if (layer == 107 || layer == 207 || layer == 507) status.code = ACLNN_ERR_RUNTIME_ERROR;
  return status;
}

}  // namespace

aclnnStatus prepare(const char* function, const operators::RecipeRow& row, std::span<const AclnnArgument> arguments,
                    uint64_t* workspace_size, aclOpExecutor** executor) noexcept {
  return entry(
      function,
      [&]() -> Status {
        if (!workspace_size) return null_pointer("workspaceSize");
        if (!executor) return null_pointer("executor");
        TRY(check_tensors(arguments));
        SharedPlan plan = TRY(find_plan(row, arguments));
        auto inputs = views_at(plan->inputs, arguments), outputs = views_at(plan->outputs, arguments);
        TRY(check_forms(*plan, inputs, outputs));
        auto made = std::make_shared<AclnnExecutor>(row.function.data(), std::move(plan), std::move(inputs),
                                                    std::move(outputs));
        *workspace_size = 0;  // what a run needs besides its tensors is not the program's to give
        *executor = keep_executor(std::move(made));
        return {};
      },
      workspace_size, executor);
}

aclnnStatus execute(const char* function, void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                    aclrtStream stream) noexcept {
  return entry(
      function,
      [&]() -> Status {
        if (!executor) return null_pointer("executor");
        auto found = find_executor(executor);
        if (!found) return {ACLNN_ERR_INNER, "not a live executor (destroyed or consumed)"};
        if (!found->repeatable) (void)take_executor(executor);
        if (workspace_size > 0 && !workspace) return null_pointer("workspace");
        const auto target = find_stream(stream);
        if (!target.ok()) return of_runtime(target.status());
        return of_runtime(found->launch(*target));
      },
      workspace, workspace_size, executor, stream);
}

}  // namespace belay::api

aclnnStatus aclnnInit(const char* configPath) {
  return belay::api::entry(
      __func__, [] { return belay::Status{}; }, configPath);
}

aclnnStatus aclnnFinalize() {
  return belay::api::entry(__func__, [] { return belay::Status{}; });
}
