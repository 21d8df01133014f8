// SPDX-License-Identifier: Apache-2.0
#include "comm/creation.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "base/log/log.h"
#include "base/text.h"
#include "comm/engine/shared_engine.h"
#include "comm/meeting/hall.h"
#include "comm/meeting/introduce.h"
#include "comm/meeting/links.h"
#include "comm/variables.h"
#include "comm/waiting/boards.h"

namespace belay::comm {
namespace {

std::string unique_name(const std::string& ip, uint32_t port, int device) {
  using namespace std::chrono;
  static std::atomic<int64_t> last{0};
  int64_t now = duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
  for (int64_t before = last;;) {
    now = std::max(now, before + 1);
    if (last.compare_exchange_weak(before, now)) break;
  }
  return formatted("{}_{}_{}_{}", ip, port, device, now);
}

}  // namespace

Status check_name_is_free(const std::string& name, int device) {
  for (const auto& other : communicators().all())
    if (other->device() == device && other->name() == name)
      return {HCCL_E_PARA, formatted("device {} has a communicator named \"{}\" already", device, name), "EI0003"};
  return {};
}

namespace {

// One listening socket answers all meetings of a device; the port is the vendor's unless somebody has it.
Listener listener_for(const std::string& ip, uint32_t port) {
  static auto& mutex = *new std::mutex;
  static auto& listeners = *new std::map<std::string, Listener>;
  std::lock_guard lock(mutex);
  Listener& listener = listeners[formatted("{} {}", ip, port)];
  if (listener.descriptor >= 0) return listener;
  constexpr uint32_t kPorts = 32;
  for (uint32_t i = 0; i < kPorts && listener.descriptor < 0; ++i) listener = listen_at(ip, port + i);
  if (listener.descriptor < 0) listener = listen_at(ip, 0);
  if (listener.descriptor >= 0) answer_at(listener);
  return listener;
}

Result<std::unique_ptr<Attendance>> attend_meeting(const Token& token, uint32_t rank, uint32_t size,
                                                   Deadline deadline) {
  if (auto meeting = find_meeting(token.identifier)) return attend(std::move(meeting), rank, size);
  const int socket = TRY(connect_to(token.ip, token.port, deadline));
  return attend(socket, token.identifier, rank, size);
}

}  // namespace

Result<Token> open_meeting(int physical_device) {
  const Variables read = TRY(variables());
  const std::string ip = choose_address(read.host_ip, read.interfaces, read.ipv6);
  const Listener listener = listener_for(ip, read.base_port + static_cast<uint32_t>(physical_device));
  if (listener.descriptor < 0)
    log_warning(LogModule::App, "cannot listen at {}: only ranks of this process can meet", ip);
  Token token{ip, listener.port, unique_name(ip, listener.port, physical_device)};
  keep_meeting(token.identifier, std::make_shared<Meeting>(token.identifier));
  return token;
}

Result<CommunicatorPtr> join(const Token& token, uint32_t size, Communicator::Place place, Settings settings) {
  const std::string name = settings.name.empty() ? token.identifier : settings.name;
  TRY(check_name_is_free(name, place.device));
  const Deadline deadline = std::chrono::steady_clock::now() + settings.connect_timeout;
  const auto attendance = TRY(attend_meeting(token, place.rank, size, deadline));
  Introduction made = TRY(introduce(*attendance, Newcomer{token.identifier, name, "", size, place, nullptr}, deadline));
  return std::make_shared<Communicator>(std::move(made.board), token.identifier, place, std::move(settings),
                                        std::move(made.engine));
}

Result<std::vector<CommunicatorPtr>> make_all(const std::vector<Communicator::Place>& places,
                                              const Settings& settings) {
  const std::string name = unique_name("127.0.0.1", 0, places.front().physical);
  const auto size = static_cast<uint32_t>(places.size());
  std::vector<CommunicatorPtr> made;
  for (const auto& place : places) {
    auto board = take_seat(name, name, size, place.rank, place.device, std::vector<bool>(size, true));
    made.push_back(std::make_shared<Communicator>(std::move(board), name, place, settings, std::shared_ptr<Engine>()));
  }
  return made;
}

Result<CommunicatorPtr> split(Communicator& parent, const Split& part, Settings settings) {
  const auto size = static_cast<uint32_t>(part.ranks.size());
  TRY(parent.settle());
  std::vector<bool> here;
  for (const uint32_t rank : part.ranks) {
    if (rank >= parent.size())
      return Status{HCCL_E_PARA, formatted("rankIds: {} is no rank of a communicator of {} ranks", rank, parent.size()),
                    "EI0003"};
    if (std::ranges::count(part.ranks, rank) > 1)
      return Status{HCCL_E_PARA, formatted("rankIds: rank {} occurs more than once", rank), "EI0003"};
    here.push_back(parent.here(rank));
  }
  if (part.ranks[part.rank] != parent.rank())
    return Status{HCCL_E_PARA,
                  formatted("subCommRankId is {}, but rankIds there is {} and this is rank {} of {}", part.rank,
                            part.ranks[part.rank], parent.rank(), parent.name()),
                  "EI0003"};
  const std::string name = settings.name.empty() ? formatted("{}_sub_{}", parent.name(), part.id) : settings.name;
  TRY(check_name_is_free(name, parent.device()));
  // Where it was made before, ranks that are still at that one must not meet those of this one.
  std::string key = key_of_part(parent.key(), name, part.ranks);
  if (const uint64_t before = parent.count_part(key))
    key = key_of_part(parent.key(), formatted("{}@{}", name, before), part.ranks);
  const Communicator::Place place{part.rank, parent.device(), parent.physical_device()};
  auto board = take_seat(key, name, size, part.rank, place.device, here);
  std::shared_ptr<Engine> engine;
  if (std::ranges::find(here, false) != here.end()) {
    engine = std::make_shared<SharedEngine>(parent.shared_engine(), part.ranks, std::hash<std::string>()(key));
    Links::get().join_as(parent.key(), key, board, part.ranks);
    board->set_messenger([key](const Failure& failure) { Links::get().tell_failure(key, failure); });
  }
  for (uint32_t rank = 0; rank < size; ++rank)
    board->seat(rank).server = parent.board().seat(part.ranks[rank]).server.load();
  auto made = std::make_shared<Communicator>(std::move(board), key, place, std::move(settings), std::move(engine));
  for (uint32_t rank = 0; rank < size; ++rank) made->world_ranks[rank] = parent.world_ranks[part.ranks[rank]];
  return made;
}

Result<CommunicatorPtr> for_models(Communicator& communicator) {
  return communicator.twin([](Communicator& of) -> Result<CommunicatorPtr> {
    Settings settings = of.settings();
    settings.name = of.name() + Communicator::kInModels;
    auto made = TRY(split(of, Split{all_ranks(of.size()), 0, of.rank()}, std::move(settings)));
    // Who has left before says so no more.
    for (uint32_t rank = 0; rank < of.size(); ++rank)
      if (of.board().seat(rank).left) made->board().seat(rank).left = true;
    return made;
  });
}

}  // namespace belay::comm
