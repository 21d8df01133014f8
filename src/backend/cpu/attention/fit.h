// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/attention/call.h"

namespace belay::backend::cpu::attention {

// Whether the types of all tensors of a call go together, and the shapes of query, key, value and their rotated parts:
// runs read them without another look.
Status check_types(const Call& made, const WholeCall& call);
Status check_shapes(const Call& made);

}  // namespace belay::backend::cpu::attention
