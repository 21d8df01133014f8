// SPDX-License-Identifier: Apache-2.0
// What a loop on several threads costs, and from what size on it pays: the same work on one thread and on all,
// alternating.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "base/threads/cores.h"
#include "base/threads/parallel.h"

namespace {

using Clock = std::chrono::steady_clock;

double microseconds_of(auto&& body) {
  const auto begin = Clock::now();
  body();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

// So many rounds of arithmetic that nobody can leave out; about a nanosecond each.
double spin(int64_t rounds) {
  volatile double value = 1;
  for (int64_t i = 0; i < rounds; ++i) value = value * 0.999999 + 0.5;
  return value;
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

struct Times {
  double one, many;
};

// Work of `rounds`, whole on one thread and in pieces on `threads`.
Times measure(int threads, int64_t rounds, std::chrono::microseconds rest, int repeats) {
  std::vector<double> one, many;
  for (int i = 0; i < repeats; ++i) {
    std::this_thread::sleep_for(rest);
    one.push_back(microseconds_of([&] { spin(rounds); }));
    std::this_thread::sleep_for(rest);
    const belay::ThreadScope scope(threads);
    const int64_t pieces = 4 * threads;
    many.push_back(microseconds_of(
        [&] { belay::parallel_pieces(pieces, threads, [&](int64_t, int64_t) { spin(rounds / pieces); }); }));
  }
  return {median(one), median(many)};
}

}  // namespace

int main() {
  const int threads = belay::usable_cores();
  std::printf("%d threads; medians of the same work on one and on all, alternating; microseconds\n\n", threads);
  std::printf("%12s | %10s %10s %7s | %10s %10s %7s\n", "work", "hot: one", "all", "ratio", "asleep: one", "all",
              "ratio");
  for (const int64_t rounds : {1, 2000, 5000, 10000, 20000, 50000, 100000, 1000000}) {
    const auto hot = measure(threads, rounds, std::chrono::microseconds(0), 400);
    const auto asleep = measure(threads, rounds, std::chrono::microseconds(300), 200);
    std::printf("%9.1f us | %10.1f %10.1f %7.2f | %10.1f %10.1f %7.2f\n", hot.one, hot.one, hot.many,
                hot.many / hot.one, asleep.one, asleep.many, asleep.many / asleep.one);
  }
  const auto counted = belay::pool_counters();
  std::printf("\n%llu loops, %llu pieces, helped %llu times, %llu wake-ups\n",
              static_cast<unsigned long long>(counted.loops), static_cast<unsigned long long>(counted.pieces),
              static_cast<unsigned long long>(counted.helped), static_cast<unsigned long long>(counted.woken));
}
