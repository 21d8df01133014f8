// SPDX-License-Identifier: Apache-2.0
#include "blame/trial.h"

#include <algorithm>

#include "base/text.h"

namespace belay::blame {
namespace {

// The node as the side computed it: its tensors may be narrower than the model's.
void use_recorded_types(graph::Node& node, std::span<const Held> inputs) {
  for (size_t i = 0; i < node.input_descs.size() && i < inputs.size(); ++i)
    if (inputs[i].source && exact::is_float_type(inputs[i].source->type()) &&
        exact::is_float_type(node.input_descs[i].type))
      node.input_descs[i].type = inputs[i].source->type();
}

}  // namespace

Trial::Trial(const graph::Model& model, const Ran& ran) : model_(model), ran_(ran), node_(ran.node) {}

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
  return exact::evaluate(model_, node, inputs);
}

Result<OutputReport> Trial::judge_output(size_t output, const Truth& truth) const {
  const exact::Value& got = *got_[output];
  const exact::Output& expected = expected_[output];
  OutputReport report{output, sources_[output]->type(), sources_[output]->shape(), {}};
  if (got.count() != expected.value.count())
    return Status{ACL_ERROR_INVALID_PARAM,
                  formatted("output {} has the shape {}, and the model makes {} of its inputs", output,
                            graph::to_text(got.shape), graph::to_text(expected.value.shape))};
  std::optional<exact::Value> other;
  if (const Source source = truth ? truth(*ran_.record.outputs[output]) : nullptr;
      source && source->count() == got.count())
    other = TRY(value_of(*source));
  report.numbers = blame::judge(expected, got, report.type, other ? &*other : nullptr);
  return report;
}

void Trial::judge(const Truth& truth, OperatorReport& report) {
  use_recorded_types(node_, ran_.read);
  const auto give_up = [&](const std::string& why) {
    report.verdict = Verdict::NotCheckable;
    report.why = why;
  };
  if (Status status = read_outputs(); !status.ok()) return give_up(status.message);
  if (std::ranges::none_of(got_, [](const auto& got) { return got.has_value(); }))
    return give_up("its outputs were not dumped");
  if (Status status = recompute(ran_.read); !status.ok()) return give_up(status.message);
  for (size_t o = 0; o < std::min(got_.size(), expected_.size()); ++o) {
    if (!got_[o]) continue;
    auto output = judge_output(o, truth);
    if (!output.ok()) return give_up(output.status().message);
    report.outputs.push_back(std::move(output).value());
  }
  const auto any = [&](auto test) { return std::ranges::any_of(report.outputs, test); };
  if (any([](const OutputReport& output) { return output.numbers.wrong > 0; }))
    report.verdict = Verdict::Guilty;
  else if (any([](const OutputReport& output) { return output.numbers.inherits; }))
    report.verdict = Verdict::Inherits;
}

bool Trial::innocent_of(std::span<const Held> inputs) {
  const auto kept = std::pair(inputs_, expected_);
  bool innocent = recompute(inputs).ok();
  for (size_t o = 0; innocent && o < std::min(got_.size(), expected_.size()); ++o) {
    if (!got_[o]) continue;
    const auto output = judge_output(o, nullptr);
    innocent = output.ok() && (*output).numbers.wrong == 0;
  }
  std::tie(inputs_, expected_) = kept;
  return innocent;
}

}  // namespace belay::blame
