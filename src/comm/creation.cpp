// SPDX-License-Identifier: Apache-2.0
#include "comm/creation.h"

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "comm/boards.h"
#include "comm/meeting.h"
#include "comm/variables.h"

namespace belay::comm {
namespace {

// Ranks are told why a meeting failed within this time.
constexpr std::chrono::seconds kToTell{20};

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

Result<Token> open_meeting(int physical_device) {
  const Variables read = TRY(variables());
  Token token{"127.0.0.1", read.base_port + static_cast<uint32_t>(physical_device), ""};
  token.identifier = unique_name(token.ip, token.port, physical_device);
  keep_meeting(token.identifier, std::make_shared<Meeting>(token.identifier));
  return token;
}

Result<CommunicatorPtr> join(const Token& token, uint32_t size, Communicator::Place place, Settings settings) {
  const std::string name = settings.name.empty() ? token.identifier : settings.name;
  TRY(check_name_is_free(name, place.device));
  const auto meeting = find_meeting(token.identifier);
  if (!meeting)
    return Status{HCCL_E_TCP_CONNECT, formatted("nobody answers at {} port {}", token.ip, token.port), "EI0015"};
  Member me = this_process();
  me.rank = place.rank;
  me.size = size;
  me.device = place.physical;
  const auto texts = TRY(post_and_wait(*meeting, place.rank, size, 0, me.text(), settings.connect_timeout + kToTell));
  forget_meeting(token.identifier);
  std::vector<bool> here;
  for (const std::string& text : texts) here.push_back(TRY(Member::parse(text)).process == me.process);
  auto board = take_seat(token.identifier, name, size, place.rank, place.device, here);
  return std::make_shared<Communicator>(std::move(board), place, std::move(settings), nullptr);
}

Result<std::vector<CommunicatorPtr>> make_all(const std::vector<Communicator::Place>& places,
                                              const Settings& settings) {
  const std::string name = unique_name("127.0.0.1", 0, places.front().physical);
  const auto size = static_cast<uint32_t>(places.size());
  std::vector<CommunicatorPtr> made;
  for (const auto& place : places) {
    auto board = take_seat(name, name, size, place.rank, place.device, std::vector<bool>(size, true));
    made.push_back(std::make_shared<Communicator>(std::move(board), place, settings, nullptr));
  }
  return made;
}

Result<CommunicatorPtr> split(Communicator& parent, const Split& part, Settings settings) {
  const auto size = static_cast<uint32_t>(part.ranks.size());
  std::vector<bool> here;
  for (const uint32_t rank : part.ranks) {
    if (rank >= parent.size())
      return Status{HCCL_E_PARA, formatted("rankIds: {} is no rank of a communicator of {} ranks", rank, parent.size()),
                    "EI0003"};
    if (std::ranges::count(part.ranks, rank) > 1)
      return Status{HCCL_E_PARA, formatted("rankIds: rank {} occurs more than once", rank), "EI0003"};
    here.push_back(parent.board().here(rank));
  }
  if (part.ranks[part.rank] != parent.rank())
    return Status{HCCL_E_PARA,
                  formatted("subCommRankId is {}, but rankIds there is {} and this is rank {} of {}", part.rank,
                            part.ranks[part.rank], parent.rank(), parent.name()),
                  "EI0003"};
  const std::string name = settings.name.empty() ? formatted("{}_sub_{}", parent.name(), part.id) : settings.name;
  TRY(check_name_is_free(name, parent.device()));
  std::string key = parent.board().name() + "/" + name;
  for (const uint32_t rank : part.ranks) key += formatted(",{}", rank);
  const Communicator::Place place{part.rank, parent.device(), parent.physical_device()};
  auto board = take_seat(key, name, size, part.rank, place.device, here);
  return std::make_shared<Communicator>(std::move(board), place, std::move(settings), nullptr);
}

}  // namespace belay::comm
