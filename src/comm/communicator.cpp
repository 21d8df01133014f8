// SPDX-License-Identifier: Apache-2.0
#include "comm/communicator.h"

#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "base/threads/cores.h"
#include "comm/collectives.h"
#include "comm/meeting/links.h"
#include "comm/waiting/boards.h"

namespace belay::comm {

std::vector<uint32_t> all_ranks(uint32_t size) {
  std::vector<uint32_t> ranks(size);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

Communicators& communicators() {
  static auto& table = *new Communicators(40);
  return table;
}

HcclComm find_handle(const std::string& name, int device) {
  for (const auto& communicator : communicators().all())
    if (communicator->device() == device && communicator->name() == name) return communicator->handle();
  return nullptr;
}

// Goes along with a task: one that is destroyed without having run leaves the other ranks waiting.
struct Communicator::Ticket {
  Ticket(std::shared_ptr<Communicator> whose, const Stream& stream, const Call& what, uint64_t which)
      : owner(std::move(whose)), aborted(&stream.interrupted()), call(what), number(which) {
    under_way().begin(*aborted);
  }
  Ticket(Ticket&&) = default;
  ~Ticket() {
    if (!owner) return;
    drop();
    under_way().end(*aborted);
  }
  // Unless it has run.
  void drop() {
    if (!std::exchange(used, true)) owner->dropped(call, number);
  }
  UnderWay& under_way() const { return owner->board().seat(owner->rank()).under_way; }
  std::shared_ptr<Communicator> owner;
  const std::atomic<bool>* aborted;
  Call call;
  uint64_t number;
  bool used = false;
};

namespace {

int this_thread() {
  static thread_local const int id = gettid();
  return id;
}

Communicator::Met already(std::shared_ptr<Engine> engine) {
  std::promise<Result<std::shared_ptr<Engine>>> promise;
  promise.set_value(std::move(engine));
  return promise.get_future().share();
}

}  // namespace

Communicator::Communicator(std::shared_ptr<Board> board, std::string key, Place place, Settings settings,
                           std::shared_ptr<Engine> engine)
    : Communicator(std::move(board), std::move(key), place, std::move(settings), already(std::move(engine))) {
  (void)settle();
}

Communicator::Communicator(std::shared_ptr<Board> board, std::string key, Place place, Settings settings, Met meeting)
    : board_(std::move(board)),
      place_(place),
      settings_(std::move(settings)),
      name_(settings_.name.empty() ? board_->name() : settings_.name),
      key_(std::move(key)),
      met_(std::move(meeting)) {
  world_ranks = all_ranks(size());
  board_->seat(rank()).thread = this_thread();
}

Communicator::~Communicator() {
  leave();
  if (engine_) board_->remove_wake_descriptor(engine_->wake_descriptor());
}

Status Communicator::settle() {
  const auto& met = met_.get();
  if (!met.ok()) return met.status();
  std::call_once(settled_, [&] {
    engine_ = *met;
    int neighbours = 0;
    for (uint32_t peer = 0; peer < size(); ++peer)
      neighbours += board_->seat(peer).server == board_->seat(rank()).server ? 1 : 0;
    has_cores_ = neighbours <= usable_cores();
    if (engine_) board_->add_wake_descriptor(engine_->wake_descriptor());
    settled_well_ = true;
  });
  return {};
}

Engine* Communicator::engine() {
  (void)settle();
  return engine_.get();
}

bool Communicator::here(uint32_t rank) {
  (void)settle();
  return board_->here(rank);
}

std::shared_ptr<Engine> Communicator::shared_engine() {
  (void)settle();
  return engine_;
}

void Communicator::leave() {
  std::shared_ptr<Communicator> twin;
  {
    std::lock_guard lock(mutex_);
    gone_ = true;
    twin = twin_;
  }
  if (twin) twin->leave();
  if (board_->seat(rank()).left.exchange(true)) return;
  board_->changed();
  Links::get().say_goodbye(key_, key_, rank());
  if (!twin && !name_.ends_with(kInModels)) say_that_twin_is_gone();
}

// This rank has none, but others may have one, and wait there.
void Communicator::say_that_twin_is_gone() const {
  const std::string key = key_of_part(key_, name_ + kInModels, all_ranks(board_->size()));
  for (const auto& board : boards_of(key)) {
    board->seat(place_.rank).left = true;
    board->changed();
  }
  Links::get().say_goodbye(key_, key, place_.rank);
}

uint64_t Communicator::count_part(const std::string& key) {
  std::lock_guard lock(mutex_);
  return parts_[key]++;
}

void Communicator::inherit(const Communicator& old) {
  epoch_ = old.epoch_ + 1;
  world_ranks = old.world_ranks;
  memory = old.memory;
  holds_device = old.holds_device;
  set_handle(old.handle());
}

Status Communicator::check_usable() const {
  if (suspended_) return {HCCL_E_SUSPENDING, formatted("communicator {} is suspended; resume it first", name_)};
  if (has_met() && !met_.get().ok()) return met_.get().status();
  if (!board_->failed()) return {};
  const Failure failure = board_->failure();
  return {failure.async, "the communicator cannot be used any more: " + failure.status.message,
          failure.status.message_id};
}

HcclResult Communicator::async_error() const { return board_->failed() ? board_->failure().async : HCCL_SUCCESS; }

void Communicator::give_up(const Status& why, Stream& stream) {
  if (suspended_) return;
  const Status refused{ACL_ERROR_RT_FFTS_PLUS_TIMEOUT,
                       formatted("communicator {}: rank {} does not send and receive what its group held: {}", name_,
                                 rank(), why.message),
                       why.message_id};
  board_->fail({refused, HCCL_E_REMOTE});
  (void)stream.launch([status = board_->failure().status] { return status; });
}

void Communicator::dropped(const Call& call, uint64_t number) {
  const bool direct = call.op == Op::Send || call.op == Op::Receive;
  board_->fail(
      {{ACL_ERROR_RT_STREAM_ABORT,
        formatted("{}_{}: rank {} did not run {}{}: its stream was aborted or destroyed before", name_of(call.op),
                  name_, rank(), describe(call), direct ? "" : formatted(", its operation {}", number)),
        "EI0002"},
       HCCL_E_REMOTE});
}

// On the stream's thread, before an operation.
Status Communicator::begin() {
  if (board_->failed()) return board_->failure().status;
  Status status = settle();
  if (status.ok()) return status;
  status.code = ACL_ERROR_RT_FFTS_PLUS_TIMEOUT;
  board_->fail({status, HCCL_E_REMOTE});
  return status;
}

// A small operation is tried on the thread that calls it: where all ranks come at about the same time, handing it to
// another thread takes longer than the operation. Not where ranks share cores, or came late the last times.
bool Communicator::worth_an_attempt(bool small) {
  if (!small || !settled_well_ || !has_cores_ || board_->failed()) return false;
  return skipped_attempts_ == 0 || skipped_attempts_-- <= 0;
}

void Communicator::attempted(bool done) {
  constexpr int kMostSkips = 64;
  if (done && next_skips_ == 1) return;
  skipped_attempts_ = done ? 0 : next_skips_.load();
  next_skips_ = done ? 1 : std::min(kMostSkips, 2 * next_skips_);
}

// An operation from its call to its end.
class Communicator::Collective {
 public:
  Collective(Ticket ticket, Work work, Stream& stream)
      : ticket_(std::move(ticket)), work_(std::move(work)), stream_(stream) {}
  // Others may read what an attempt has shown.
  ~Collective() {
    if (!exchange_ || ticket_.used) return;
    ticket_.drop();
    (void)exchange_->close(owner().board().failure().status);
  }
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;

  bool attempt() {
    if (!owner().worth_an_attempt(is_small(work_))) return false;
    begin();
    ticket_.used = exchange_->attempt([&] { return run_collective(*exchange_, work_); });
    owner().attempted(ticket_.used);
    return ticket_.used;
  }

  Status run() {
    ticket_.used = true;
    Status status = owner().begin();
    if (!status.ok() && !exchange_) return status;
    begin();
    if (status.ok()) status = run_collective(*exchange_, work_);
    return exchange_->close(std::move(status));
  }

 private:
  Communicator& owner() { return *ticket_.owner; }
  void begin() {
    if (!exchange_) exchange_.emplace(owner(), stream_, work_.call, ticket_.number, work_.call.op != Op::Barrier);
  }

  Ticket ticket_;
  Work work_;
  Stream& stream_;
  std::optional<Exchange> exchange_;
};

class Communicator::Messages {
 public:
  Messages(Ticket ticket, std::vector<Message> messages, Stream& stream)
      : ticket_(std::move(ticket)), small_(are_small(messages)), batch_(owner(), stream, std::move(messages)) {}

  bool attempt() {
    if (!owner().worth_an_attempt(small_)) return false;
    ticket_.used = batch_.attempt();
    owner().attempted(ticket_.used);
    return ticket_.used;
  }

  Status run() {
    ticket_.used = true;
    TRY(owner().begin());
    return batch_.run();
  }

 private:
  Communicator& owner() { return *ticket_.owner; }
  static bool are_small(const std::vector<Message>& messages) {
    return std::ranges::all_of(messages, [](const Message& message) { return message.bytes <= kSmall; });
  }

  Ticket ticket_;
  const bool small_;
  Batch batch_;
};

Status Communicator::launch(Work work, Stream& stream) {
  TRY(check_usable());
  if (size() == 1) return stream.launch([work = std::move(work)] { run_alone(work); });
  Seat& seat = board_->seat(rank());
  Collective* made = nullptr;
  const auto make = [&](const Stream::Place&) -> Result<Task> {
    const uint64_t number = seat.issued.add(&stream);
    seat.thread = this_thread();
    Ticket ticket(shared_from_this(), stream, work.call, number);
    auto collective = std::make_unique<Collective>(std::move(ticket), std::move(work), stream);
    made = collective.get();
    return Task([collective = std::move(collective)] { return collective->run(); });
  };
  return stream.launch_or_do(std::ref(make), [&] { return made->attempt(); });
}

Traffic& Communicator::traffic(const Message& message) {
  Seat& seat = board_->seat(rank());
  return (message.call.op == Op::Send ? seat.sent : seat.received)[message.peer];
}

Status Communicator::launch(std::vector<Message> messages, Stream& stream) {
  TRY(check_pairs_to_itself(messages, rank()));
  TRY(check_usable());
  if (messages.empty()) return {};
  Messages* made = nullptr;
  const auto make = [&](const Stream::Place&) -> Result<Task> {
    {
      std::lock_guard lock(mutex_);
      for (Message& message : messages) message.number = traffic(message).issued.add(&stream);
    }
    Ticket ticket(shared_from_this(), stream, messages.front().call, 0);
    auto batch = std::make_unique<Messages>(std::move(ticket), std::move(messages), stream);
    made = batch.get();
    return Task([batch = std::move(batch)] { return batch->run(); });
  };
  return stream.launch_or_do(std::ref(make), [&] { return made->attempt(); });
}

// The codes of calls are not those of tasks.
Status Communicator::check_runnable() const {
  Status status = check_usable();
  if (!status.ok()) status.code = ACL_ERROR_RT_FFTS_PLUS_TIMEOUT;
  return status;
}

Status Communicator::run(Work work, Stream& stream) {
  TRY(check_runnable());
  if (size() == 1) return run_alone(work), Status{};
  Seat& seat = board_->seat(rank());
  seat.thread = this_thread();
  Ticket ticket(shared_from_this(), stream, work.call, seat.issued.add(&stream));
  ticket.used = true;
  TRY(begin());
  Exchange exchange(*this, stream, work.call, ticket.number, true);
  return exchange.close(run_collective(exchange, work));
}

Status Communicator::run(Message message, Stream& stream) {
  TRY(check_runnable());
  {
    std::lock_guard lock(mutex_);
    message.number = traffic(message).issued.add(&stream);
  }
  Ticket ticket(shared_from_this(), stream, message.call, 0);
  ticket.used = true;
  TRY(begin());
  return Batch(*this, stream, {message}).run();
}

Result<std::shared_ptr<Communicator>> Communicator::twin(
    const std::function<Result<std::shared_ptr<Communicator>>(Communicator& of)>& make) {
  TRY(begin());
  std::lock_guard turn(making_twin_);
  {
    std::lock_guard lock(mutex_);
    if (twin_) return twin_;
  }
  auto made = TRY(make(*this));
  bool gone = false;
  {
    std::lock_guard lock(mutex_);
    twin_ = made;
    gone = gone_;
  }
  if (gone) made->leave();
  return made;
}

}  // namespace belay::comm
