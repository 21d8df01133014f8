// SPDX-License-Identifier: Apache-2.0
#include "blame/trial.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "graph/infer/constant_nodes.h"

namespace belay::blame {
namespace {

// The node as the side computed it: its tensors may be narrower than the model's.
void use_recorded_types(graph::Node& node, std::span<const Held> inputs) {
  for (size_t i = 0; i < node.input_descs.size() && i < inputs.size(); ++i)
    if (inputs[i].source && exact::is_float_type(inputs[i].source->type()) &&
        exact::is_float_type(node.input_descs[i].type))
      node.input_descs[i].type = inputs[i].source->type();
}

bool is_half(graph::DataType type) { return type == graph::DataType::Float16 || type == graph::DataType::BFloat16; }

// How far an element may be off once it is stored in this type.
exact::Errors rounding_to(graph::DataType type, const exact::Value& value) {
  const double step = type == graph::DataType::Float16 ? 0x1p-11 : 0x1p-8;
  const double least = type == graph::DataType::Float16 ? 0x1p-25 : 0x1p-134;
  std::vector<double> errors;
  for (const double element : value.doubles()) errors.push_back(std::max(std::abs(element) * step, least));
  return std::make_shared<const std::vector<double>>(std::move(errors));
}

// What is left of a value that goes through a narrower type. What is beyond its range is its largest number, or
// infinite.
Result<exact::Value> narrowed_to(graph::DataType type, const exact::Value& value, bool saturated) {
  std::vector<double> elements(value.doubles().begin(), value.doubles().end());
  const double most = exact::largest_of(type);
  for (double& element : elements)
    if (saturated && std::isfinite(element)) element = std::clamp(element, -most, most);
  const auto bytes = TRY(exact::narrowed(exact::make_value(value.shape, elements), type));
  return exact::widened(type, value.shape, bytes);
}

}  // namespace

Trial::Trial(const graph::Model& model, const Ran& ran, const OtherRanks* others)
    : model_(model), ran_(ran), others_(graph::is_collective(ran.op()) ? others : nullptr), node_(ran.node) {}

Status Trial::recompute(std::span<const Held> inputs) {
  inputs_.clear();
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto value = value_of(inputs[i]);
    if (!value.ok()) return {value.status().code, formatted("input {}: {}", i, value.status().message)};
    inputs_.push_back(std::move(value).value());
  }
  expected_ = TRY(evaluate(inputs_));
  return {};
}

Status Trial::read_outputs() {
  got_.clear();
  sources_.clear();
  for (const compare::SideTensor* output : ran_.record.outputs) {
    got_.emplace_back();
    sources_.emplace_back();
    if (!output) continue;
    sources_.back() = TRY(output->open());
    got_.back() = TRY(value_of(*sources_.back()));
  }
  return {};
}

Result<std::vector<exact::Output>> Trial::evaluate(std::span<const exact::Value> inputs) const {
  return evaluate(node_, inputs);
}

Result<std::vector<exact::Output>> Trial::evaluate(const graph::Node& node,
                                                   std::span<const exact::Value> inputs) const {
  if (others_) return others_->outputs(ran_, inputs);
  if (!narrower_) return exact::evaluate(model_, node, inputs);
  std::vector<exact::Tracked> tracked;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool weight = i < ran_.read.size() && ran_.read[i].weight;
    const bool described = i < node.input_descs.size() && exact::is_float_type(node.input_descs[i].type);
    exact::Tracked input{inputs[i], inputs[i].type, nullptr};
    if (inputs[i].present && inputs[i].real()) {
      input.stored = described ? node.input_descs[i].type : graph::DataType::Float;
      if (!is_half(input.stored) && !is_recorded(i)) {
        input.stored = *narrower_;
        if (narrowing_ == Narrowing::Within)
          input.errors = rounding_to(*narrower_, inputs[i]);
        else
          input.value = TRY(
              narrowed_to(*narrower_, inputs[i],
                          narrowing_ == Narrowing::Saturated || (weight && narrowing_ == Narrowing::WeightsSaturated)));
      }
    }
    tracked.push_back(std::move(input));
  }
  return exact::evaluate(model_, node, std::span<const exact::Tracked>(tracked));
}

bool Trial::is_recorded(size_t input) const {
  return ran_.unrecorded.empty() && input < ran_.record.inputs.size() && ran_.record.inputs[input];
}

// The type that the side has where the model has a wider one: what the dump does not hold was made narrower as well.
void Trial::find_narrower_type() {
  for (size_t o = 0; o < sources_.size() && o < node_.outputs.size(); ++o)
    if (sources_[o] && is_half(sources_[o]->type()) && !is_half(node_.outputs[o].type)) narrower_ = sources_[o]->type();
}

std::string Trial::shape_fault(size_t output) const {
  const graph::Shape &got = sources_[output]->shape(), &made = expected_[output].value.shape;
  if (sources_[output]->count() == graph::element_count(made) && may_have_shape(*sources_[output], made)) return "";
  return formatted("output {} has the shape {}, and the model makes {} of its inputs", output, graph::to_text(got),
                   graph::to_text(made));
}

Result<OutputReport> Trial::judge_output(size_t output, const Truth& truth) const {
  const exact::Value& got = *got_[output];
  const exact::Output& expected = expected_[output];
  OutputReport report{output, sources_[output]->type(), sources_[output]->shape(), {}};
  if (got.count() != expected.value.count()) return Status{ACL_ERROR_INVALID_PARAM, shape_fault(output)};
  std::optional<exact::Value> other;
  if (const Source source = truth ? truth(*ran_.record.outputs[output]) : nullptr;
      source && source->count() == got.count())
    other = TRY(value_of(*source));
  report.numbers = exact::held_against(expected, got, report.type, other ? &*other : nullptr);
  return report;
}

void Trial::judge(const Truth& truth, OperatorReport& report) {
  if (node_.outputs.empty()) return;  // it can only have read something wrong, or changed it
  use_recorded_types(node_, ran_.read);
  const auto give_up = [&](const std::string& why) {
    report.verdict = Verdict::NotCheckable;
    report.why = why;
  };
  if (Status status = read_outputs(); !status.ok()) return give_up(status.message);
  find_narrower_type();
  if (std::ranges::none_of(got_, [](const auto& got) { return got.has_value(); }))
    return give_up("its outputs were not dumped");
  const OperatorReport untried = report;
  if (Status status = judge_outputs(truth, report); !status.ok()) return give_up(status.message);
  if (!narrower_) return;
  // Numbers that the narrower type does not hold are no longer near what they were.
  for (const auto each : {Narrowing::ToInfinity, Narrowing::WeightsSaturated, Narrowing::Saturated}) {
    if (report.verdict != Verdict::Guilty) return;
    narrowing_ = each;
    OperatorReport again = untried;
    if (judge_outputs(truth, again).ok() && again.verdict != Verdict::Guilty) report = std::move(again);
  }
  if (report.verdict != Verdict::Guilty) return;
  narrowing_ = Narrowing::Within;
  (void)recompute(ran_.read);  // it could be before
}

Status Trial::judge_outputs(const Truth& truth, OperatorReport& report) {
  TRY(recompute(ran_.read));
  for (size_t o = 0; o < std::min(got_.size(), expected_.size()); ++o) {
    if (!got_[o]) continue;
    if (report.why.empty()) report.why = shape_fault(o);
    if (got_[o]->count() != expected_[o].value.count()) continue;
    report.outputs.push_back(TRY(judge_output(o, truth)));
  }
  const auto any = [&](auto test) { return std::ranges::any_of(report.outputs, test); };
  if (!report.why.empty() || any([](const OutputReport& output) { return output.numbers.wrong > 0; }))
    report.verdict = Verdict::Guilty;
  else if (any([](const OutputReport& output) { return output.numbers.inherits; }))
    report.verdict = Verdict::Inherits;
  return {};
}

bool Trial::innocent_of(std::span<const Held> inputs) {
  const auto kept = std::pair(inputs_, expected_);
  bool innocent = recompute(inputs).ok();
  for (size_t o = 0; innocent && o < std::min(got_.size(), expected_.size()); ++o) {
    if (!got_[o]) continue;
    const auto output = judge_output(o, nullptr);
    innocent = shape_fault(o).empty() && output.ok() && (*output).numbers.wrong == 0;
  }
  std::tie(inputs_, expected_) = kept;
  return innocent;
}

}  // namespace belay::blame
