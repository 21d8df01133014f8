// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"
#include "graph/tensor/element.h"

namespace belay::backend::cpu {

using graph::AllTypes;
using graph::BFloat16;
using graph::Bool;
using graph::compute_t;
using graph::data_type_of;
using graph::FloatTypes;
using graph::Half;
using graph::IntegerTypes;
using graph::is_float;
using graph::is_integer;
using graph::is_narrow_float;
using graph::NumberTypes;
using graph::SizeTypes;
using graph::sum_t;
using graph::TypeList;
using graph::with_type;

}  // namespace belay::backend::cpu
