// SPDX-License-Identifier: Apache-2.0
#include "blame/evidence.h"

#include <algorithm>

#include "blame/guess/guess.h"
#include "blame/terms.h"

namespace belay::blame {

Evidence gather_evidence(const Trial& trial, const Ran& ran, const OperatorReport& report,
                         std::span<const Execution> executions) {
  Evidence evidence;
  const auto wrong =
      std::ranges::find_if(report.outputs, [](const OutputReport& each) { return each.numbers.wrong > 0; });
  evidence.output = static_cast<size_t>(wrong - report.outputs.begin());
  for (size_t i = 0; i < ran.read.size(); ++i)
    if (const Held& held = ran.read[i]; held.source)
      evidence.inputs.push_back({i, held.origin, held.source->type(), held.source->shape()});
  evidence.terms = terms_of(trial, wrong->index, wrong->numbers.worst);
  evidence.cause = guess(make_suspect(trial, ran, wrong->index, wrong->type, executions));
  return evidence;
}

}  // namespace belay::blame
