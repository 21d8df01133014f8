// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "comm/combine.h"

namespace belay::comm {
namespace {

// Reductions work on pieces that stay in the cache while those of all ranks are added.
constexpr size_t kPiece = 32 << 10;  // bytes

void copy_bytes(std::byte* to, const std::byte* from, size_t bytes) {
  if (to != from && bytes) std::memmove(to, from, bytes);
}

bool overlap(const std::byte* a, const std::byte* b, size_t bytes) { return a < b + bytes && b < a + bytes; }

// inputs[0] op inputs[1] op ... in this order. `out` may be where an input lies: a piece is then written last.
void reduce(const Work& work, std::byte* out, const std::vector<const std::byte*>& inputs, size_t count) {
  alignas(64) std::byte room[kPiece];
  const size_t piece = kPiece / work.element;
  const bool aliased =
      std::ranges::any_of(inputs, [&](const std::byte* input) { return overlap(input, out, count * work.element); });
  for (size_t at = 0; at < count; at += piece) {
    const size_t now = std::min(piece, count - at), begin = at * work.element;
    std::byte* sum = aliased ? room : out + begin;
    combine(sum, inputs[0] + begin, inputs[1] + begin, now, work.call.type, work.call.reduce);
    for (size_t i = 2; i < inputs.size(); ++i)
      combine(sum, sum, inputs[i] + begin, now, work.call.type, work.call.reduce);
    if (aliased) std::memcpy(out + begin, room, now * work.element);
  }
}

// Collects what every rank has at `part` of its inputs: the others' own memory, or what they sent.
class Inputs {
 public:
  Inputs(Exchange& exchange, Part part) : exchange_(exchange), part_(part) {}

  Status collect() {
    const Work& mine = exchange_.work();
    const size_t bytes = part_.count * mine.element, stride = (bytes + 63) / 64 * 64;
    std::byte* next = exchange_.room(stride * count_elsewhere());
    first_.resize(exchange_.size());
    for (uint32_t peer = 0; peer < exchange_.size(); ++peer) {
      if (exchange_.here(peer)) continue;
      exchange_.post().receive(peer, 0, next, bytes);
      first_[peer] = std::exchange(next, next + stride);
    }
    for (uint32_t peer = 0; peer < exchange_.size(); ++peer) {
      if (!exchange_.here(peer)) continue;
      if (peer == exchange_.rank())
        first_[peer] = mine.source(part_);
      else
        first_[peer] = TRY(exchange_.meet(peer))->source(part_);
    }
    return exchange_.wait_for_arrivals();
  }

  const std::vector<const std::byte*>& first() const { return first_; }

 private:
  size_t count_elsewhere() const {
    size_t count = 0;
    for (uint32_t peer = 0; peer < exchange_.size(); ++peer) count += exchange_.here(peer) ? 0 : 1;
    return count;
  }

  Exchange& exchange_;
  const Part part_;
  std::vector<const std::byte*> first_;  // by rank
};

void send_elsewhere(Exchange& exchange, uint32_t peer, uint32_t step, const std::byte* data, size_t bytes) {
  if (!exchange.here(peer)) exchange.post().send(exchange.rank(), peer, step, data, bytes);
}

// Everything of everyone, for few bytes.
Status all_reduce_small(Exchange& exchange, Work& work) {
  TRY(exchange.arrive(work));
  const Work& mine = exchange.work();
  const size_t bytes = mine.call.count * mine.element;
  for (uint32_t peer = 0; peer < exchange.size(); ++peer) send_elsewhere(exchange, peer, 0, mine.send, bytes);
  Inputs inputs(exchange, {0, mine.call.count});
  TRY(inputs.collect());
  if (exchange.first_time()) reduce(mine, mine.recv, inputs.first(), mine.call.count);
  TRY(exchange.wait_for_post());
  exchange.finish();
  return {};
}

// Each rank reduces its block, then takes the others' blocks.
Status all_reduce_large(Exchange& exchange, Work& work) {
  TRY(exchange.arrive(work));
  const Work& mine = exchange.work();
  const uint32_t size = exchange.size(), rank = exchange.rank();
  const size_t block = (mine.call.count + size - 1) / size;
  const auto part = [&](uint32_t of) {
    const uint64_t begin = std::min<uint64_t>(of * block, mine.call.count);
    return Part{begin, std::min<uint64_t>(begin + block, mine.call.count) - begin};
  };
  for (uint32_t peer = 0; peer < size; ++peer)
    send_elsewhere(exchange, peer, 0, mine.source(part(peer)), part(peer).count * mine.element);
  Inputs inputs(exchange, part(rank));
  TRY(inputs.collect());
  if (exchange.first_time()) reduce(mine, mine.target(part(rank)), inputs.first(), part(rank).count);
  exchange.offer_result();
  for (uint32_t peer = 0; peer < size; ++peer) {
    if (exchange.here(peer)) continue;
    exchange.post().send_bare(rank, peer, 1, mine.target(part(rank)), part(rank).count * mine.element);
    exchange.post().receive_bare(peer, 1, mine.target(part(peer)), part(peer).count * mine.element);
  }
  for (uint32_t step = 1; step < size; ++step) {
    const uint32_t peer = (rank + step) % size;
    if (!exchange.here(peer)) continue;
    const Work* theirs = TRY(exchange.meet_result(peer));
    copy_bytes(mine.target(part(peer)), theirs->target(part(peer)), part(peer).count * mine.element);
  }
  TRY(exchange.wait_for_post());
  exchange.finish(std::vector<bool>(size, true));
  return {};
}

// Ranks that differ in who gives something would not meet where it moves. So each also meets the rank before it, with
// nothing but its arguments when that gives it nothing: in this ring every difference lies between two neighbours.
bool follows(const Exchange& exchange, uint32_t peer, uint32_t before) {
  return peer == (before + 1) % exchange.size();
}

// By rank: whether it is given something.
std::vector<bool> given(const Work& work) {
  std::vector<bool> ranks(work.give.size());
  for (size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank] = work.give[rank].count != 0;
  return ranks;
}

// Rank r gets the reduction of everyone's part r (ReduceScatter), or the root alone gets that of all (Reduce).
Status reduce_parts(Exchange& exchange, Work& work) {
  TRY(exchange.arrive(work));
  const Work& mine = exchange.work();
  const uint32_t rank = exchange.rank();
  for (uint32_t peer = 0; peer < exchange.size(); ++peer)
    if (mine.give[peer].count || follows(exchange, peer, rank))
      send_elsewhere(exchange, peer, 0, mine.source(mine.give[peer]), mine.give[peer].count * mine.element);
  if (const Part part = mine.give[rank]; part.count) {
    Inputs inputs(exchange, part);
    TRY(inputs.collect());
    if (exchange.first_time()) reduce(mine, mine.recv, inputs.first(), part.count);
  } else {
    const uint32_t before = (rank + exchange.size() - 1) % exchange.size();
    if (exchange.here(before))
      TRY(exchange.meet(before));
    else
      exchange.post().receive(before, 0, nullptr, 0);
  }
  TRY(exchange.wait_for_post());
  exchange.finish(given(mine));
  return {};
}

Status take_from(Exchange& exchange, uint32_t peer) {
  const Work& mine = exchange.work();
  const Part part = mine.take[peer];
  const Work* theirs = TRY(exchange.meet(peer));
  TRY(exchange.compare_parts(peer, part.count, theirs->give[exchange.rank()].count));
  copy_bytes(mine.target(part), theirs->source(theirs->give[exchange.rank()]), part.count * mine.element);
  return {};
}

// Part p of every rank's output is what rank p gives it.
Status move_parts(Exchange& exchange, Work& work) {
  TRY(exchange.arrive(work));
  const Work& mine = exchange.work();
  const uint32_t size = exchange.size(), rank = exchange.rank();
  const bool always = mine.call.op == Op::AlltoAllV;  // nobody knows what the others count
  for (uint32_t peer = 0; peer < size; ++peer) {
    if (exchange.here(peer)) continue;
    if (const Part part = mine.take[peer]; part.count || always || follows(exchange, rank, peer))
      exchange.post().receive(peer, 0, mine.target(part), part.count * mine.element);
    if (const Part part = mine.give[peer]; part.count || always || follows(exchange, peer, rank))
      exchange.post().send(rank, peer, 0, mine.source(part), part.count * mine.element);
  }
  if (mine.take[rank].count)
    copy_bytes(mine.target(mine.take[rank]), mine.source(mine.give[rank]), mine.take[rank].count * mine.element);
  for (uint32_t step = 1; step < size; ++step) {
    const uint32_t peer = (rank + step) % size;
    if (exchange.here(peer) && (mine.take[peer].count || always || follows(exchange, rank, peer)))
      TRY(take_from(exchange, peer));
  }
  TRY(exchange.wait_for_post());
  exchange.finish(always ? std::vector<bool>(size, true) : given(mine));
  return {};
}

Status barrier(Exchange& exchange, Work& work) {
  TRY(exchange.arrive(work));
  for (uint32_t peer = 0; peer < exchange.size(); ++peer) {
    if (exchange.here(peer)) continue;
    exchange.post().send(exchange.rank(), peer, 0, nullptr, 0);
    exchange.post().receive(peer, 0, nullptr, 0);
  }
  for (uint32_t peer = 0; peer < exchange.size(); ++peer)
    if (peer != exchange.rank() && exchange.here(peer)) TRY(exchange.meet(peer));
  TRY(exchange.wait_for_post());
  exchange.finish();
  return {};
}

Status move(Exchange& exchange, Work& work) {
  switch (exchange.call().op) {
    case Op::AllReduce:
      if (work.call.count * work.element <= kSmall) return all_reduce_small(exchange, work);
      return all_reduce_large(exchange, work);
    case Op::Reduce:
    case Op::ReduceScatter:
    case Op::ReduceScatterV:
      return reduce_parts(exchange, work);
    case Op::Broadcast:
    case Op::AllGather:
    case Op::AllGatherV:
    case Op::Scatter:
    case Op::AlltoAll:
    case Op::AlltoAllV:
    case Op::AlltoAllVC:
      return move_parts(exchange, work);
    case Op::Barrier:
      return barrier(exchange, work);
    case Op::Send:
    case Op::Receive:
      break;
  }
  return {};
}

}  // namespace

Status run_collective(Exchange& exchange, Work& work) {
  if (!exchange.finished()) TRY(move(exchange, work));
  return exchange.wait_for_readers();
}

bool is_small(const Work& work) {
  constexpr size_t kMostParts = 4;
  uint64_t elements = work.call.count;
  if (work.call.op == Op::AllReduce) return elements * work.element <= kSmall;
  for (const auto* parts : {&work.give, &work.take})
    for (const Part& part : *parts) elements += part.count;
  return elements * work.element <= kMostParts * kSmall;
}

void run_alone(const Work& work) {
  if (work.call.op == Op::AlltoAllV || work.call.op == Op::AlltoAllVC)
    return copy_bytes(work.target(work.take[0]), work.source(work.give[0]), work.take[0].count * work.element);
  if (work.recv && work.send) copy_bytes(work.recv, work.send, work.call.count * work.element);
}

}  // namespace belay::comm
