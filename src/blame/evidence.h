// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "blame/executions.h"
#include "blame/report.h"
#include "blame/trial.h"

namespace belay::blame {

// What is told of a guilty operator: its inputs, the worst element's terms, the cause that the data shows.
Evidence gather_evidence(const Trial& trial, const Ran& ran, const OperatorReport& report,
                         std::span<const Execution> executions);

}  // namespace belay::blame
