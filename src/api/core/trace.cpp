// SPDX-License-Identifier: Apache-2.0
#include "api/core/trace.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/log/say_once.h"
#include "base/threads/size_signal.h"

namespace belay::api {
namespace {

constexpr size_t shown_text = 80;  // a longer string is cut after so many bytes

int open_trace() {
  const char* path = getenv("BELAY_TRACE");
  if (!path || !*path) return -1;
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0)
    say_once(LogModule::AscendCl, "BELAY_TRACE={} cannot be written ({}): calls are not traced", path, strerror(errno));
  trace_on.store(fd >= 0, std::memory_order_relaxed);
  return fd;
}

const int trace_file = open_trace();

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Quoted and cut; a line stays one line.
void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text.substr(0, shown_text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      char escaped[8];
      snprintf(escaped, sizeof escaped, "\\x%02x", byte);
      out += escaped;
    } else {
      out += c;
    }
  }
  out += text.size() > shown_text ? "\"..." : "\"";
}

void append_value(std::string& out, const Argument& value) {
  if (value.kind == Argument::Kind::Text)
    append_quoted(out, {value.value.text, value.size});
  else
    append(out, value);
}

}  // namespace

void Trace::begin(const char* function, std::initializer_list<Argument> args) noexcept {
  try {
    line_ = formatted("{} {}(", gettid(), function);
    const char* separator = "";
    for (const Argument& arg : args) {
      line_ += separator;
      append_value(line_, arg);
      separator = ", ";
    }
  } catch (const std::bad_alloc&) {
    line_.clear();
  }
  started_ = now_ns();
}

void Trace::end(const Argument& result) noexcept {
  const int64_t took = now_ns() - started_;
  if (line_.empty()) return;
  try {
    line_ += ") = ";
    append_value(line_, result);
    line_ += formatted(" <{}.{} us>\n", took / 1000, took / 100 % 10);
  } catch (const std::bad_alloc&) {
    return;
  }
  const SizeSignalBlocked blocked;
  if (write(trace_file, line_.data(), line_.size()) >= 0) return;
  if (errno == EFBIG) blocked.take();
  trace_on.store(false, std::memory_order_relaxed);
}

}  // namespace belay::api
