// SPDX-License-Identifier: Apache-2.0
// The statistics of a large tensor against a plain read of it, in turns, on the same threads.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "base/threads/parallel.h"
#include "dump/format/statistics.h"

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Sums words; eight sums at a time, so that memory is what it waits for.
uint64_t read_all(const std::vector<float>& values) {
  const auto* words = reinterpret_cast<const uint64_t*>(values.data());
  const auto count = static_cast<int64_t>(values.size() / 2);
  std::vector<uint64_t> sums(64);
  belay::parallel_for(count, 1 << 16, [&](int64_t begin, int64_t end) {
    uint64_t part[8] = {};
    for (int64_t i = begin; i + 8 <= end; i += 8)
      for (int lane = 0; lane < 8; ++lane) part[lane] += words[i + lane];
    for (const uint64_t sum : part) sums[static_cast<size_t>(begin * 8 / count) % 64] += sum;
  });
  uint64_t all = 0;
  for (const uint64_t sum : sums) all += sum;
  return all;
}

}  // namespace

int main() {
  const std::vector<float> values(64 << 20, 1.5f);  // 256 MiB: no cache holds it
  const double bytes = static_cast<double>(values.size()) * sizeof(float);
  volatile uint64_t kept = 0;
  for (const int threads : {1, 2}) {
    const belay::ThreadScope scope(threads);
    for (const bool l2norm : {false, true}) {
      double read = 1e9, measured = 1e9;
      for (int round = 0; round < 9; ++round) {
        const double begin = seconds();
        kept = kept + read_all(values);
        const double middle = seconds();
        const auto found = belay::dump::measure(belay::graph::DataType::Float, values.data(), values.size(), l2norm);
        kept = kept + static_cast<uint64_t>(found.avg);
        measured = std::min(measured, seconds() - middle);
        read = std::min(read, middle - begin);
      }
      std::printf("  %5.2f  bandwidth of statistics%s / of a plain read, %d thread%s (%.1f and %.1f GB/s)  >= 0.8\n",
                  read / measured, l2norm ? " with L2norm" : "", threads, threads == 1 ? "" : "s",
                  bytes / measured / 1e9, bytes / read / 1e9);
    }
  }
}
