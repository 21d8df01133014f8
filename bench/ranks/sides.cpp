// SPDX-License-Identifier: Apache-2.0
#include "sides.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

int times_of(size_t bytes) { return bytes <= 8 ? 2000 : bytes <= (8 << 10) ? 1000 : bytes <= (1 << 20) ? 60 : 2; }
int rounds_of(size_t bytes) { return bytes > (1 << 20) ? 7 : 21; }

double quantile(std::vector<double> values, double at) {
  std::ranges::sort(values);
  return values[static_cast<size_t>(at * static_cast<double>(values.size() - 1) + 0.5)];
}

double processor_milliseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

template <int kInputs>
void add_all(float* __restrict out, const float* const* inputs, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    float sum = inputs[0][i];
    for (int k = 1; k < kInputs; ++k) sum += inputs[k][i];
    out[i] = sum;
  }
}

}  // namespace

const char* name_of(Operation operation) {
  constexpr const char* names[] = {"AllReduce", "AllGather", "AlltoAll", "Send"};
  return names[static_cast<int>(operation)];
}

std::string name_of(size_t bytes) {
  if (bytes >= 1 << 20) return std::to_string(bytes >> 20) + " MiB";
  return bytes >= 1 << 10 ? std::to_string(bytes >> 10) + " KiB" : std::to_string(bytes) + " B";
}

void Gate::pass(uint32_t size) {
  const uint32_t turn = turn_;
  if (++come_ == size) {
    come_ = 0;
    turn_ = turn + 1;
  }
  while (turn_ == turn) sched_yield();
}

Share share(size_t count, uint32_t size, uint32_t of) {
  const size_t block = (count + size - 1) / size, begin = std::min(of * block, count);
  return {begin, std::min(begin + block, count) - begin};
}

void add(std::byte* out, const std::vector<const std::byte*>& inputs, size_t count) {
  const auto* floats = reinterpret_cast<const float* const*>(inputs.data());
  if (inputs.size() == 2)
    add_all<2>(reinterpret_cast<float*>(out), floats, count);
  else
    add_all<4>(reinterpret_cast<float*>(out), floats, count);
}

void measure(const std::vector<Side*>& sides, Gate& gate, uint32_t rank, uint32_t size, Operation operation,
             size_t bytes) {
  const int times = times_of(bytes);
  std::vector<std::vector<double>> spent(sides.size());
  for (int round = -1; round < rounds_of(bytes); ++round)
    for (size_t side = 0; side < sides.size(); ++side) {
      gate.pass(size);
      const auto start = Clock::now();
      sides[side]->run(operation, bytes, times);
      gate.pass(size);
      const double took = std::chrono::duration<double, std::micro>(Clock::now() - start).count() / times;
      if (round >= 0) spent[side].push_back(operation == Operation::Send ? took / 2 : took);
    }
  if (rank != 0) return;
  std::printf("| %s | %s | %u |", name_of(operation), name_of(bytes).c_str(), size);
  for (size_t side = 0; side < sides.size(); ++side) {
    std::printf(" %.2f |", quantile(spent[side], 0.5));
    if (side == 0) continue;
    std::vector<double> ratios;
    for (size_t i = 0; i < spent[0].size(); ++i) ratios.push_back(spent[0][i] / spent[side][i]);
    std::printf(" **%.2f** (%.2f to %.2f) |", quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75));
  }
  std::printf("\n");
  std::fflush(stdout);
}

void measure(const std::vector<Side*>& sides, Gate& gate, uint32_t rank, uint32_t size) {
  if (rank == 0) {
    std::printf("| operation | bytes | ranks | %s µs |", sides[0]->name.c_str());
    for (size_t i = 1; i < sides.size(); ++i) std::printf(" %s µs | ratio |", sides[i]->name.c_str());
    std::printf("\n|---|---|---|---|");
    for (size_t i = 1; i < sides.size(); ++i) std::printf("---|---|");
    std::printf("\n");
  }
  for (const Operation operation : kOperations)
    for (const size_t bytes : kSizes) measure(sides, gate, rank, size, operation, bytes);
}

double idle_milliseconds() {
  constexpr double kSeconds = 4;
  const double before = processor_milliseconds();
  std::this_thread::sleep_for(std::chrono::duration<double>(kSeconds));
  return (processor_milliseconds() - before) / kSeconds;
}

}  // namespace bench
