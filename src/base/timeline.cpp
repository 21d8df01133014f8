// SPDX-License-Identifier: Apache-2.0
#include "base/timeline.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "base/files/atomic_file.h"
#include "base/json_text.h"
#include "base/log/say_once.h"
#include "base/text.h"

namespace belay::timeline {
namespace {

constexpr size_t kMostSpans = size_t{1} << 20;

struct Slot {
  Span span;
  std::atomic<bool> whole;
};

// Memory that the system gives page by page; left to it at exit, for threads may still be adding.
constinit std::atomic<Slot*> slots = nullptr;
constinit std::atomic<size_t> taken = 0;
constinit std::mutex mutex;    // of begin and end
constinit int64_t origin = 0;  // guarded by mutex: when the first begin was
constinit pid_t owner = 0;     // guarded by mutex: a forked child writes nothing

const char* file() {
  const char* path = getenv("BELAY_TIMELINE");
  return path && *path ? path : nullptr;
}

bool reserve() {
  if (slots.load()) return true;
  void* memory = mmap(nullptr, kMostSpans * sizeof(Slot), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    say_once(LogModule::AscendCl, "BELAY_TIMELINE: no memory for the spans ({}): nothing is recorded", strerror(errno));
    return false;
  }
  slots.store(static_cast<Slot*>(memory), std::memory_order_release);
  return true;
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::Model:
      return "model";
    case Kind::Kernel:
      return "kernel";
    case Kind::Task:
      return "task";
    case Kind::Callback:
      return "callback";
    case Kind::Copy:
      return "copy";
    case Kind::DumpFile:
      return "dump";
  }
  return "";
}

nlohmann::json arguments_of(const Span& span) {
  nlohmann::json arguments = nlohmann::json::object();
  if (span.stream >= 0) arguments["stream"] = span.stream;
  if (span.bytes > 0) arguments["bytes"] = span.bytes;
  if (span.kind == Kind::Task || span.kind == Kind::Model || span.kind == Kind::Kernel) arguments["run"] = span.run;
  if (span.kind == Kind::Model || span.kind == Kind::Kernel) arguments["model"] = span.model;
  if (span.kind != Kind::Kernel) return arguments;
  arguments["type"] = span.type.view();
  arguments["how"] = span.how.view();
  arguments["task"] = span.task;
  arguments["flops"] = span.flops;
  arguments["loops"] = span.pool.loops;
  arguments["pieces"] = span.pool.pieces;
  arguments["helped"] = span.pool.helped;
  arguments["woken"] = span.pool.woken;
  return arguments;
}

// Microseconds.
nlohmann::json event_of(const Span& span) {
  const std::string_view name = span.name.view();
  return {{"name", name.empty() ? name_of(span.kind) : name},
          {"cat", name_of(span.kind)},
          {"ph", "X"},
          {"pid", owner},
          {"tid", span.thread},
          {"ts", static_cast<double>(span.start - origin) / 1e3},
          {"dur", static_cast<double>(span.end - span.start) / 1e3},
          {"args", arguments_of(span)}};
}

// What a thread is called, by what it did.
std::string thread_name(const Span& span) {
  if (span.kind == Kind::Task) return formatted("stream {}", span.stream);
  if (span.kind == Kind::DumpFile) return "dump writer";
  return span.kind == Kind::Callback ? "callbacks" : "program";
}

std::string text_of_all() {
  const Slot* all = slots.load(std::memory_order_acquire);
  const size_t count = all ? std::min(taken.load(), kMostSpans) : 0;
  const size_t lost = all ? taken.load() - count : 0;
  std::map<uint32_t, std::string> threads;
  std::string text =
      "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"lost\":" + std::to_string(lost) + "},\"traceEvents\":[\n";
  for (size_t i = 0; i < count; ++i) {
    if (!all[i].whole.load(std::memory_order_acquire)) continue;
    const Span& span = all[i].span;
    text += json_text(event_of(span)) + ",\n";
    std::string name = thread_name(span);
    if (const auto [known, added] = threads.try_emplace(span.thread, name); !added && span.kind == Kind::Task)
      known->second = std::move(name);
  }
  for (const auto& [thread, name] : threads)
    text += json_text(nlohmann::json{
                {"name", "thread_name"}, {"ph", "M"}, {"pid", owner}, {"tid", thread}, {"args", {{"name", name}}}}) +
            ",\n";
  text +=
      json_text(nlohmann::json{{"name", "process_name"}, {"ph", "M"}, {"pid", owner}, {"args", {{"name", "belay"}}}});
  return text + "\n]}\n";
}

}  // namespace

int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

void add(Span span) noexcept {
  Slot* all = slots.load(std::memory_order_acquire);
  const size_t number = all ? taken.fetch_add(1, std::memory_order_relaxed) : kMostSpans;
  if (number >= kMostSpans) return;
  span.thread = static_cast<uint32_t>(gettid());
  all[number].span = span;
  all[number].whole.store(true, std::memory_order_release);
}

void begin() {
  std::lock_guard lock(mutex);
  if (!file() || !reserve()) return;
  if (owner == 0) {
    origin = now();
    owner = getpid();
  }
  is_on.store(owner == getpid(), std::memory_order_relaxed);
}

Status end() {
  std::lock_guard lock(mutex);
  if (!is_on.exchange(false) || owner != getpid() || !file()) return {};
  const std::string path = file();
  const Status status = write_file(path, text_of_all());
  if (status.ok()) return {};
  return {status.code, "BELAY_TIMELINE: " + status.message};
}

}  // namespace belay::timeline
