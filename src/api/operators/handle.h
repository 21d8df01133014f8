// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "acl/acl_op.h"
#include "operators/single.h"

// A single operator that was found once and is executed many times.
struct aclopHandle {
  belay::operators::OperatorRequest request;
  belay::operators::SingleOperator op;
};
