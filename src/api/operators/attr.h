// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "acl/acl_op.h"
#include "graph/model/attribute.h"

// The attributes of a single operator, as a program sets them.
struct aclopAttr {
  belay::graph::Attributes values;
};
