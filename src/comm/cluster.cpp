// SPDX-License-Identifier: Apache-2.0
#include "comm/cluster.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "base/text.h"
#include "base/threads/fork.h"
#include "comm/meeting/hall.h"
#include "comm/meeting/introduce.h"
#include "comm/meeting/links.h"
#include "comm/variables.h"
#include "comm/waiting/boards.h"

namespace belay::comm {
namespace {

constexpr const char* kBesideKey = "table-beside-";

// Where the ranks of a table meet: whoever listens first answers.
struct Spot {
  std::string name;  // on one host
  std::string ip;    // else
  uint32_t port = 0;

  Listener listen() const { return ip.empty() ? listen_by_name(name) : listen_at(ip, port); }
  Result<int> connect(Deadline deadline) const {
    return ip.empty() ? connect_by_name(name, deadline) : connect_to(ip, port, deadline);
  }
};

Result<Spot> spot_of(const RankTable& table, const std::string& key) {
  if (table.servers.size() == 1) return Spot{"belay-" + key, "", 0};
  const RankTable::Server& first = table.servers.front();
  const uint32_t port = 20000 + static_cast<uint32_t>(std::hash<std::string>()(key) % 40000);
  return Spot{"", first.host_ip.empty() ? first.id : first.host_ip, port};
}

// Of one process, all ranks attend through the same door: that of the first process that came.
Result<std::unique_ptr<Attendance>> attend_at(const Spot& spot, const std::string& key, uint32_t rank, uint32_t size,
                                              Deadline deadline) {
  static auto& mutex = *new std::mutex;
  static auto& doors = *new std::set<std::string>;  // that this process keeps
  {
    std::lock_guard lock(mutex);
    if (!doors.contains(key))
      if (const Listener listener = spot.listen(); listener.descriptor >= 0) {
        doors.insert(key);
        answer_at(listener);
      }
    if (doors.contains(key)) return attend(find_or_open_meeting(key), rank, size);
  }
  const int socket = TRY(spot.connect(deadline));
  return attend(socket, key, rank, size);
}

std::string key_of(const RankTable& table) {
  std::string key = std::to_string(table.servers.size()) + "-";
  for (const auto& device : table.devices) key += formatted("{}.{},", device.server, device.device);
  return formatted("{}-{}", std::hash<std::string>()(key), table.devices.size());
}

}  // namespace

Result<CommunicatorPtr> join_cluster(const RankTable& table, Communicator::Place place, Settings settings,
                                     bool beside) {
  const std::string name = settings.name.empty() ? kWorldGroup : settings.name;
  const auto size = static_cast<uint32_t>(table.devices.size());
  for (const auto& other : communicators().all())
    if (!beside && other->device() == place.device && other->key().starts_with(kTableKey) &&
        !other->key().starts_with(kBesideKey))
      return Status{HCCL_E_UNAVAIL,
                    formatted("device {} has a communicator made from a rank table already", place.device), "EI0003"};
  TRY(check_name_is_free(name, place.device));
  const std::string key = beside ? formatted("{}{}-{}", kBesideKey, key_of(table), std::hash<std::string>()(name))
                                 : kTableKey + key_of(table);
  const Spot spot = TRY(spot_of(table, key));
  auto board = take_seat(key, name, size, place.rank, place.device, {});
  for (const auto& device : table.devices) board->seat(device.rank).server = static_cast<uint32_t>(device.server);
  const Newcomer newcomer{key, name, table.digest, size, place, board};
  const Deadline deadline = std::chrono::steady_clock::now() + settings.connect_timeout;
  auto promise = std::make_shared<std::promise<Result<std::shared_ptr<Engine>>>>();
  Communicator::Met met = promise->get_future().share();
  expect_threads();
  std::thread([=] {
    auto meet = [&]() -> Result<std::shared_ptr<Engine>> {
      const auto attendance = TRY(attend_at(spot, key, newcomer.place.rank, size, deadline));
      auto engine = TRY(introduce(*attendance, newcomer, deadline)).engine;
      if (newcomer.seat->seat(newcomer.place.rank).left) Links::get().say_goodbye(key, key, newcomer.place.rank);
      return engine;
    };
    promise->set_value(meet());
  }).detach();
  return std::make_shared<Communicator>(std::move(board), key, place, std::move(settings), std::move(met));
}

}  // namespace belay::comm
