// SPDX-License-Identifier: Apache-2.0
#include "comm/renewal.h"

#include <algorithm>
#include <future>
#include <thread>

#include "base/text.h"
#include "base/threads/fork.h"
#include "comm/meeting/hex.h"
#include "comm/meeting/links.h"
#include "comm/waiting/boards.h"

namespace belay::comm {
namespace {

using MadeEngine = Result<std::shared_ptr<Engine>>;

std::string key_of(const Communicator& old, uint32_t epoch) {
  const std::string first = old.epoch() ? old.key().substr(0, old.key().rfind('#')) : old.key();
  return formatted("{}#{}", first, epoch);
}

Status gone(const Board& board, const std::string& who) {
  return {HCCL_E_REMOTE,
          formatted("communicator {} cannot be resumed: {}; destroy it and make a new one", board.name(), who),
          "EI0006"};
}

Status check_all_live(const std::string& key, const Board& board) {
  for (uint32_t rank = 0; rank < board.size(); ++rank)
    if (!board.here(rank) && Links::get().process_of(key, rank).empty())
      return gone(board, formatted("rank {} is gone", rank));
  return {};
}

MadeEngine meet_again(std::shared_ptr<Engine> engine, const std::string& key, const std::shared_ptr<Board>& board,
                      Deadline deadline) {
  for (uint32_t rank = 0; rank < board->size(); ++rank)
    if (!board->here(rank)) TRY(engine->connect(rank, TRY(Links::get().announced(key, rank, *board, deadline))));
  return engine;
}

// Ready at once when all ranks are of this process.
Communicator::Met meeting_of(const std::shared_ptr<Engine>& before, const std::string& key, uint32_t rank,
                             const std::shared_ptr<Board>& board, std::chrono::seconds patience) {
  auto promise = std::make_shared<std::promise<MadeEngine>>();
  Communicator::Met met = promise->get_future().share();
  if (!before) {
    promise->set_value(std::shared_ptr<Engine>());
    return met;
  }
  auto made = before->again();
  if (!made.ok()) {
    promise->set_value(made.status());
    return met;
  }
  const std::shared_ptr<Engine> engine = std::move(made).value();
  Links::get().announce(key, rank, engine->address());
  const Deadline deadline = std::chrono::steady_clock::now() + patience;
  expect_threads();
  std::thread([=] { promise->set_value(meet_again(engine, key, board, deadline)); }).detach();
  return met;
}

// Going on while an abort has not been noticed would be a success that the next operation takes back.
Status wait_until_quiet(Communicator& suspended) {
  Board& board = suspended.board();
  const auto patience = suspended.settings().connect_timeout;
  const std::string loud = board.wait_until_quiet(std::chrono::steady_clock::now() + patience);
  Status status = loud.empty() ? Status{} : Status{HCCL_E_TIMEOUT, loud};
  if (status.ok() && suspended.engine()) status = Links::get().wait_until_quiet(suspended.key(), board, patience);
  if (status.code == HCCL_E_REMOTE) return gone(board, status.message);
  if (status.ok()) return status;
  return {HCCL_E_TIMEOUT,
          formatted("communicator {} stays suspended: {}, for {} s now; see that it goes on and call HcclCommResume "
                    "again, or destroy the communicator",
                    board.name(), status.message, patience.count()),
          "EI0002"};
}

}  // namespace

Status resume(const CommunicatorPtr& suspended) {
  Board& board = suspended->board();
  TRY(suspended->settle());
  TRY(wait_until_quiet(*suspended));
  if (board.failed()) return renew(suspended);
  suspended->go_on();
  return {};
}

Status renew(const CommunicatorPtr& old) {
  TRY(old->settle());
  Board& before = old->board();
  before.fail({{ACL_ERROR_RT_STREAM_ABORT,
                formatted("communicator {}: rank {} was resumed; what the other ranks did before is given up",
                          before.name(), old->rank()),
                "EI0002"},
               HCCL_E_REMOTE});
  const std::string key = key_of(*old, old->epoch() + 1);
  std::vector<bool> here;
  std::vector<uint32_t> ranks;
  for (uint32_t rank = 0; rank < before.size(); ++rank) {
    here.push_back(before.here(rank));
    ranks.push_back(rank);
  }
  const Communicator::Place place{old->rank(), old->device(), old->physical_device()};
  auto board = take_seat(key, before.name(), before.size(), place.rank, place.device, here);
  for (const uint32_t rank : ranks) board->seat(rank).server = before.seat(rank).server.load();
  const auto engine = old->shared_engine();
  if (engine) {
    Links::get().join_as(old->key(), key, board, ranks);
    TRY(check_all_live(key, *board));
    board->set_messenger([key](const Failure& failure) { Links::get().tell_failure(key, failure); });
  }
  auto met = meeting_of(engine, key, place.rank, board, old->settings().connect_timeout);
  auto made = std::make_shared<Communicator>(std::move(board), key, place, old->settings(), std::move(met));
  made->inherit(*old);
  before.seat(old->rank()).left = true;  // it says no goodbye: the rank stays
  if (communicators().replace(old->handle(), *old, made)) return {};
  return {HCCL_E_AGAIN, "another thread has resumed or destroyed the communicator", "EI0003"};
}

}  // namespace belay::comm
