// SPDX-License-Identifier: Apache-2.0
// stress_ranks OPERATIONS SEED: random operations of 8 ranks on 3 communicators, each on a stream of its own. All ranks
// draw the same operations; what each should get is computed from the drawn numbers alone.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "comm/communicator.h"
#include "comm/creation.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"

namespace {

using namespace belay;
using namespace belay::comm;

constexpr uint32_t kRanks = 8;
constexpr size_t kMost = 6000;

[[noreturn]] void fail(const char* what, uint32_t rank, uint64_t operation, const std::string& text = "") {
  std::printf("%s: rank %u, operation %lu %s\n", what, rank, operation, text.c_str());
  std::exit(1);
}

template <class T>
T must(Result<T> result, const char* what) {
  if (!result.ok()) fail(what, 0, 0, result.status().message);
  return std::move(result).value();
}

// What rank r sends as element i of operation k.
int64_t value(uint64_t operation, uint32_t rank, size_t i) {
  return static_cast<int64_t>(operation * 1000003 + rank * 7919 + i * 31) % 100003;
}

// A communicator, its stream, and the memory of the operation that runs on it.
struct Lane {
  CommunicatorPtr communicator;
  std::shared_ptr<Stream> stream;
  std::vector<int64_t> send, recv;
  uint64_t operation = 0;
  Op op = Op::Barrier;
  size_t count = 0;

  void begin(uint64_t which, std::mt19937& random) {
    constexpr Op ops[] = {Op::AllReduce,     Op::AllGather, Op::AlltoAll, Op::Broadcast,
                          Op::ReduceScatter, Op::Barrier,   Op::Send};
    operation = which;
    op = ops[random() % std::size(ops)];
    count = 1 + random() % (random() % 4 ? 50 : kMost);
    const uint32_t size = communicator->size(), rank = communicator->rank();
    send.resize(count * size);
    recv.assign(count * size, -1);
    for (size_t i = 0; i < send.size(); ++i) send[i] = value(operation, rank, i);
    Status status = op == Op::Send ? communicator->launch(messages(), *stream) : communicator->launch(work(), *stream);
    if (!status.ok()) fail("launch", rank, operation, status.message);
  }

  Work work() {
    const uint32_t size = communicator->size(), root = static_cast<uint32_t>(operation % size);
    Work made;
    made.call = {op, HCCL_DATA_TYPE_INT64, HCCL_REDUCE_RESERVED, 0, count, 0};
    made.element = 8;
    made.send = reinterpret_cast<const std::byte*>(send.data());
    made.recv = reinterpret_cast<std::byte*>(recv.data());
    if (op == Op::Barrier) return {};
    if (op == Op::AllReduce || op == Op::ReduceScatter) made.call.reduce = HCCL_REDUCE_SUM;
    made.give.resize(size);
    made.take.resize(size);
    for (uint32_t i = 0; i < size; ++i) {
      made.give[i] = op == Op::AllGather ? Part{0, count} : Part{i * count, count};
      made.take[i] = {i * count, count};
    }
    if (op == Op::Broadcast) {
      made.call.root = root;
      for (uint32_t i = 0; i < size; ++i) {
        made.give[i] = communicator->rank() == root && i != root ? Part{0, count} : Part{};
        made.take[i] = communicator->rank() != root && i == root ? Part{0, count} : Part{};
      }
    }
    return made;
  }

  // Around the ring.
  std::vector<Message> messages() {
    const uint32_t size = communicator->size(), rank = communicator->rank();
    const size_t bytes = count * 8;
    std::vector<Message> made(2);
    made[0].call = {Op::Send, HCCL_DATA_TYPE_INT64, HCCL_REDUCE_RESERVED, 0, count, 0};
    made[1].call = made[0].call;
    made[1].call.op = Op::Receive;
    made[0].peer = (rank + 1) % size;
    made[1].peer = (rank + size - 1) % size;
    made[0].data = reinterpret_cast<std::byte*>(send.data());
    made[1].data = reinterpret_cast<std::byte*>(recv.data());
    made[0].bytes = made[1].bytes = bytes;
    return made;
  }

  int64_t expected(size_t i) const {
    const uint32_t size = communicator->size(), rank = communicator->rank(),
                   root = static_cast<uint32_t>(operation % size);
    int64_t sum = 0;
    switch (op) {
      case Op::AllReduce:
        for (uint32_t peer = 0; peer < size && i < count; ++peer) sum += value(operation, peer, i);
        return i < count ? sum : -1;
      case Op::ReduceScatter:
        for (uint32_t peer = 0; peer < size && i < count; ++peer) sum += value(operation, peer, rank * count + i);
        return i < count ? sum : -1;
      case Op::AllGather:
        return value(operation, static_cast<uint32_t>(i / count), i % count);
      case Op::AlltoAll:
        return value(operation, static_cast<uint32_t>(i / count), rank * count + i % count);
      case Op::Broadcast:
        return i < count && rank != root ? value(operation, root, i) : -1;
      case Op::Send:
        return i < count ? value(operation, (rank + size - 1) % size, i) : -1;
      default:
        return -1;
    }
  }

  void check() {
    if (Status status = stream->synchronize(); !status.ok())
      fail("synchronize", communicator->rank(), operation, status.message);
    for (size_t i = 0; i < recv.size(); ++i)
      if (recv[i] != expected(i)) fail(name_of(op), communicator->rank(), operation);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const uint64_t operations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const auto seed = static_cast<uint32_t>(argc > 2 ? std::atoi(argv[2]) : 1);
  const Token token = must(open_meeting(0), "open_meeting");
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&, rank] {
      Device* device = must(find_device(static_cast<int>(rank)), "find_device");
      if (!device->set().ok()) fail("set", rank, 0);
      const auto context = must(current_context(), "current_context");
      const int id = static_cast<int>(rank);
      std::vector<Lane> lanes;
      auto world = must(join(token, kRanks, {rank, id, id}, {}), "join");
      const auto add = [&](CommunicatorPtr communicator) {
        lanes.push_back({std::move(communicator), must(context->create_stream({}), "create_stream"), {}, {}});
      };
      add(world);
      if (rank % 2 == 0) add(must(split(*world, {{0, 2, 4, 6}, 1, rank / 2}, {}), "split"));
      if (rank < 5) add(must(split(*world, {{0, 1, 2, 3, 4}, 2, rank}, {}), "split"));
      std::mt19937 random(seed);
      for (uint64_t operation = 0; operation < operations; ++operation) {
        // The same numbers on every rank, also on those without the lane.
        for (uint32_t lane = 0; lane < 3; ++lane) {
          std::mt19937 drawn(random());
          const bool mine = lane == 0 || (lane == 1 && rank % 2 == 0) || (lane == 2 && rank < 5);
          const size_t index = lane == 2 && rank % 2 != 0 ? 1 : lane;
          if (mine) lanes[index].begin(operation * 3 + lane, drawn);
        }
        for (Lane& lane : lanes) lane.check();
      }
    });
  for (auto& thread : threads) thread.join();
  std::printf("%lu operations of %u ranks on each of 3 communicators: all right\n", operations, kRanks);
  std::fflush(stdout);
  std::_Exit(0);  // devices are not reset here
}
