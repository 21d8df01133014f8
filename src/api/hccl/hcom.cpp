// SPDX-License-Identifier: Apache-2.0
// Communicators by the name of their group, as graph programs and the Python package hccl know them.
#include <algorithm>
#include <mutex>

#include "api/hccl/checks.h"
#include "api/hccl/create.h"
#include "api/hccl/entry.h"
#include "api/hccl/group.h"
#include "api/hccl/pkg_inc.h"
#include "comm/cluster.h"
#include "comm/variables.h"

using namespace belay;
using namespace belay::api;

namespace {

// What HcomInitByRankTable and HcomCreateGroup made: HcomDestroy and HcomDestroyGroup destroy it.
struct Made {
  int device;
  std::string group;
  HcclComm comm;
};
struct MadeGroups {
  std::mutex mutex;
  std::vector<Made> all;
};
MadeGroups& made_groups() {
  static auto& made = *new MadeGroups;
  return made;
}

void remember(int device, const std::string& group, HcclComm comm) {
  std::lock_guard lock(made_groups().mutex);
  made_groups().all.push_back({device, group, comm});
}

// Those of a device; of one group only unless `group` is empty. They are forgotten.
std::vector<HcclComm> take_made(int device, const std::string& group) {
  std::lock_guard lock(made_groups().mutex);
  auto& all = made_groups().all;
  std::vector<HcclComm> taken;
  for (const Made& made : all)
    if (made.device == device && (group.empty() || made.group == group)) taken.push_back(made.comm);
  std::erase_if(all, [&](const Made& made) { return made.device == device && (group.empty() || made.group == group); });
  std::ranges::reverse(taken);  // groups before the world that they are of
  return taken;
}

// E_PTR when there is no world, E_NOT_FOUND when there is no such group.
Result<HcclComm> find_group(const char* group) {
  TRY(given(group, "group"));
  const int device = TRY(current_place(0)).device;
  if (HcclComm found = comm::find_handle(group, device)) return found;
  if (std::string_view(group) == comm::kWorldGroup)
    return Status{HCCL_E_PTR,
                  formatted("device {} has no {}; make it from a rank table, with HcclCommInitClusterInfo or "
                            "HcomInitByRankTable",
                            device, group),
                  "EI0003"};
  return Status{HCCL_E_NOT_FOUND, formatted("device {} has no group named \"{}\"", device, group), "EI0003"};
}

// Writes what `ask` says of the communicator of a group.
template <class Ask>
Status answer(const char* group, u32* out, const char* parameter, Ask ask) {
  const Visit in = TRY(find_communicator(TRY(find_group(group))));
  TRY(given(out, parameter));
  *out = TRY(ask(*in));
  return {};
}

bool on_this_server(comm::Communicator& in, uint32_t rank) {
  return in.board().seat(rank).server == in.board().seat(in.rank()).server;
}

u32 count_local(comm::Communicator& in, uint32_t before) {
  u32 count = 0;
  for (uint32_t rank = 0; rank < before; ++rank) count += on_this_server(in, rank) ? 1 : 0;
  return count;
}

Status create_group(const char* group, u32 number, const u32* ranks) {
  TRY(given(group, "group"));
  TRY(given(ranks, "rankIds"));
  if (number == 0) return {HCCL_E_PARA, "rankNum is 0", "EI0003"};
  const Visit world = TRY(find_communicator(TRY(find_group(comm::kWorldGroup))));
  const std::vector<uint32_t> members(ranks, ranks + number);
  const auto mine = std::ranges::find(members, world->rank());
  if (mine == members.end())
    return {HCCL_E_PARA, formatted("rankIds of group {} do not name this rank, {}", group, world->rank()), "EI0003"};
  comm::Settings settings = TRY(comm::variables()).settings;
  settings.name = group;
  const auto rank = static_cast<uint32_t>(mine - members.begin());
  HcclComm made = nullptr;
  hand_out(TRY(comm::split(*world, {members, 0, rank}, settings)), &made);
  remember(world->device(), group, made);
  return {};
}

}  // namespace

HcclResult HcomInitByRankTable(const char* rankTable, uint32_t rankId) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const int device = TRY(current_place(rankId)).device;
        TRY(given(rankTable, "rankTable"));
        if (Group::current())
          return {HCCL_E_NOT_SUPPORT, "the world cannot be made between HcclGroupStart and HcclGroupEnd", "EI0003"};
        HcclComm made = nullptr;
        TRY(make_from_table({rankTable, ""}, rankId, nullptr, &made));
        remember(device, comm::kWorldGroup, made);
        return {};
      },
      rankTable, rankId);
}

HcclResult HcomDestroy() {
  return hccl_entry(__func__, [&]() -> Status {
    for (HcclComm made : take_made(TRY(current_place(0)).device, "")) TRY(destroy_communicator(made));
    return {};
  });
}

HcclResult HcomCreateGroup(const char* group, u32 rankNum, u32* rankIds) {
  return hccl_entry(
      __func__, [&] { return create_group(group, rankNum, rankIds); }, group, rankNum, rankIds);
}

HcclResult HcomDestroyGroup(const char* group) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(find_group(group));
        if (std::string_view(group) == comm::kWorldGroup)
          return {HCCL_E_PARA, "the world is destroyed with HcomDestroy", "EI0003"};
        const auto made = take_made(TRY(current_place(0)).device, group);
        if (made.empty())
          return {HCCL_E_PARA, formatted("{} was not made by HcomCreateGroup; call HcclCommDestroy", group), "EI0003"};
        for (HcclComm one : made) TRY(destroy_communicator(one));
        return {};
      },
      group);
}

HcclResult HcomGetCommHandleByGroup(const char* group, HcclComm* commHandle) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        HcclComm found = TRY(find_group(group));
        TRY(given(commHandle, "commHandle"));
        *commHandle = found;
        return {};
      },
      group, commHandle);
}

bool HcomFindGroup(const char* group) { return find_group(group).ok(); }

HcclResult HcomGetInitStatus(bool* initiated) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(given(initiated, "initiated"));
        *initiated = find_group(comm::kWorldGroup).ok();
        return {};
      },
      initiated);
}

HcclResult HcomGetRankSize(const char* group, u32* rankSize) {
  return hccl_entry(
      __func__, [&] { return answer(group, rankSize, "rankSize", [](auto& in) -> Result<u32> { return in.size(); }); },
      group, rankSize);
}

HcclResult HcomGetRankId(const char* group, u32* rankId) {
  return hccl_entry(
      __func__, [&] { return answer(group, rankId, "rankId", [](auto& in) -> Result<u32> { return in.rank(); }); },
      group, rankId);
}

HcclResult HcomGetLocalRankSize(const char* group, u32* localRankSize) {
  return hccl_entry(
      __func__,
      [&] {
        return answer(group, localRankSize, "localRankSize",
                      [](auto& in) -> Result<u32> { return count_local(in, in.size()); });
      },
      group, localRankSize);
}

HcclResult HcomGetLocalRankId(const char* group, u32* localRankId) {
  return hccl_entry(
      __func__,
      [&] {
        return answer(group, localRankId, "localRankId",
                      [](auto& in) -> Result<u32> { return count_local(in, in.rank()); });
      },
      group, localRankId);
}

HcclResult HcomGetWorldRankFromGroupRank(const char* group, u32 groupRank, u32* worldRank) {
  return hccl_entry(
      __func__,
      [&] {
        return answer(group, worldRank, "worldRank", [&](auto& in) -> Result<u32> {
          TRY(check_rank(groupRank, in, "groupRank"));
          return in.world_ranks[groupRank];
        });
      },
      group, groupRank, worldRank);
}

HcclResult HcomGetGroupRankFromWorldRank(u32 worldRank, const char* group, u32* groupRank) {
  return hccl_entry(
      __func__,
      [&] {
        return answer(group, groupRank, "groupRank", [&](auto& in) -> Result<u32> {
          const auto found = std::ranges::find(in.world_ranks, worldRank);
          if (found == in.world_ranks.end())
            return Status{HCCL_E_PARA, formatted("rank {} of the world is not in group {}", worldRank, group),
                          "EI0003"};
          return static_cast<u32>(found - in.world_ranks.begin());
        });
      },
      worldRank, group, groupRank);
}
