// SPDX-License-Identifier: Apache-2.0
#include "backend/peak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include "backend/cpu/panels/product.h"

namespace belay::backend {
namespace {

using namespace cpu;

constexpr int kRounds = 7;
constexpr int64_t kRows = 96, kDepth = 256;       // with the panel less than 256 KiB
constexpr int kProducts = 250;                    // about 10 ms
constexpr size_t kReadBytes = size_t{256} << 20;  // of all threads together

// The least seconds of several rounds in which every thread does body(thread) once, all at the same time.
template <class Body>
double least_seconds(int threads, const Body& body) {
  double least = 1e300;
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> ready{0};
    std::vector<double> ends(static_cast<size_t>(threads));
    std::vector<double> begins(ends.size());
    const auto now = [] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    std::vector<std::thread> others;
    for (int thread = 0; thread < threads; ++thread)
      others.emplace_back([&, thread] {
        ++ready;
        while (ready < threads) std::this_thread::yield();
        begins[static_cast<size_t>(thread)] = now();
        body(thread);
        ends[static_cast<size_t>(thread)] = now();
      });
    for (std::thread& other : others) other.join();
    least = std::min(least, *std::ranges::max_element(ends) - *std::ranges::min_element(begins));
  }
  return least;
}

int at_most_the_cores(int threads) {
  return std::clamp(threads, 1, std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

void multiply_often() {
  std::vector<float> a(kRows * kDepth, 0.5F), panel(kDepth * panels::panel_width, 0.25F),
      y(kRows * panels::panel_width);
  std::vector<const float*> rows;
  for (int64_t row = 0; row < kRows; ++row) rows.push_back(a.data() + row * kDepth);
  for (int i = 0; i < kProducts; ++i)
    panels::multiply({rows.data(), kRows, kRows, 1, kDepth}, panel.data(), panels::panel_width, {}, y.data(), y.data(),
                     panels::panel_width);
}

}  // namespace

double product_flops(int threads) {
  threads = at_most_the_cores(threads);
  const double seconds = least_seconds(threads, [](int) { multiply_often(); });
  return 2.0 * kRows * kDepth * panels::panel_width * kProducts * threads / seconds;
}

double read_bytes(int threads) {
  threads = at_most_the_cores(threads);
  std::vector<std::vector<uint64_t>> memory(static_cast<size_t>(threads));
  const size_t length = kReadBytes / sizeof(uint64_t) / memory.size();
  for (auto& each : memory) each.assign(length, 1);
  std::atomic<uint64_t> sum{0};
  const double seconds = least_seconds(threads, [&](int thread) {
    const auto& each = memory[static_cast<size_t>(thread)];
    sum += std::reduce(each.begin(), each.end(), uint64_t{0});  // added to `sum` so that it is computed
  });
  return static_cast<double>(length * sizeof(uint64_t)) * threads / seconds;
}

}  // namespace belay::backend
