// SPDX-License-Identifier: Apache-2.0
// All metrics of two large tensors in memory against a plain read of them, in turns, on one thread, by processor time.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "base/half.h"
#include "base/threads/parallel.h"
#include "compare/measure.h"

namespace {

using belay::graph::DataType;

double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Memory final : public belay::compare::ElementSource {
 public:
  Memory(DataType type, std::vector<std::byte> bytes)
      : ElementSource(type, {static_cast<int64_t>(bytes.size() * 8 / belay::graph::bits_of(type))}),
        bytes_(std::move(bytes)) {}
  belay::Result<std::span<const std::byte>> read(int64_t first, int64_t count, std::vector<std::byte>&) const override {
    const size_t size = belay::graph::bits_of(type()) / 8;
    return std::span(bytes_).subspan(first * size, count * size);
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  const std::vector<std::byte> bytes_;
};

uint64_t read_all(std::span<const std::byte> bytes) {
  const auto* words = reinterpret_cast<const uint64_t*>(bytes.data());
  uint64_t part[8] = {};
  for (size_t i = 0; i + 8 <= bytes.size() / 8; i += 8)
    for (int lane = 0; lane < 8; ++lane) part[lane] += words[i + lane];
  uint64_t all = 0;
  for (const uint64_t sum : part) all += sum;
  return all;
}

// Numbers that are least at the same places; `factor` apart.
template <class T, class F>
Memory tensor(DataType type, size_t count, float factor, float least, const F& narrow) {
  std::vector<std::byte> bytes(count * sizeof(T));
  auto* out = reinterpret_cast<T*>(bytes.data());
  uint32_t state = 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    out[i] = narrow(std::max(least, static_cast<float>(static_cast<int32_t>(state)) * 0x1p-31F) * factor);
  }
  return {type, std::move(bytes)};
}

void compare(const char* what, const Memory& x, const Memory& y) {
  const belay::ThreadScope scope(1);
  volatile uint64_t kept = 0;
  double read = 1e9, measured = 1e9;
  for (int round = 0; round < 7; ++round) {
    const double begin = seconds();
    kept = kept + read_all(x.bytes()) + read_all(y.bytes());
    const double middle = seconds();
    const auto found = belay::compare::measure(x, y);
    kept = kept + (*found).different;
    measured = std::min(measured, seconds() - middle);
    read = std::min(read, middle - begin);
  }
  const double bytes = static_cast<double>(x.bytes().size() + y.bytes().size());
  std::printf("  %5.2f  all metrics / a plain read from memory, one thread, %s (%.1f and %.1f GB/s)\n", read / measured,
              what, bytes / measured / 1e9, bytes / read / 1e9);
}

}  // namespace

int main() {
  constexpr size_t count = 16 << 20;
  const auto same = [](float value) { return value; };
  const auto floats = [&](float factor, float least) {
    return tensor<float>(DataType::Float, count, factor, least, same);
  };
  const auto halves = [&](float factor) {
    return tensor<uint16_t>(DataType::Float16, count, factor, -1, belay::float_to_half);
  };
  const auto bfloats = [&](float factor) {
    return tensor<uint16_t>(DataType::BFloat16, count, factor, -1, belay::float_to_bf16);
  };
  compare("float32, equal", floats(1, -1), floats(1, -1));
  compare("float32, infinite divergence", floats(-1, -1), floats(1, -1));
  compare("float32, finite divergence", floats(1.000001F, -1), floats(1, -1));
  compare("float16, infinite divergence", halves(-1), halves(1));
  compare("bfloat16, infinite divergence", bfloats(-1), bfloats(1));
}
