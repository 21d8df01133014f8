// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "comm/communicator.h"

namespace belay::api {

// The rank on the device that is current in this thread; E_RUNTIME when none is.
Result<comm::Communicator::Place> current_place(uint32_t rank);
// Gives the program a handle of it.
Status destroy_communicator(HcclComm handle);
// The communicator of a rank table in a file, or in the text itself; in a group, at its end.
struct TableSource {
  std::string path, text;  // one of them
};
Status make_from_table(const TableSource& source, uint32_t rank, const HcclCommConfig* config, HcclComm* comm);
void hand_out(const std::shared_ptr<comm::Communicator>& made, HcclComm* comm);

}  // namespace belay::api
