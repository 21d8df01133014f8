// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "convert.h"

namespace belay::python {

// For functions that have no C function here: logs that they are not supported, keeps the sentence for
// acl.get_recent_err_msg and returns 207000.
int refuse(const Site& site);
// The last sentence of the calling thread, once; empty when there is none.
std::string take_refusal();

}  // namespace belay::python
