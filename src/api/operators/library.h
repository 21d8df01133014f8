// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "operators/single.h"

namespace belay::api {

// The operator for a call that executes without compiling: the one of the program's single-operator models that fits,
// with that model's name and attributes; else, beyond the original, the one our schema describes (BELAY_STRICT=1: an
// error).
Result<operators::SingleOperator> find_for_execution(operators::OperatorRequest request);
// Says that the program compiled this operator, so that it is found in strict mode too.
void remember_compiled(const operators::OperatorRequest& request);

}  // namespace belay::api
