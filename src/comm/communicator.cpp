// SPDX-License-Identifier: Apache-2.0
#include "comm/communicator.h"

#include "base/text.h"
#include "comm/collectives.h"

namespace belay::comm {

HandleTable<Communicator>& communicators() {
  static auto& table = *new HandleTable<Communicator>(40);
  return table;
}

HcclComm find_handle(const std::string& name, int device) {
  for (const auto& communicator : communicators().all())
    if (communicator->device() == device && communicator->name() == name) return communicator->handle();
  return nullptr;
}

// Goes along with a task: one that is destroyed without having run leaves the other ranks waiting.
struct Communicator::Ticket {
  Ticket(std::shared_ptr<Communicator> whose, const Call& what, uint64_t which)
      : owner(std::move(whose)), call(what), number(which) {}
  Ticket(Ticket&&) = default;
  ~Ticket() {
    if (owner && !used) owner->dropped(call, number);
  }
  std::shared_ptr<Communicator> owner;
  Call call;
  uint64_t number;
  bool used = false;
};

Communicator::Communicator(std::shared_ptr<Board> board, Place place, Settings settings, std::unique_ptr<Engine> engine)
    : board_(std::move(board)),
      place_(place),
      settings_(std::move(settings)),
      name_(settings_.name.empty() ? board_->name() : settings_.name),
      engine_(std::move(engine)) {
  if (engine_) board_->add_wake_descriptor(engine_->wake_descriptor());
}

Communicator::~Communicator() {
  if (engine_) board_->remove_wake_descriptor(engine_->wake_descriptor());
  leave();
}

void Communicator::leave() {
  board_->seat(rank()).left = true;
  board_->changed();
}

Status Communicator::resume() {
  if (board_->failed())
    return {HCCL_E_NOT_SUPPORT, "the communicator has failed and cannot be resumed; destroy it and make a new one: " +
                                    board_->failure().status.message};
  suspended_ = false;
  return {};
}

Status Communicator::check_usable() const {
  if (suspended_) return {HCCL_E_SUSPENDING, formatted("communicator {} is suspended; resume it first", name_)};
  if (!board_->failed()) return {};
  const Failure failure = board_->failure();
  return {failure.async, "the communicator cannot be used any more: " + failure.status.message,
          failure.status.message_id};
}

HcclResult Communicator::async_error() const { return board_->failed() ? board_->failure().async : HCCL_SUCCESS; }

void Communicator::dropped(const Call& call, uint64_t number) {
  const bool direct = call.op == Op::Send || call.op == Op::Receive;
  board_->fail(
      {{ACL_ERROR_RT_STREAM_ABORT,
        formatted("{}_{}: rank {} did not run {}{}: its stream was aborted or destroyed before", name_of(call.op),
                  name_, rank(), describe(call), direct ? "" : formatted(", its operation {}", number)),
        "EI0002"},
       HCCL_E_REMOTE});
}

Status Communicator::launch(Work work, Stream& stream) {
  TRY(check_usable());
  if (size() == 1) return stream.launch([work = std::move(work)] { run_alone(work); });
  Seat& seat = board_->seat(rank());
  return stream.launch_made([&](const Stream::Place&) -> Result<Task> {
    const uint64_t number = ++seat.issued;
    seat.stream = &stream;
    Ticket ticket(shared_from_this(), work.call, number);
    return Task([ticket = std::move(ticket), work = std::move(work), &stream]() mutable {
      ticket.used = true;
      Exchange exchange(*ticket.owner, stream, work.call, ticket.number, work.call.op != Op::Barrier);
      return exchange.close(run_collective(exchange, std::move(work)));
    });
  });
}

Status Communicator::launch(std::vector<Message> messages, Stream& stream) {
  TRY(check_usable());
  if (messages.empty()) return {};
  return stream.launch_made([&](const Stream::Place&) -> Result<Task> {
    {
      std::lock_guard lock(mutex_);
      for (Message& message : messages)
        message.number = ++(message.call.op == Op::Send ? sent_ : received_)[message.peer];
    }
    Ticket ticket(shared_from_this(), messages.front().call, 0);
    return Task([ticket = std::move(ticket), messages = std::move(messages), &stream]() mutable {
      ticket.used = true;
      return run_messages(*ticket.owner, stream, std::move(messages));
    });
  });
}

}  // namespace belay::comm
