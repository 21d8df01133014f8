// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "base/threads/pool.h"

// What ran when, on which thread: from aclInit to aclFinalize, when BELAY_TIMELINE names the file to write then. Off, a
// place that could be timed reads one flag.
namespace belay::timeline {

enum class Kind : uint8_t { Model, Kernel, Task, Callback, Copy, DumpFile };

// A piece of text that needs no memory of its own; what is too long ends in "...".
template <size_t N>
class Text {
 public:
  Text() = default;
  Text(std::string_view text) {
    const size_t size = std::min(text.size(), N - 1);
    std::memcpy(text_, text.data(), size);
    if (size < text.size()) std::memcpy(text_ + size - 3, "...", 3);
  }
  std::string_view view() const { return text_; }

 private:
  char text_[N] = {};
};

// Times are nanoseconds of now().
struct Span {
  Kind kind = Kind::Task;
  int64_t start = 0, end = 0;
  int32_t stream = -1;  // -1: none
  uint32_t model = 0, task = 0;
  uint64_t run = 0;             // of a model: its executions count from 0. Of a task: its number on the stream
  double flops = 0, bytes = 0;  // of a kernel: what it has to do; of others: bytes that are moved
  uint32_t thread = 0;          // set by add()
  PoolCounters pool;            // of a kernel: what it had of the pool, or another thread's kernel meanwhile
  Text<128> name;
  Text<40> type;  // of an operator
  Text<24> how;   // the kernel's row
};

inline constinit std::atomic<bool> is_on = false;
inline bool on() { return is_on.load(std::memory_order_relaxed); }

// On the monotonic clock.
int64_t now();

// Keeps the span. Takes no lock and allocates nothing: also for signal handlers. What comes after the millionth span is
// only counted.
void add(Span span) noexcept;

// A span from here to the end of the block.
class Scope {
 public:
  // `fill` is called with the Span, to say more of it, when the timeline is on.
  template <class Fill>
  Scope(Kind kind, const Fill& fill) {
    if (!on()) [[likely]]
      return;
    span_.emplace().kind = kind;
    fill(*span_);
    span_->start = now();
  }
  ~Scope() {
    if (!span_) [[likely]]
      return;
    span_->end = now();
    add(*span_);
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  std::optional<Span> span_;
};

// At aclInit: on when BELAY_TIMELINE is set.
void begin();
// At aclFinalize: off, and the file holds all spans since the first begin(), as JSON that chrome://tracing and Perfetto
// show. The error says why it could not be written.
Status end();

}  // namespace belay::timeline
