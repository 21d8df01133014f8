// SPDX-License-Identifier: Apache-2.0
// Communicators from a rank table.
#include "comm/cluster.h"

#include "api/hccl/create.h"
#include "api/hccl/entry.h"
#include "api/hccl/group.h"
#include "api/hccl/pkg_inc.h"
#include "comm/variables.h"
#include "hccl/hccl_comm.h"

using namespace belay;
using namespace belay::api;

Status api::make_from_table(const TableSource& source, uint32_t rank, const HcclCommConfig* config, HcclComm* comm) {
  const auto place = TRY(current_place(rank));
  comm::Settings settings = TRY(comm::variables()).settings;
  if (config) settings = TRY(comm::with_config(std::move(settings), *config));
  const auto make = [=]() -> Status {
    const bool in_file = source.text.empty();
    const comm::RankTable table =
        TRY(in_file ? comm::read_rank_table(source.path) : comm::parse_rank_table(source.text));
    TRY(table.find(rank, place.physical));
    hand_out(TRY(comm::join_cluster(table, place, settings, !in_file)), comm);
    return {};
  };
  if (Group* group = Group::current()) return group->add_creation(make);
  return make();
}

HcclResult HcclCommInitClusterInfo(const char* clusterInfo, uint32_t rank, HcclComm* comm) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(current_place(rank));
        TRY(given(clusterInfo, "clusterInfo"));
        TRY(given(comm, "comm"));
        return make_from_table({clusterInfo, ""}, rank, nullptr, comm);
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
        return make_from_table({clusterInfo, ""}, rank, config, comm);
      },
      clusterInfo, rank, config, comm);
}

HcclResult HcclCommInitClusterInfoMemConfig(const char* rankTableString, uint32_t rank, HcclCommConfig* config,
                                            HcclComm* comm) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(current_place(rank));
        TRY(given(rankTableString, "rankTableString"));
        TRY(given(comm, "comm"));
        TRY(given(config, "config"));
        const auto settings = TRY(comm::with_config({}, *config));
        if (settings.name.empty())
          return {HCCL_E_PARA, "hcclCommName of config is empty: a rank table given as text needs a name", "EI0003"};
        if (*rankTableString == 0) return {HCCL_E_INTERNAL, "the rank table cannot be read: it is empty", "EI0004"};
        return make_from_table({"", rankTableString}, rank, config, comm);
      },
      rankTableString, rank, config, comm);
}
