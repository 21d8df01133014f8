// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hccl/hccl_comm.h"

namespace belay::api {

// Calls what the program registered with HcclCommRegCommStateCallback.
void tell_states(HcclComm comm, HcclCommStatePhase phase);

}  // namespace belay::api
