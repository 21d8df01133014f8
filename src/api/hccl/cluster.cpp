// SPDX-License-Identifier: Apache-2.0
// Communicators from a rank table.
#include "comm/cluster.h"

#include "api/hccl/create.h"
#include "api/hccl/entry.h"
#include "api/hccl/group.h"
#include "comm/variables.h"
#include "hccl/hccl_comm.h"

using namespace belay;
using namespace belay::api;

namespace {

Status make_from_table(const char* path, uint32_t rank, const HcclCommConfig* config, HcclComm* comm) {
  const auto place = TRY(current_place(rank));
  comm::Settings settings = TRY(comm::variables()).settings;
  if (config) settings = TRY(comm::with_config(std::move(settings), *config));
  const auto make = [=, text = std::string(path)]() -> Status {
    const comm::RankTable table = TRY(comm::read_rank_table(text));
    TRY(table.find(rank, place.physical));
    hand_out(TRY(comm::join_cluster(table, place, settings)), comm);
    return {};
  };
  if (Group* group = Group::current()) return group->add_creation(make);
  return make();
}

}  // namespace

HcclResult HcclCommInitClusterInfo(const char* clusterInfo, uint32_t rank, HcclComm* comm) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(current_place(rank));
        TRY(given(clusterInfo, "clusterInfo"));
        TRY(given(comm, "comm"));
        return make_from_table(clusterInfo, rank, nullptr, comm);
      },
      clusterInfo, rank, comm);
}

HcclResult HcclCommInitClusterInfoConfig(const char* clusterInfo, uint32_t rank, HcclCommConfig* config,
                                         HcclComm* comm) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(current_place(rank));
        TRY(given(clusterInfo, "clusterInfo"));
        TRY(given(comm, "comm"));
        TRY(given(config, "config"));
        return make_from_table(clusterInfo, rank, config, comm);
      },
      clusterInfo, rank, config, comm);
}
