// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "comm/communicator.h"

namespace belay::api {

// The rank on the device that is current in this thread; E_RUNTIME when none is.
Result<comm::Communicator::Place> current_place(uint32_t rank);
// Gives the program a handle of it.
void hand_out(const std::shared_ptr<comm::Communicator>& made, HcclComm* comm);

}  // namespace belay::api
