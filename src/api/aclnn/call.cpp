// SPDX-License-Identifier: Apache-2.0
#include "api/aclnn/call.h"

#include <algorithm>
#include <bit>

#include "aclnn/aclnn_base.h"
#include "api/aclnn/executor.h"
#include "api/core/entry.h"
#include "api/operators/tensor_desc.h"
#include "base/text.h"
#include "graph/tensor/private_format.h"
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

// What a recipe sees of an argument.
class Described {
 public:
  explicit Described(std::span<const AclnnArgument> arguments) {
    for (const AclnnArgument& argument : arguments) arguments_.push_back(describe(argument));
  }

  const std::vector<CallArgument>& arguments() const { return arguments_; }
  // Equal for calls that one plan serves.
  const std::string& key() const { return key_; }
  // The tensors of each argument; null where one was not given.
  const std::vector<std::vector<std::shared_ptr<TensorView>>>& views() const { return views_; }

 private:
  CallArgument describe(const AclnnArgument& argument) {
    CallArgument made;
    views_.emplace_back();
    key_ += '|';
    if (argument.kind == Kind::Tensor) {
      made.kind = CallArgument::Kind::Tensor;
      add_tensor(made, static_cast<const aclTensor*>(argument.object));
    } else if (argument.kind == Kind::Tensors) {
      made.kind = CallArgument::Kind::Tensors;
      if (const auto* list = static_cast<const aclTensorList*>(argument.object))
        for (const aclTensor* tensor : list->members) add_tensor(made, tensor);
    } else {
      made.value = value_of(argument);
      add_key(made.value);
    }
    return made;
  }

  void add_tensor(CallArgument& argument, const aclTensor* tensor) {
    views_.back().push_back(tensor ? tensor->view : nullptr);
    if (!tensor) {
      argument.tensors.push_back({.present = false});
      key_ += '-';
      return;
    }
    const TensorView& view = *tensor->view;
    argument.tensors.push_back({to_graph(view.type), view.shape, to_graph(view.format)});
    add_key(static_cast<int64_t>(view.type));
    add_key(static_cast<int64_t>(view.format));
    add_key(static_cast<int64_t>(view.shape.size()));
    for (const int64_t dim : view.shape) add_key(dim);
  }

  static Value scalar(const Scalar& given) {
    if (given.type == ACL_BOOL) return Value::of(given.integer() != 0);
    if (given.whole()) return Value::of(given.integer());
    return Value::of(given.real());
  }

  static Value value_of(const AclnnArgument& argument) {
    if (argument.kind == Kind::Integer) return Value::of(argument.integer);
    if (argument.kind == Kind::Flag) return Value::of(argument.integer != 0);
    if (argument.kind == Kind::Real) return Value::of(argument.real);
    if (!argument.object) return {};
    Value made{.kind = Value::Kind::Numbers};
    const auto take = [&](const auto& values) { made.numbers.assign(values.begin(), values.end()); };
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

  void add_key(int64_t number) { key_.append(reinterpret_cast<const char*>(&number), sizeof(number)); }
  void add_key(const Value& value) {
    add_key(static_cast<int64_t>(value.kind));
    add_key(static_cast<int64_t>(value.type));
    add_key(value.integer);
    add_key(std::bit_cast<int64_t>(value.number));
    add_key(static_cast<int64_t>(value.numbers.size()));
    for (const double number : value.numbers) add_key(std::bit_cast<int64_t>(number));
    add_key(static_cast<int64_t>(value.text.size()));
    key_ += value.text;
    for (const Value& member : value.list) add_key(member);
  }

  std::vector<CallArgument> arguments_;
  std::vector<std::vector<std::shared_ptr<TensorView>>> views_;
  std::string key_;
};

operators::PlanCache<AclnnPlan>& cache() {
  static auto& only = *new operators::PlanCache<AclnnPlan>(1024);
  return only;
}

// Errors of shapes and types are the caller's; nulls keep their code.
Status as_invalid(Status status) {
  if (status.code != ACLNN_ERR_PARAM_NULLPTR) status.code = ACLNN_ERR_PARAM_INVALID;
  return status;
}

// Tensors in private formats are not looked at: nothing here would understand their bytes.
Status check_formats(const std::vector<std::vector<std::shared_ptr<TensorView>>>& views) {
  for (const auto& of_argument : views)
    for (const auto& view : of_argument)
      if (view && graph::is_private(to_graph(view->format)))
        return {
            ACLNN_ERR_PARAM_INVALID,
            formatted("a tensor of shape {} is stored as {}; only formats in the order of the dimensions are supported",
                      graph::to_text(view->shape), graph::name_of(to_graph(view->format)))};
  return {};
}

bool nothing_to_do(const operators::Composition& made, const std::vector<CallArgument>& arguments) {
  return std::ranges::all_of(made.outputs, [&](const operators::Place& place) {
    return graph::element_count(arguments[place.parameter].tensors[place.member].shape) == 0;
  });
}

Result<AclnnPlan> make_plan(const operators::RecipeRow& row, const std::vector<CallArgument>& arguments) {
  auto composed = operators::compose(row, arguments);
  if (!composed.ok()) return as_invalid(composed.status());
  operators::Composition made = std::move(composed).value();
  AclnnPlan plan{nullptr, made.inputs, made.outputs, made.whole};
  if (nothing_to_do(made, arguments)) return plan;
  auto compiled = operators::Plan::make(std::move(made.graph));
  if (!compiled.ok()) return as_invalid(compiled.status());
  plan.plan = std::move(compiled).value();
  return plan;
}

Result<AclnnPlan> find_plan(const operators::RecipeRow& row, const Described& described) {
  const std::string key = std::string(row.function) + described.key();
  if (auto kept = cache().find(key)) return *kept;
  AclnnPlan made = TRY(make_plan(row, described.arguments()));
  cache().keep(key, made);
  return made;
}

}  // namespace

aclnnStatus prepare(const char* function, const operators::RecipeRow& row, std::span<const AclnnArgument> arguments,
                    uint64_t* workspace_size, aclOpExecutor** executor) noexcept {
  return entry(
      function,
      [&]() -> Status {
        if (!workspace_size) return null_pointer("workspaceSize");
        if (!executor) return null_pointer("executor");
        const Described described(arguments);
        TRY(check_formats(described.views()));
        AclnnPlan plan = TRY(find_plan(row, described));
        std::vector<std::shared_ptr<TensorView>> inputs, outputs;
        for (const auto& place : plan.inputs) inputs.push_back(described.views()[place.parameter][place.member]);
        for (const auto& place : plan.outputs) outputs.push_back(described.views()[place.parameter][place.member]);
        auto made = std::make_shared<AclnnExecutor>(row.function.data(), std::move(plan), std::move(inputs),
                                                    std::move(outputs));
        *workspace_size = made->workspace_bytes();
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
        auto target = find_stream(stream);
        if (!target.ok()) {
          Status status = target.status();
          status.code = ACLNN_ERR_RUNTIME_ERROR;
          return status;
        }
        return found->launch(*target, workspace, workspace_size);
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
