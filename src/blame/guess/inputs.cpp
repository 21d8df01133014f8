// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "blame/guess/guess.h"
#include "blame/permute.h"

namespace belay::blame {
namespace {

constexpr size_t kMostTrials = 24;  // of computing the operator once more

using Values = std::vector<exact::Value>;

bool would_explain(const Suspect& suspect, const Values& inputs) {
  const auto outputs = suspect.trial.evaluate(inputs);
  return outputs.ok() && suspect.output < (*outputs).size() && explains(suspect, (*outputs)[suspect.output]);
}

std::string name_of(const Suspect& suspect, size_t input) {
  return formatted("input {} ({})", input, suspect.ran.read[input].origin);
}

std::string transposed(const Suspect& suspect) {
  Values inputs(suspect.trial.inputs().begin(), suspect.trial.inputs().end());
  size_t trials = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].present || !inputs[i].real()) continue;
    const exact::Value kept = inputs[i];
    for (const auto& [a, b] : swappable_axes(kept.shape)) {
      if (++trials > kMostTrials) return "";
      inputs[i] = with_axes_swapped(kept, a, b);
      if (would_explain(suspect, inputs))
        return formatted("axes {} and {} of {} are swapped", a, b, name_of(suspect, i));
    }
    inputs[i] = kept;
  }
  return "";
}

// What input `i` was when the operator ran in an earlier execution; null: not recorded.
const compare::SideTensor* input_of(const Execution& execution, const Record& own, size_t input) {
  for (const Record& record : execution.records)
    if (record.op == own.op && input < record.inputs.size()) return record.inputs[input];
  return nullptr;
}

std::string stale_input(const Suspect& suspect) {
  Values inputs(suspect.trial.inputs().begin(), suspect.trial.inputs().end());
  const auto earlier = suspect.executions.first(suspect.executions.size() - 1);
  for (auto execution = earlier.rbegin(); execution != earlier.rend(); ++execution)
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto* tensor = input_of(*execution, suspect.ran.record, i);
      if (!tensor || suspect.ran.read[i].weight) continue;
      const auto source = tensor->open();
      if (!source.ok() || (*source)->shape() != inputs[i].shape) continue;
      auto value = value_of(**source);
      if (!value.ok()) continue;
      const exact::Value kept = std::exchange(inputs[i], std::move(value).value());
      if (would_explain(suspect, inputs))
        return formatted("stale: {} is that of execution {}", name_of(suspect, i), execution->step);
      inputs[i] = kept;
    }
  return "";
}

// An average over a window that reaches into the padding, divided by the number of the wrong elements.
std::string padding(const Suspect& suspect) {
  for (const char* attribute : {"exclusive", "count_include_pad"}) {
    const auto* set = graph::get_if<bool>(suspect.trial.node().attributes, attribute);
    if (!set) continue;
    graph::Node other = suspect.trial.node();
    other.attributes[attribute] = !*set;
    const auto outputs = suspect.trial.evaluate(other, suspect.trial.inputs());
    if (outputs.ok() && suspect.output < (*outputs).size() && explains(suspect, (*outputs)[suspect.output]))
      return formatted("averages {} the padding", *set == (attribute[0] == 'e') ? "count" : "do not count");
  }
  return "";
}

}  // namespace

std::string guess_inputs(const Suspect& suspect) {
  if (suspect.wrong.empty()) return "";
  for (const auto& hypothesis : {padding, stale_input, transposed})
    if (std::string text = hypothesis(suspect); !text.empty()) return text;
  return "";
}

}  // namespace belay::blame
