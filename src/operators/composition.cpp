// SPDX-License-Identifier: Apache-2.0
#include "operators/composition.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "graph/model/schema.h"
#include "graph/tensor/private_format.h"
#include "opdev/op_errno.h"
#include "operators/promotion.h"
#include "operators/recipe.h"

namespace belay::operators {
namespace {

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    const size_t end = text.find(' ');
    all.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return all;
}

// An attribute of the type its schema gives, from a value of a recipe.
Result<graph::Attribute> attribute_of(const Value& value, const std::string& type) {
  if (type == "ListInt") return graph::Attribute(value.ints());
  if (type == "ListFloat") return graph::Attribute(std::vector<float>(value.numbers.begin(), value.numbers.end()));
  if (type == "Int") return graph::Attribute(value.integer);
  if (type == "Bool") return graph::Attribute(value.number != 0);
  if (type == "Float") return graph::Attribute(static_cast<float>(value.number));
  if (type == "String") return graph::Attribute(value.text);
  if (type == "Type") return graph::Attribute(static_cast<DataType>(value.integer));
  return Status{ACL_ERROR_INTERNAL_ERROR, "recipes cannot set an attribute of type " + type};
}

// An attribute of an operator that computes a whole call, of the type that the value has.
graph::Attribute attribute_like(const Value& value) {
  if (value.kind == Value::Kind::Text) return value.text;
  if (value.kind != Value::Kind::Number) return value.ints();
  if (value.type == DataType::Bool) return value.number != 0;
  if (value.type == DataType::Int64) return value.integer;
  return static_cast<float>(value.number);
}

// One evaluation of a recipe; a wide one computes with tensors of 16 bits as Float.
class Evaluation {
 public:
  Evaluation(const RecipeRow& row, std::span<const CallArgument> arguments, bool wide)
      : row_(row), names_(words(row.parameters)), arguments_(arguments), wide_(wide) {}

  bool rounds_on_the_way() const { return !whole_ && sketch_.rounds_on_the_way(); }

  Result<Composition> finish() {
    Composition made;
    made.inputs = inputs_;
    made.outputs = outputs_;
    made.whole = whole_;
    made.graph = sketch_.finish(results_);
    return made;
  }

  Status run() {
    for (const Statement& statement : TRY(parse_recipe(row_.recipe))) TRY(execute(statement));
    return {};
  }

 private:
  Status execute(const Statement& statement) {
    if (statement.value.kind == Expression::Kind::Call && statement.value.text.starts_with("Aclnn"))
      return execute_whole(statement);
    Value value = TRY(evaluate(statement.value));
    if (statement.targets.size() == 1) return assign(statement.targets[0], value);
    if (value.kind != Value::Kind::List || value.list.size() < statement.targets.size())
      return {ACL_ERROR_INTERNAL_ERROR, "the recipe of " + std::string(row_.function) + " has too few results"};
    for (size_t i = 0; i < statement.targets.size(); ++i) TRY(assign(statement.targets[i], value.list[i]));
    return {};
  }

  // An operator that computes the whole call. Its options are its inputs, where they are tensors, and its attributes;
  // its outputs are the targets as they were given.
  Status execute_whole(const Statement& statement) {
    std::vector<std::string> ports;
    Values inputs;
    graph::Attributes attributes;
    for (const auto& [name, option] : statement.value.options) {
      const Value value = TRY(evaluate(option));
      if (value.kind == Value::Kind::Absent) continue;
      if (value.kind != Value::Kind::Tensor && value.kind != Value::Kind::List) {
        attributes[name] = attribute_like(value);
        continue;
      }
      for (const Value& tensor : value.is_tensor() ? Values{value} : value.list) {
        if (!tensor.is_tensor()) continue;
        ports.push_back(name);
        inputs.push_back(tensor);
      }
    }
    std::vector<int64_t> results, types;
    std::vector<Shape> shapes;
    std::vector<Place> places;
    for (size_t t = 0; t < statement.targets.size(); ++t) {
      const bool optional = statement.targets[t].ends_with('?');
      const std::string target = statement.targets[t].substr(0, statement.targets[t].size() - (optional ? 1 : 0));
      const int named = target == row_.in_place ? 0 : parameter(target);
      if (named < 0) return {ACL_ERROR_INTERNAL_ERROR, target + " is no parameter of " + std::string(row_.function)};
      const auto index = static_cast<size_t>(named);
      const auto& tensors = arguments_[index].tensors;
      const bool labelled = attributes.contains("labelled");  // may be stored as its format says
      if (!labelled) TRY(check_form(static_cast<int>(index)));
      const bool missing = std::ranges::any_of(tensors, [](const TensorArgument& tensor) { return !tensor.present; });
      if (tensors.empty() || missing) {
        if (optional) continue;
        return {ACLNN_ERR_PARAM_NULLPTR, formatted("parameter {} must not be null", target)};
      }
      for (size_t member = 0; member < tensors.size(); ++member) {
        results.push_back(static_cast<int64_t>(t));
        types.push_back(static_cast<int64_t>(tensors[member].type));
        shapes.push_back(tensors[member].shape);
        places.push_back({index, member, labelled ? form_of(tensors[member], Form::Plain) : Form::Plain});
      }
    }
    attributes["ports"] = std::move(ports);
    attributes["results"] = std::move(results);
    attributes["types"] = std::move(types);
    attributes["shapes"] = std::move(shapes);
    for (Value& made : TRY(sketch_.ops(statement.value.text, inputs, std::move(attributes), places.size())))
      results_.push_back(std::move(made));
    outputs_.insert(outputs_.end(), places.begin(), places.end());
    whole_ = true;
    return {};
  }

  int parameter(std::string_view name) const {
    const auto found = std::ranges::find(names_, name);
    return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
  }

  Status assign(std::string target, const Value& value) {
    const bool optional = target.ends_with('?');
    if (optional) target.pop_back();
    int index = parameter(target);
    if (index < 0 && target == row_.in_place) index = 0;
    if (index < 0) {
      variables_[target] = value;
      return {};
    }
    const CallArgument& argument = arguments_[static_cast<size_t>(index)];
    if (optional && (!value.present() || !argument.tensors[0].present)) return {};
    if (argument.kind == CallArgument::Kind::Tensor) return store(value, static_cast<size_t>(index), 0);
    if (argument.tensors.empty())
      return {ACLNN_ERR_PARAM_NULLPTR, formatted("parameter {} must not be null or empty", target)};
    if (value.list.size() != argument.tensors.size())
      return invalid(
          formatted("{} has {} tensors, but there are {} results", target, argument.tensors.size(), value.list.size()));
    for (size_t i = 0; i < value.list.size(); ++i) TRY(store(value.list[i], static_cast<size_t>(index), i));
    return {};
  }

  Status store(const Value& value, size_t index, size_t member) {
    const TensorArgument& out = arguments_[index].tensors[member];
    if (!out.present) {
      if (names_[index].ends_with("Optional")) return {};
      return {ACLNN_ERR_PARAM_NULLPTR, formatted("parameter {} must not be null", names_[index])};
    }
    if (value.form != Form::Labelled) TRY(check_form(static_cast<int>(index)));
    if (!value.any_type && value.kind != Value::Kind::Number && !may_store(value.type, out.type))
      return invalid(formatted("the result is {}, which cannot be stored in {} of type {}", graph::name_of(value.type),
                               names_[index], graph::name_of(out.type)));
    Value result = TRY(sketch_.cast(value, out.type));
    if (result.shape != out.shape) result = TRY(reshaped(result, out.shape, names_[index]));
    results_.push_back(result);
    outputs_.push_back({index, member, value.form == Form::Labelled ? form_of(out, Form::Plain) : value.form});
    return {};
  }

  // As the tensor's format says, where that is private.
  static Form form_of(const TensorArgument& tensor, Form otherwise) {
    return graph::is_private(tensor.format) ? Form::Labelled : otherwise;
  }

  // Dimensions of 1 may be missing or added.
  Result<Value> reshaped(const Value& result, const Shape& wanted, std::string_view name) {
    const auto without_ones = [](Shape shape) {
      std::erase(shape, 1);
      return shape;
    };
    if (without_ones(result.shape) == without_ones(wanted)) return sketch_.reshape(result, wanted);
    return invalid(formatted("the result has shape {}, {} has shape {}", graph::to_text(result.shape), name,
                             graph::to_text(wanted)));
  }

  Result<Value> evaluate(const Expression& expression) {
    switch (expression.kind) {
      case Expression::Kind::Number:
        return expression.real ? Value::of(expression.number) : Value::of(Value::limited(expression.number));
      case Expression::Kind::Text:
        return Value::of(expression.text);
      case Expression::Kind::Name:
        return named(expression.text);
      case Expression::Kind::List:
        return list(TRY(evaluate_all(expression.items)));
      case Expression::Kind::Call:
        break;
    }
    if (expression.text == "like" || expression.text == "like_any")
      return like(expression.items.at(0).text, expression.text == "like_any");
    if (expression.text == "stored" || expression.text == "stored_in_fractals") return stored(expression);
    Values arguments = TRY(evaluate_all(expression.items));
    if (const Builtin* builtin = find_builtin(expression.text)) return builtin->run(sketch_, arguments);
    return call(expression, arguments);
  }

  Result<Values> evaluate_all(const std::vector<Expression>& expressions) {
    Values all;
    for (const Expression& expression : expressions) all.push_back(TRY(evaluate(expression)));
    return all;
  }

  // Numbers stay numbers; with a tensor among them, a list of tensors.
  static Value list(const Values& items) {
    Value made{.kind = Value::Kind::Numbers};
    for (const Value& item : items) {
      if (item.kind != Value::Kind::Number) return Value::many(items);
      made.add_number(item.number, item.integer);
    }
    return made;
  }

  Result<Value> named(const std::string& name) {
    if (const auto found = variables_.find(name); found != variables_.end()) return found->second;
    const int index = parameter(name);
    if (index < 0) return Value::of(name);  // the name of an operator
    const CallArgument& argument = arguments_[static_cast<size_t>(index)];
    if (argument.kind == CallArgument::Kind::Value) return absent_named(argument.value, name);
    TRY(check_form(index));
    if (argument.kind == CallArgument::Kind::Tensor)
      return variables_[name] = absent_named(TRY(take(static_cast<size_t>(index), 0)), name);
    Values members;
    for (size_t i = 0; i < argument.tensors.size(); ++i) members.push_back(TRY(take(static_cast<size_t>(index), i)));
    Value list = Value::many(std::move(members));
    list.text = name;
    return variables_[name] = list;
  }

  static Value absent_named(Value value, const std::string& name) {
    if (!value.present()) value.text = name;
    return value;
  }

  Result<Value> take(size_t index, size_t member) {
    const TensorArgument& tensor = arguments_[index].tensors[member];
    if (!tensor.present) return Value{};
    inputs_.push_back(
        {index, member, form_of(tensor, forced_ == static_cast<int>(index) ? Form::Fractal : Form::Plain)});
    const Value given = sketch_.input(tensor.type, tensor.shape,
                                      inputs_.back().form == Form::Plain ? tensor.format : graph::Format::ND);
    return wide_ && is_narrow(tensor.type) ? sketch_.cast(given, DataType::Float) : given;
  }

  // stored(name), stored_in_fractals(name): a parameter that may lie in another order than that of its dimensions.
  Result<Value> stored(const Expression& expression) {
    const int index = parameter(expression.items[0].text);
    if (expression.text == "stored_in_fractals") forced_ = index;
    open_.push_back(index);
    return evaluate(expression.items[0]);
  }

  Status check_form(int index) const {
    if (std::ranges::count(open_, index) > 0) return {};
    for (const TensorArgument& tensor : arguments_[static_cast<size_t>(index)].tensors)
      if (tensor.present && graph::is_private(tensor.format))
        return invalid(
            formatted("{} of shape {} is stored as {}; only formats in the order of the dimensions are "
                      "supported here",
                      names_[static_cast<size_t>(index)], graph::to_text(tensor.shape), graph::name_of(tensor.format)));
    return {};
  }

  // `optional`: absent when it was not given.
  Result<Value> like(const std::string& name, bool optional) {
    const int index = parameter(name) < 0 && name == row_.in_place ? 0 : parameter(name);
    const TensorArgument& tensor = arguments_[static_cast<size_t>(index)].tensors[0];
    if (!tensor.present && optional) return Value{};
    if (!tensor.present) return Status{ACLNN_ERR_PARAM_NULLPTR, "parameter " + name + " must not be null"};
    return Value{.kind = Value::Kind::Like, .type = tensor.type, .shape = tensor.shape};
  }

  // A GE operator as it is; its options are attributes.
  Result<Value> call(const Expression& expression, const Values& inputs) {
    const graph::Schema* schema = graph::find_schema(expression.text);
    if (!schema) return Status{ACL_ERROR_INTERNAL_ERROR, "there is no function or operator " + expression.text};
    for (size_t i = 0; i < std::min(inputs.size(), schema->inputs.size()); ++i)
      if (schema->inputs[i].kind == graph::PortKind::Required) TRY(need(inputs[i]));
    graph::Attributes attributes;
    for (const auto& [name, option] : expression.options) {
      const graph::AttributeSchema* declared = schema->attribute(name);
      if (!declared) return Status{ACL_ERROR_INTERNAL_ERROR, expression.text + " has no attribute " + name};
      const Value value = TRY(evaluate(option));
      TRY(need(value));
      attributes[name] = TRY(attribute_of(value, declared->type));
    }
    Values results = TRY(sketch_.ops(expression.text, inputs, std::move(attributes)));
    return results.size() == 1 ? results[0] : Value::many(std::move(results));
  }

  const RecipeRow& row_;
  const std::vector<std::string_view> names_;
  const std::span<const CallArgument> arguments_;
  Sketch sketch_;
  std::map<std::string, Value, std::less<>> variables_;
  std::vector<Place> inputs_, outputs_;
  Values results_;
  std::vector<int> open_;  // parameters that may be stored in a private format
  int forced_ = -1;        // the one that is taken to be in FRACTAL_NZ
  bool whole_ = false;
  const bool wide_;
};

}  // namespace

Result<Composition> compose(const RecipeRow& row, std::span<const CallArgument> arguments) {
  Evaluation plain(row, arguments, false);
  TRY(plain.run());
  if (!plain.rounds_on_the_way()) return plain.finish();
  // 16-bit inputs are computed with in float and rounded once; where that takes one step, the kernel does it.
  Evaluation wide(row, arguments, true);
  TRY(wide.run());
  return wide.finish();
}

}  // namespace belay::operators
