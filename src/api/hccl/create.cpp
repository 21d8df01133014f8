// SPDX-License-Identifier: Apache-2.0
// Communicators: made from a token, from a list of devices, from others; and destroyed.
#include <algorithm>
#include <thread>

#include "api/hccl/checks.h"
#include "api/hccl/create.h"
#include "api/hccl/entry.h"
#include "api/hccl/group.h"
#include "api/hccl/states.h"
#include "comm/creation.h"
#include "comm/variables.h"
#include "hccl/hccl.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"

using namespace belay;
using namespace belay::api;
using comm::Communicator;
using comm::Settings;

namespace belay::api {

Result<Communicator::Place> current_place(uint32_t rank) {
  const auto context = current_context();
  if (!context.ok())
    return Status{HCCL_E_RUNTIME, "no device is current in this thread; call aclrtSetDevice first", "EI0003"};
  const Device& device = (*context)->device();
  return Communicator::Place{rank, device.id(), device.physical_id()};
}

void hand_out(const std::shared_ptr<Communicator>& made, HcclComm* comm) {
  *comm = comm::communicators().insert(made);
  made->set_handle(*comm);
}

}  // namespace belay::api

namespace {

Status check_ranks(uint32_t size, uint32_t rank) {
  if (size != 0 && rank < size) return {};
  return {HCCL_E_PARA, formatted("rank is {} and nRanks is {}; ranks are 0 to nRanks - 1", rank, size), "EI0003"};
}

Status make_from_token(uint32_t size, const HcclRootInfo& info, uint32_t rank, const HcclCommConfig* config,
                       HcclComm* comm) {
  const auto place = TRY(current_place(rank));
  Settings settings = TRY(comm::variables()).settings;
  if (config) settings = TRY(comm::with_config(std::move(settings), *config));
  const auto token = TRY(comm::Token::read(info));
  const auto make = [=]() -> Status {
    hand_out(TRY(comm::join(token, size, place, settings)), comm);
    return {};
  };
  if (Group* group = Group::current()) return group->add_creation(make);
  return make();
}

// Sets each device on a thread of its own, so that the caller's stays as it is, and gives it back when destroyed.
Result<std::vector<Communicator::Place>> hold_devices(const std::vector<int32_t>& devices) {
  std::vector<Communicator::Place> places;
  Status failed;
  std::thread([&] {
    for (const int32_t id : devices) {
      auto device = find_device(id);
      Status set = device.ok() ? (*device)->set() : device.status();
      if (!set.ok()) {
        failed = set;
        break;
      }
      places.push_back({static_cast<uint32_t>(places.size()), id, (*device)->physical_id()});
    }
    if (!failed.ok())
      for (const auto& place : places) (void)(*find_device(place.device))->reset(false);
  }).join();
  if (!failed.ok()) return Status{HCCL_E_INTERNAL, failed.message, "EI0003"};
  return places;
}

Status init_all(uint32_t ndev, const int32_t* devices, HcclComm* comms) {
  TRY(current_place(0));
  if (ndev == 0) return {HCCL_E_PARA, "ndev is 0", "EI0003"};
  TRY(given(comms, "comms"));
  TRY(given(devices, "devices"));
  const std::vector<int32_t> ids(devices, devices + ndev);
  for (const int32_t id : ids)
    if (std::ranges::count(ids, id) > 1)
      return {HCCL_E_PARA, formatted("devices: {} occurs more than once", id), "EI0003"};
  const Settings settings = TRY(comm::variables()).settings;
  std::fill(comms, comms + ndev, nullptr);
  const auto places = TRY(hold_devices(ids));
  const auto made = TRY(comm::make_all(places, settings));
  for (uint32_t i = 0; i < ndev; ++i) {
    made[i]->holds_device = true;
    hand_out(made[i], &comms[i]);
  }
  return {};
}

constexpr uint64_t kNoMember = 0xFFFFFFFF;

Status split(HcclComm* parent, uint32_t number, const uint32_t* ranks, uint64_t id, uint32_t rank,
             const HcclCommConfig* config, HcclComm* made) {
  TRY(current_place(0));
  TRY(given(made, "subComm"));
  if ((ranks == nullptr) != (id == kNoMember))
    return {HCCL_E_PARA, "rankIds null and subCommId 0xFFFFFFFF go together: the caller is then no member", "EI0003"};
  if (!ranks) return {};
  if (number == 0 || rank >= number)
    return {HCCL_E_PARA, formatted("subCommRankId is {} and rankNum is {}", rank, number), "EI0003"};
  TRY(given(config, "config"));
  TRY(given(parent, "comm"));
  const Visit from = TRY(find_communicator(*parent));
  const Settings settings = TRY(comm::with_config(TRY(comm::variables()).settings, *config));
  hand_out(TRY(comm::split(*from, {{ranks, ranks + number}, id, rank}, settings)), made);
  return {};
}

}  // namespace

Status api::destroy_communicator(HcclComm handle) {
  TRY(current_place(0));
  if (!handle) return {};
  auto found = comm::communicators().find(handle);
  if (!found) return {HCCL_E_PARA, "comm is not a live communicator: it was destroyed, or is something else", "EI0003"};
  if (found->visitors > 0) return {HCCL_E_AGAIN, "another thread is in a call on this communicator", "EI0003"};
  tell_states(handle, HCCL_COMM_STATE_PHASE_DESTROY_PRE);
  if (!comm::communicators().remove(handle)) return {HCCL_E_PARA, "another thread has destroyed it", "EI0003"};
  found->leave();
  const int device = found->device();
  const bool holds = found->holds_device;
  found.reset();
  if (holds) std::thread([device] { (void)(*find_device(device))->reset(false); }).join();
  tell_states(handle, HCCL_COMM_STATE_PHASE_DESTROY_POST);
  return {};
}

HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const auto place = TRY(current_place(0));
        TRY(given(rootInfo, "rootInfo"));
        *rootInfo = TRY(comm::open_meeting(place.physical)).write();
        return {};
      },
      rootInfo);
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank, HcclComm* comm) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(current_place(rank));
        TRY(check_ranks(nRanks, rank));
        TRY(given(comm, "comm"));
        TRY(given(rootInfo, "rootInfo"));
        return make_from_token(nRanks, *rootInfo, rank, nullptr, comm);
      },
      nRanks, rootInfo, rank, comm);
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                      const HcclCommConfig* config, HcclComm* comm) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(current_place(rank));
        TRY(check_ranks(nRanks, rank));
        TRY(given(comm, "comm"));
        TRY(given(rootInfo, "rootInfo"));
        if (!config) return {HCCL_E_PARA, "parameter config must not be null", "EI0003"};
        return make_from_token(nRanks, *rootInfo, rank, config, comm);
      },
      nRanks, rootInfo, rank, config, comm);
}

HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms) {
  return hccl_entry(
      __func__, [&] { return init_all(ndev, devices, comms); }, ndev, devices, comms);
}

HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum, uint32_t* rankIds, uint64_t subCommId,
                                   uint32_t subCommRankId, HcclCommConfig* config, HcclComm* subComm) {
  return hccl_entry(
      __func__, [&] { return split(comm, rankNum, rankIds, subCommId, subCommRankId, config, subComm); }, comm, rankNum,
      rankIds, subCommId, subCommRankId, config, subComm);
}

HcclResult HcclCommDestroy(HcclComm comm) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        if (Group* group = Group::current()) return group->add_creation([=] { return destroy_communicator(comm); });
        return destroy_communicator(comm);
      },
      comm);
}
