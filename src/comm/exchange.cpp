// SPDX-License-Identifier: Apache-2.0
#include "comm/exchange.h"

#include <sched.h>

#include <cstring>

#include "base/log/log.h"
#include "base/text.h"
#include "comm/communicator.h"
#include "comm/data_type.h"
#include "comm/meeting/links.h"
#include "comm/meeting/meeting.h"
#include "comm/waiting/boards.h"
#include "runtime/stream/write_gate.h"

namespace belay::comm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kBetweenLooks = 100ms;
constexpr auto kAfterGoodbye = 1s;
constexpr auto kAfterError = 1s;

// How much is copied before it is shown, so that nobody waits for its readers. Not where ranks are done without having
// met all the others: that they disagree would be known too late.
size_t most_copied(Op op) {
  constexpr size_t kToMove = 1 << 10;  // is copied twice then: more takes longer than to wait
  const bool all_meet = op == Op::AllGather || op == Op::AlltoAll || op == Op::ReduceScatter || op == Op::Barrier;
  return op == Op::AllReduce ? kSmall : all_meet ? kToMove : 0;
}

}  // namespace

Exchange::Exchange(Communicator& communicator, Stream& stream, const Call& call, uint64_t number, bool timed)
    : communicator_(communicator),
      board_(communicator.board()),
      stream_(stream),
      call_(call),
      number_(number),
      direct_(call.op == Op::Send || call.op == Op::Receive),
      timed_(timed),
      communicator_has_cores_(communicator.has_cores()),
      post_(communicator.engine(), call, number) {}

uint32_t Exchange::rank() const { return communicator_.rank(); }

void Exchange::start_clock() {
  if (started_ != Clock::time_point{}) return;
  started_ = Clock::now();
  next_look_ = started_ + kBetweenLooks;
}

Exchange::Sleeping::Sleeping(Exchange& exchange, uint32_t peer) : exchange_(exchange) {
  exchange.entry_ = waits().add({&exchange.board_,
                                 &exchange.communicator_.key(),
                                 &exchange.stream_,
                                 exchange.rank(),
                                 peer,
                                 exchange.call_,
                                 exchange.direct_ ? 0 : exchange.number_,
                                 Clock::now(),
                                 0,
                                 {},
                                 exchange.direct_ ? exchange.number_ : 0});
  write_gate().step_out();
  exchange.board_.begin_waiting();
}

Exchange::Sleeping::~Sleeping() {
  exchange_.board_.end_waiting();
  waits().remove(exchange_.entry_);
  write_gate().step_in();
}

Status Exchange::arrive(Work& work) {
  if (arrived_) return {};
  Seat& mine = board_.seat(rank());
  // In the order of the calls, even from several streams.
  TRY(wait([&] { return mine.finished.load() + 1 == number_; }, rank()));
  for (uint32_t peer = 0; peer < size() && number_ > 2; ++peer)
    if (board_.here(peer)) TRY(wait([&] { return board_.seat(peer).has_finished(number_ - 2); }, peer));
  if (const size_t bytes = work.bytes_given(), most = most_copied(work.call.op); most && bytes <= most) {
    if (bytes) std::memcpy(copy_room(), work.send, bytes);
    work.send = copy_room();
    work.copied = true;
  }
  mine.show(number_, std::move(work));
  arrived_ = true;
  board_.changed();
  return {};
}

Result<const Work*> Exchange::meet(uint32_t peer) {
  Seat& theirs = board_.seat(peer);
  TRY(wait([&] { return theirs.arrived.load() > 4 * number_; }, peer));
  TRY(compare(peer, theirs.work(number_).call));
  if (theirs.work(number_).copied) return &theirs.work(number_);
  return pin(peer);
}

Result<const Work*> Exchange::pin(uint32_t peer) {
  Seat& theirs = board_.seat(peer);
  if (pinned_.empty()) pinned_.resize(size());
  if (!pinned_[peer]) ++theirs.readers;
  pinned_[peer] = true;
  if (theirs.withdrawn) TRY(wait([] { return false; }, peer));  // who withdraws says why
  return &theirs.work(number_);
}

void Exchange::unpin() {
  for (uint32_t peer = 0; peer < pinned_.size(); ++peer)
    if (pinned_[peer]) --board_.seat(peer).readers;
  pinned_.clear();
}

Status Exchange::compare(uint32_t peer, const Call& theirs) {
  if (call_ == theirs) return {};
  if (attempting_) return not_yet();  // what differs may have to be asked for
  Call other = theirs;
  other.arrays = call_.arrays;
  if (call_ != other) return disagree(peer, *difference(call_, theirs));
  // Before this rank shows its own it cannot say what differs: it will find it again.
  if (board_.seat(rank()).arrived.load() / 4 != number_) return {};
  const auto element = difference_in_arrays(peer);
  return disagree(peer, element ? *element : *difference(call_, theirs));
}

std::optional<Difference> Exchange::difference_in_arrays(uint32_t peer) const {
  const auto theirs = here(peer) ? count_arrays(board_.seat(peer).work(number_))
                                 : Links::get().ask_for_arrays(communicator_.key(), peer, number_);
  return difference(call_.op, size(), names(), count_arrays(work()), theirs);
}

const ArrayNames& Exchange::names() const {
  return array_names(communicator_.name().ends_with(Communicator::kInModels));
}

Status Exchange::compare_parts(uint32_t peer, uint64_t mine, uint64_t theirs) {
  if (mine == theirs) return {};
  return disagree(peer, {formatted("{}[{}]", names().received, peer), std::to_string(mine), std::to_string(theirs),
                         formatted("{}[{}]", names().sent, rank())});
}

bool Exchange::expects(Call sent) const {
  sent.op = Op::Receive;
  return sent == call_;
}

Status Exchange::compare_message(uint32_t peer, Call sent) {
  sent.op = Op::Receive;
  return compare(peer, sent);
}

Status Exchange::disagree(uint32_t peer, const Difference& difference) {
  if (attempting_) return not_yet();
  Status status{
      ACL_ERROR_RT_FFTS_PLUS_TIMEOUT,
      formatted("{}: the ranks do not agree{}: {} is {} on rank {} and {}{} on rank {}", tag(),
                direct_ ? "" : formatted(" on operation {}", number_), difference.parameter, difference.mine, rank(),
                difference.their_parameter.empty() ? "" : difference.their_parameter + " is ", difference.theirs, peer),
      "EI0005"};
  board_.fail({status, HCCL_E_PARA});
  return status;
}

void Exchange::offer_result() {
  board_.seat(rank()).arrived = 4 * number_ + 2;
  board_.changed();
}

Result<const Work*> Exchange::meet_result(uint32_t peer) {
  Seat& theirs = board_.seat(peer);
  TRY(wait([&] { return theirs.arrived.load() > 4 * number_ + 1; }, peer));
  return pin(peer);
}

void Exchange::finish(std::vector<bool> readers) {
  unpin();
  if (!work().copied) readers_ = std::move(readers);
  finished_ = true;
  board_.seat(rank()).finished = number_;
  board_.changed();
}

Status Exchange::wait_for_readers() {
  for (uint32_t peer = 0; peer < readers_.size(); ++peer)
    if (readers_[peer] && peer != rank() && here(peer))
      TRY(wait([&] { return board_.seat(peer).finished.load() >= number_; }, peer));
  return {};
}

std::byte* Exchange::copy_room() {
  auto& room = board_.seat(rank()).copies[number_ % 2];
  if (!room) room = std::make_unique<std::byte[]>(kSmall);
  return room.get();
}

std::byte* Exchange::room(size_t bytes) {
  Seat& mine = board_.seat(rank());
  if (mine.room_bytes < bytes) {
    mine.room.reset();
    mine.room = std::make_unique_for_overwrite<std::byte[]>(bytes);
    mine.room_bytes = bytes;
  }
  return mine.room.get();
}

Status Exchange::close(Status status) {
  unpin();
  if (status.ok()) return status;
  board_.fail({status, HCCL_E_REMOTE});
  Seat& mine = board_.seat(rank());
  mine.withdrawn = true;
  while (mine.readers != 0) sched_yield();  // for as long as a copy takes
  return board_.failure().status;
}

Status Exchange::wait_for_post() {
  TRY(wait([&] { return post_.done(); }, post_.missing()));
  return check_post();
}

Status Exchange::wait_for_arrivals() {
  TRY(wait([&] { return post_.arrived(); }, post_.missing()));
  return check_post();
}

Status Exchange::check_post() {
  const Post::Trouble* trouble = post_.trouble();
  if (!trouble) return {};
  if (!trouble->error.empty()) {
    // When the other process is gone its socket says so, and who it was.
    const auto end = Clock::now() + kAfterError;
    TRY(wait([&] { return Clock::now() > end; }, trouble->from));
    return {
        ACL_ERROR_RT_FFTS_PLUS_TIMEOUT,
        formatted("{}: a message between rank {} and rank {} failed: {}", tag(), rank(), trouble->from, trouble->error),
        "EI0009"};
  }
  TRY(direct_ ? compare_message(trouble->from, trouble->theirs.call) : compare(trouble->from, trouble->theirs.call));
  if (call_.op == Op::AlltoAllV) {
    const uint64_t element = element_size(call_.type);
    TRY(compare_parts(trouble->from, trouble->expected / element, trouble->theirs.bytes / element));
  }
  return disagree(trouble->from, {"number of bytes between the two", std::to_string(trouble->expected) + " to receive",
                                  std::to_string(trouble->theirs.bytes) + " to send"});
}

void Exchange::sleep(uint32_t seen) {
  if (Engine* engine = communicator_.engine())
    engine->sleep(std::chrono::milliseconds(10));
  else
    board_.sleep(seen);
}

std::string Exchange::tag() const { return formatted("{}_{}", name_of(call_.op), board_.name()); }

Status Exchange::interrupted(uint32_t peer) {
  if (board_.failed()) return board_.failure().status;
  if (stream_.interrupted())
    return {ACL_ERROR_RT_STREAM_ABORT,
            formatted("{}: the stream of rank {} was aborted while it waited for rank {}", tag(), rank(), peer),
            "EI0002"};
  const auto now = Clock::now();
  if (now < next_look_) return {};
  next_look_ = now + kBetweenLooks;
  if (post_.pending()) peer = post_.missing();
  TRY(check_others());
  TRY(check_left(peer));
  if (timed_ && communicator_.exec_timeout() != 0s && now - started_ > communicator_.exec_timeout())
    return timed_out(peer);
  return check_circle(peer);
}

Status Exchange::check_circle(uint32_t peer) {
  waits().set_peer(entry_, peer);
  if (!board_.here(peer) && Clock::now() - started_ > until_trail_) {
    until_trail_ *= 2;
    Links::get().send_trails(waits().begin_trail(entry_, process_name()));
  }
  const Circle circle = waits().circle(entry_);
  if (circle.text.empty()) return {};
  const Status status{
      ACL_ERROR_RT_FFTS_PLUS_TIMEOUT,
      formatted("{}: ranks wait for each other in a circle and would never go on: {}; call the operations of all "
                "communicators in the same order on every rank, and put messages that go both ways into one group or "
                "batch",
                tag(), circle.text),
      "EI0002"};
  // All of them fail, this one first: otherwise it would depend on the moment which of them go on.
  board_.fail({status, HCCL_E_REMOTE});
  for (const std::string& key : circle.keys)
    for (const auto& board : boards_of(key)) board->fail({status, HCCL_E_REMOTE});
  return status;
}

// A rank may leave when it has given all that we wait for: what it gave is here soon after its goodbye, or never.
Status Exchange::check_left(uint32_t peer) {
  if (peer == rank() || !board_.seat(peer).left) return {};
  if (left_looks_++ * kBetweenLooks < kAfterGoodbye) return {};
  return {ACL_ERROR_RT_FFTS_PLUS_TIMEOUT,
          formatted("{}: rank {} waits in {} for rank {}, which has destroyed its communicator", tag(), rank(),
                    describe(call_), peer),
          "EI0002"};
}

// Ranks that this one does not wait for may have come with other arguments, which is why nobody goes on.
Status Exchange::check_others() {
  if (direct_) return {};
  for (uint32_t peer = 0; peer < size(); ++peer) {
    if (peer == rank() || !board_.here(peer)) continue;
    const Seat& theirs = board_.seat(peer);
    if (theirs.arrived.load(std::memory_order_acquire) / 4 == number_) TRY(compare(peer, theirs.work(number_).call));
  }
  return {};
}

std::string Exchange::absence(uint32_t peer) const {
  const uint64_t number = direct_ ? 0 : number_;
  if (board_.here(peer) && !board_.seat(peer).taken) return not_seated(communicator_.key(), peer);
  if (board_.here(peer)) return waits().absence(board_, peer, number);
  const std::string answer = Links::get().ask(communicator_.key(), peer, number);
  if (!answer.empty()) return answer;
  return formatted("rank {} is in another process, which does not answer: it is stopped, or the network to it is cut",
                   peer);
}

Status Exchange::timed_out(uint32_t peer) const {
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - started_).count();
  return {ACL_ERROR_RT_FFTS_PLUS_TIMEOUT,
          formatted("{}: rank {} waited {} s in {} for rank {}: {}", tag(), rank(), waited, describe(call_), peer,
                    absence(peer)),
          "EI0002"};
}

}  // namespace belay::comm
