// SPDX-License-Identifier: Apache-2.0
// Loop and Scan become While. Its variables: iteration, trip count, condition, what is carried, what is gathered
// (results of each iteration, joined), then what never changes: slices' sources and values of the graphs around.
#include <limits>

#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/numbers.h"
#include "convert/onnx/graph_importer.h"

namespace belay::convert {
namespace {

// A result of each iteration and how they are joined.
struct Gathered {
  std::string tensor;
  int64_t axis = 0;
  bool reversed = false;  // the latest first
};

// An input of which each iteration takes one slice.
struct Sliced {
  std::string inner;  // what the body calls the slice
  Edge source;
  int64_t axis = 0;
  bool reversed = false;
};

struct LoopPlan {
  const onnx::Graph* body = nullptr;
  Edge trip, condition;
  std::string iteration_name, condition_name, next_condition;  // in the body; empty when it does not see them
  std::vector<std::string> carried_names, next_carried;
  std::vector<Edge> carried;
  std::vector<Gathered> gathered;
  std::vector<Sliced> sliced;
};

// Writes one loop: the two graphs and the While.
class LoopWriter {
 public:
  LoopWriter(NodeContext& context, LoopPlan plan)
      : c_(context), plan_(std::move(plan)), cond_name_(c_.name + "_0_cond"), body_name_(c_.name + "_1_body") {}

  // The While; its outputs are the variables. Carried values are variables 3 and following, gathered ones after them.
  Result<Edge> write();

 private:
  std::vector<InputSpec> variables() const;
  Status write_body(const std::vector<InputSpec>& specs);
  Status write_cond(const std::vector<InputSpec>& specs);
  Edge slice(GraphImporter& body, const Sliced& one, Edge source, Edge iteration, Edge trip) const;
  Edge join(GraphImporter& body, const Gathered& one, Edge so_far) const;

  NodeContext& c_;
  LoopPlan plan_;
  const std::string cond_name_, body_name_;
  std::vector<std::string> captured_;
  std::vector<TensorInfo> elements_;  // of what is gathered, one iteration's
  std::vector<Shape> next_;           // of what is carried, after an iteration
};

InputSpec spec(std::string name, const TensorInfo& info) { return {std::move(name), info.type, info.shape}; }

std::vector<InputSpec> LoopWriter::variables() const {
  std::vector<InputSpec> specs = {{"iteration", DataType::Int64, {}}};
  specs.push_back(spec("trip_count", c_.info(plan_.trip)));
  specs.push_back(spec("condition", c_.info(plan_.condition)));
  for (size_t i = 0; i < plan_.carried.size(); ++i)
    specs.push_back(spec(plan_.carried_names[i], c_.info(plan_.carried[i])));
  for (const auto& one : plan_.gathered) specs.push_back({one.tensor + "_so_far", DataType::Undefined, {-2}});
  for (const auto& one : plan_.sliced) specs.push_back(spec(one.inner + "_source", c_.info(one.source)));
  return specs;
}

Edge LoopWriter::slice(GraphImporter& body, const Sliced& one, Edge source, Edge iteration, Edge trip) const {
  Edge place = iteration;
  if (one.reversed) {
    const Edge left = body.add_operator(one.inner + "_left", "Sub", {trip, iteration});
    place = body.add_operator(one.inner + "_place", "Adds", {left}, {{"value", -1.0f}});
  }
  const Edge axis = body.add_constant(one.inner + "_axis", make_ints({one.axis}, {}, DataType::Int32));
  return body.add_operator(one.inner, "GatherV2", {source, place, axis}, {{"negative_index_support", true}});
}

Edge LoopWriter::join(GraphImporter& body, const Gathered& one, Edge so_far) const {
  const Edge row =
      body.add_operator(one.tensor + "_row", "Unsqueeze", {body.find(one.tensor)}, {{"axes", std::vector{one.axis}}});
  const std::vector<Edge> parts = one.reversed ? std::vector{row, so_far} : std::vector{so_far, row};
  return body.add_operator(one.tensor + "_joined", "ConcatD", parts, {{"concat_dim", one.axis}, {"N", 2}});
}

// What one iteration gives, as far as shape rules or else the file can tell.
TensorInfo element(GraphImporter& body, const std::string& tensor) {
  const TensorInfo info = body.builder().info(body.find(tensor));
  const auto* declared = body.declared(tensor);
  const bool known = graph::is_known(info.shape) || !declared;
  return {info.type, known ? info.shape : declared->shape};
}

Status LoopWriter::write_body(const std::vector<InputSpec>& specs) {
  GraphImporter body(c_.importer().state(), &c_.importer(), body_name_);
  const size_t first_gathered = 3 + plan_.carried.size(), first_sliced = first_gathered + plan_.gathered.size();
  std::vector<Edge> inputs;
  for (size_t i = 0; i < specs.size(); ++i) {  // the body may use tensors around it that are called as our variables
    const bool carried = i >= 3 && i < first_gathered;
    inputs.push_back(carried ? body.add_input(specs[i]) : body.add_unnamed_input(specs[i]));
  }
  if (!plan_.iteration_name.empty()) body.bind(plan_.iteration_name, inputs[0]);
  if (!plan_.condition_name.empty()) body.bind(plan_.condition_name, inputs[2]);
  for (size_t i = 0; i < plan_.sliced.size(); ++i)
    body.bind(plan_.sliced[i].inner, slice(body, plan_.sliced[i], inputs[first_sliced + i], inputs[0], inputs[1]));
  body.add_initializers(*plan_.body);
  body.add_nodes(*plan_.body);

  std::vector<Edge> results = inputs;
  const Edge one = body.add_constant("one", make_ints({1}, {}, DataType::Int64));
  results[0] = body.add_operator("next_iteration", "Add", {inputs[0], one});
  if (!plan_.next_condition.empty()) results[2] = body.find(plan_.next_condition);
  for (size_t i = 0; i < plan_.carried.size(); ++i) results[3 + i] = body.find(plan_.next_carried[i]);
  elements_.clear();
  next_.clear();
  for (size_t i = 0; i < plan_.gathered.size(); ++i) {
    elements_.push_back(element(body, plan_.gathered[i].tensor));
    results[first_gathered + i] = join(body, plan_.gathered[i], inputs[first_gathered + i]);
  }
  for (size_t i = 0; i < plan_.carried.size(); ++i) {
    if (!results[3 + i].connected()) return c_.fail("its body does not make " + plan_.next_carried[i]);
    next_.push_back(body.builder().info(results[3 + i]).shape);
  }
  captured_.clear();
  std::vector<int> data;
  for (const Edge input : inputs) data.push_back(input.node);
  for (const auto& capture : body.captures()) {
    captured_.push_back(capture.tensor);
    data.push_back(capture.data);
    results.push_back({capture.data, 0});
  }
  for (size_t i = 0; i < results.size(); ++i) body.bind(formatted("While result {}", i), results[i]);
  std::vector<std::string> names;
  for (size_t i = 0; i < results.size(); ++i) names.push_back(formatted("While result {}", i));
  body.add_outputs(names, nullptr);
  body.set_parent_ports(data, 0);
  return body.hand_over();
}

Status LoopWriter::write_cond(const std::vector<InputSpec>& specs) {
  GraphImporter cond(c_.importer().state(), &c_.importer(), cond_name_);
  std::vector<int> data;
  for (const auto& one : specs) data.push_back(cond.add_input(one).node);
  for (const auto& tensor : captured_) data.push_back(cond.capture(tensor));
  const Edge more = cond.add_operator("more", "Less", {{data[0], 0}, {data[1], 0}});
  cond.bind("While goes on", cond.add_operator("goes_on", "LogicalAnd", {more, {data[2], 0}}));
  cond.add_outputs({"While goes on"}, nullptr);
  cond.set_parent_ports(data, 0);
  return cond.hand_over();
}

// A shape that holds before and after an iteration.
Shape common_shape(const Shape& before, const Shape& after) {
  if (before.size() != after.size() || before == Shape{-2} || after == Shape{-2}) return {-2};
  Shape common = before;
  for (size_t i = 0; i < common.size(); ++i)
    if (before[i] != after[i]) common[i] = -1;
  return common;
}

Result<Edge> LoopWriter::write() {
  std::vector<InputSpec> specs = variables();
  // The body is imported until its variables have shapes that hold in every iteration.
  const ImportState before = c_.importer().state();
  for (bool settled = false; !settled;) {
    c_.importer().state() = before;
    TRY(write_body(specs));
    settled = true;
    for (size_t i = 0; i < plan_.carried.size(); ++i) {
      const Shape common = common_shape(specs[3 + i].shape, next_[i]);
      settled &= common == specs[3 + i].shape;
      specs[3 + i].shape = common;
    }
  }
  std::vector<Edge> inputs = {c_.int_scalar("iteration", 0), plan_.trip, plan_.condition};
  inputs.insert(inputs.end(), plan_.carried.begin(), plan_.carried.end());
  for (size_t i = 0; i < plan_.gathered.size(); ++i) {
    Shape shape = elements_[i].shape;
    if (!graph::is_known(shape) || elements_[i].type == DataType::Undefined)
      return c_.fail(formatted("the shape of {} in its body is not known", plan_.gathered[i].tensor));
    if (plan_.gathered[i].axis > static_cast<int64_t>(shape.size()))
      return c_.fail(
          formatted("scan_output_axes has {} for a tensor of rank {}", plan_.gathered[i].axis, shape.size()));
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(plan_.gathered[i].axis), 0);
    const size_t at = 3 + plan_.carried.size() + i;
    specs[at].type = elements_[i].type;
    specs[at].shape = shape;
    specs[at].shape[static_cast<size_t>(plan_.gathered[i].axis)] = -1;
    inputs.push_back(c_.constant("none_" + plan_.gathered[i].tensor, {elements_[i].type, shape}));
  }
  if (!plan_.gathered.empty()) {  // now that the types of what is gathered are known
    c_.importer().state() = before;
    TRY(write_body(specs));
  }
  TRY(write_cond(specs));
  for (const auto& one : plan_.sliced) inputs.push_back(one.source);
  for (const auto& tensor : captured_) inputs.push_back(c_.importer().find(tensor));
  return c_.add_control("While", inputs, {cond_name_, body_name_}, inputs.size());
}

void give_results(NodeContext& c, Edge loop, size_t count) {
  for (size_t i = 0; i < count; ++i) c.give(i, {loop.node, static_cast<int>(3 + i)});
}

Status loop(NodeContext& c) {
  LoopPlan plan{.body = c.graph("body")};
  if (!plan.body || plan.body->inputs.size() < 2 || plan.body->outputs.empty()) return c.fail("its body is missing");
  const size_t carried = plan.body->inputs.size() - 2;
  if (plan.body->outputs.size() < 1 + carried) return c.fail("its body gives too few values");
  const int64_t forever = std::numeric_limits<int64_t>::max();
  plan.trip = c.has(0) ? c.in(0) : c.int_scalar("trip_count", forever);
  plan.condition = c.has(1) ? c.in(1) : c.constant("condition", make_ints({1}, {}, DataType::Bool));
  plan.iteration_name = plan.body->inputs[0].name;
  plan.condition_name = plan.body->inputs[1].name;
  plan.next_condition = plan.body->outputs[0].name;
  for (size_t i = 0; i < carried; ++i) {
    if (plan.body->inputs[2 + i].kind == onnx::ValueInfo::Kind::Sequence) return c.fail("it carries a sequence");
    if (!c.has(2 + i)) return c.fail("a carried value has no initial value");
    plan.carried_names.push_back(plan.body->inputs[2 + i].name);
    plan.next_carried.push_back(plan.body->outputs[1 + i].name);
    plan.carried.push_back(c.in(2 + i));
  }
  for (size_t i = 1 + carried; i < plan.body->outputs.size(); ++i)
    plan.gathered.push_back({plan.body->outputs[i].name});
  const Edge done = TRY(LoopWriter(c, plan).write());
  give_results(c, done, plan.carried.size() + plan.gathered.size());
  return {};
}

// The number of slices, as a constant or computed.
Edge slice_count(NodeContext& c, Edge source, int64_t axis) {
  const Shape shape = c.info(source).shape;
  if (shape != Shape{-2} && shape[static_cast<size_t>(axis)] >= 0)
    return c.int_scalar("trip_count", shape[static_cast<size_t>(axis)]);
  const Edge whole = c.add("Shape", {source}, {{"dtype", static_cast<int64_t>(DataType::Int64)}});
  return c.add({"GatherV2", "trip_count"}, {whole, c.int_scalar("trip_axis", axis), c.int_scalar("zero", 0)});
}

Status scan(NodeContext& c) {
  LoopPlan plan{.body = c.graph("body")};
  const auto slices = static_cast<size_t>(c.integer("num_scan_inputs", 0));
  if (!plan.body || slices == 0 || c.input_count() < slices) return c.fail("body or num_scan_inputs is missing");
  const size_t carried = c.input_count() - slices;
  if (plan.body->inputs.size() != c.input_count() || plan.body->outputs.size() < carried)
    return c.fail("its body does not fit its inputs");
  const auto at = [](const std::vector<int64_t>& list, size_t i) { return i < list.size() ? list[i] : 0; };
  const auto axes = c.integers("scan_input_axes"), directions = c.integers("scan_input_directions");
  const auto out_axes = c.integers("scan_output_axes"), out_directions = c.integers("scan_output_directions");
  for (size_t i = 0; i < carried; ++i) {
    plan.carried_names.push_back(plan.body->inputs[i].name);
    plan.next_carried.push_back(plan.body->outputs[i].name);
    plan.carried.push_back(c.in(i));
  }
  for (size_t i = 0; i < slices; ++i) {
    const int rank = c.rank(c.in(carried + i));
    if (rank < 1) return c.fail("the rank of its scan inputs must be known");
    const auto axis = static_cast<int64_t>(TRY(c.axis_within(at(axes, i), rank)));
    plan.sliced.push_back({plan.body->inputs[carried + i].name, c.in(carried + i), axis, at(directions, i) != 0});
  }
  for (size_t i = carried; i < plan.body->outputs.size(); ++i) {
    const int64_t axis = at(out_axes, i - carried);
    if (axis < 0) return c.fail("negative scan_output_axes are not supported");
    plan.gathered.push_back({plan.body->outputs[i].name, axis, at(out_directions, i - carried) != 0});
  }
  plan.trip = slice_count(c, plan.sliced[0].source, plan.sliced[0].axis);
  plan.condition = c.constant("condition", make_ints({1}, {}, DataType::Bool));
  const Edge done = TRY(LoopWriter(c, plan).write());
  give_results(c, done, plan.carried.size() + plan.gathered.size());
  return {};
}

constexpr MapRow rows[] = {
    {"Loop", 1, latest, "While", loop},
    {"Scan", 9, latest, "While", scan},
};

}  // namespace

std::span<const MapRow> map_rows_loop() { return rows; }

}  // namespace belay::convert
