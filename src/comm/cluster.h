// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/creation.h"
#include "comm/meeting/rank_table.h"

namespace belay::comm {

constexpr const char* kWorldGroup = "hccl_world_group";

// The communicator of all ranks of a table. Nobody is waited for: the ranks meet in the background, those of one server
// under a name, several servers at an address of the first. E_UNAVAIL while the device has one already, unless it is to
// live `beside` others under its own name.
Result<CommunicatorPtr> join_cluster(const RankTable& table, Communicator::Place place, Settings settings,
                                     bool beside = false);

}  // namespace belay::comm
