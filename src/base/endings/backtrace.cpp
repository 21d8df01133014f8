// SPDX-License-Identifier: Apache-2.0
#include "base/endings/backtrace.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/endings/loaded_file.h"

namespace belay {
namespace {

struct Walk {
  Backtrace made;
  uintptr_t from;  // frames before this one are left out; 0: none
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* object) {
  auto& walk = *static_cast<Walk*>(object);
  int exact = 0;  // else it is where a call returns to, which may be another line already
  const uintptr_t at = _Unwind_GetIPInfo(context, &exact);
  if (at == 0 || walk.made.count == walk.made.frames.size()) return _URC_END_OF_STACK;
  if (walk.from != 0 && at != walk.from) return _URC_NO_REASON;
  walk.from = 0;
  walk.made.frames[walk.made.count++] = exact ? at : at - 1;
  return _URC_NO_REASON;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Python's functions, as far as the process had them when they were first asked for.
struct Interpreter {
  void* (*current_thread)() = nullptr;
  void (*dump)(int file, void* thread) = nullptr;
};
// Looked up while the library is loaded: a handler may interrupt the very lock that the loader takes for it.
const Interpreter interpreter = {reinterpret_cast<void* (*)()>(dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState")),
                                 reinterpret_cast<void (*)(int, void*)>(dlsym(RTLD_DEFAULT, "_Py_DumpTraceback"))};

constexpr std::string_view kSystem[] = {"libc",     "libm",       "libstdc++",       "libgcc_s",        "libpthread",
                                        "libdl",    "librt",      "libffi",          "libasan",         "libtsan",
                                        "libubsan", "linux-vdso", "ld-linux-x86-64", "ld-linux-aarch64"};

bool is_system(const LoadedFile& file) {
  const std::string_view soname = file.soname;
  const std::string_view stem = soname.substr(0, soname.find(".so"));
  return std::ranges::find(kSystem, stem) != std::end(kSystem);
}

bool is_module(const LoadedFile& file, std::string_view name) {
  if (!last_part(file.path).starts_with(std::string_view(name).substr(sizeof "PyInit_" - 1))) return false;
  return exports(file, name.data());
}

// A program that is called python and holds no interpreter is just a program, and so is one with another name that
// does.
bool is_python(const LoadedFile& file) {
  const bool called =
      last_part(file.path).starts_with("python") || std::string_view(file.soname).starts_with("libpython");
  return called && file.holds(reinterpret_cast<const void*>(interpreter.current_thread));
}

Code code_of(const LoadedFile& file) {
  // Tests have all of us in a program of their own.
  if (*file.soname && file.holds(reinterpret_cast<const void*>(&find_loaded_file))) return Code::Ours;
  if (is_module(file, "PyInit_acl")) return Code::Ours;
  if (is_python(file)) return Code::Python;
  return is_system(file) || is_module(file, "PyInit__ctypes") ? Code::System : Code::Program;
}

// Waits until there is something to read; false when the patience ends before.
bool wait_for(int file, LinePatience& patience) {
  for (;;) {
    pollfd ready{.fd = file, .events = POLLIN, .revents = 0};
    const int found = poll(&ready, 1, patience.left());
    if (found > 0) return true;
    if (found < 0 && errno == EINTR && patience.left() > 0) continue;
    return false;
  }
}

// Of a child that has ended, or is made to.
void reap(pid_t child) {
  for (int i = 0; i < 1000; ++i) {  // one that hangs in the system does not end
    const pid_t done = waitpid(child, nullptr, WNOHANG);
    if (done > 0 || (done < 0 && errno != EINTR)) return;
    const timespec nap{.tv_sec = 0, .tv_nsec = 1'000'000};
    nanosleep(&nap, nullptr);
  }
}

[[noreturn]] void become(const char* const* command, int output) {
  if (output == STDOUT_FILENO)  // the program has closed its own
    (void)fcntl(output, F_SETFD, 0);
  else
    dup2(output, STDOUT_FILENO);
  close(STDERR_FILENO);
  execvp(command[0], const_cast<char* const*>(command));
  _exit(127);
}

// The first line that a command prints; empty when it cannot be run, or takes too long. vfork, because fork would call
// handlers that take locks.
void first_line_of(const char* const* command, char* line, size_t room, LinePatience& patience) {
  line[0] = '\0';
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t child = vfork();
  if (child == 0) become(command, ends[1]);
  close(ends[1]);
  size_t filled = 0;
  while (child > 0 && filled + 1 < room) {
    if (!wait_for(ends[0], patience)) {
      patience.give_up();
      filled = 0;
      kill(child, SIGKILL);
      break;
    }
    const ssize_t got = read(ends[0], line + filled, room - 1 - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<size_t>(got);
  }
  close(ends[0]);
  if (child > 0) reap(child);
  line[filled] = '\0';
  line[strcspn(line, "\n")] = '\0';
}

// "name at file:line", or only the name, as far as the module has such information.
bool ask_addr2line(const char* path, uintptr_t offset, char* line, size_t room, LinePatience& patience) {
  if (patience.gave_up()) return false;
  char number[32];
  (void)snprintf(number, sizeof number, "0x%zx", offset);
  const char* const command[] = {"addr2line", "-f", "-p", "-C", "-e", path, number, nullptr};
  first_line_of(command, line, room, patience);
  if (strstr(line, ":?") || strstr(line, "??:")) {
    if (char* at = strstr(line, " at ")) *at = '\0';
  }
  if (!*line || strncmp(line, "??", 2) == 0) return false;
  if (char* more = strstr(line, " (discriminator")) *more = '\0';
  return true;
}

}  // namespace

Backtrace catch_backtrace() {
  Walk walk{};
  (void)_Unwind_Backtrace(add_frame, &walk);
  if (walk.made.count > 0) {  // this function itself
    std::copy(walk.made.frames.begin() + 1, walk.made.frames.end(), walk.made.frames.begin());
    --walk.made.count;
  }
  return walk.made;
}

Backtrace catch_interrupted(uintptr_t at) {
  Walk walk{.made = {}, .from = at};
  (void)_Unwind_Backtrace(add_frame, &walk);
  if (walk.made.count == 0) {
    walk.made.frames[0] = at;
    walk.made.count = 1;
  }
  return walk.made;
}

LinePatience::LinePatience(int seconds) {
  clock_gettime(CLOCK_MONOTONIC, &end_);
  end_.tv_sec += seconds;
}

int LinePatience::left() const {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t left = int64_t{end_.tv_sec - now.tv_sec} * 1000 + (end_.tv_nsec - now.tv_nsec) / 1'000'000;
  return static_cast<int>(std::max<int64_t>(left, 0));
}

void describe_frame(uintptr_t frame, FrameText& made, LinePatience& patience) {
  made.exported[0] = '\0';
  static LoadedFile file;
  if (!find_loaded_file(frame, file)) {
    made.code = Code::Program;
    (void)snprintf(made.text, sizeof made.text, "0x%zx", frame);
    return;
  }
  made.code = code_of(file);
  const bool exported = symbol_at(file, frame, made.exported, sizeof made.exported);
  const uintptr_t offset = frame - file.bias;
  char where[200];
  (void)snprintf(where, sizeof where, "%.160s+0x%zx", last_part(file.path).data(), offset);
  char line[sizeof made.text - sizeof where - 4];
  if (made.code == Code::Program && ask_addr2line(file.path, offset, line, sizeof line, patience))
    (void)snprintf(made.text, sizeof made.text, "%s (%s)", line, where);
  else if (exported)
    (void)snprintf(made.text, sizeof made.text, "%s (%s)", made.exported, where);
  else
    (void)snprintf(made.text, sizeof made.text, "%s", where);
}

size_t python_lines(char* text, size_t room) {
  const auto& [current_thread, dump] = interpreter;
  void* thread = current_thread && dump ? current_thread() : nullptr;
  if (!thread) return 0;
  const int file = memfd_create("belay-python", MFD_CLOEXEC);
  if (file < 0) return 0;
  dump(file, thread);
  const ssize_t got = pread(file, text, room - 1, 0);
  close(file);
  text[got < 0 ? 0 : got] = '\0';
  char* first = strstr(text, "  File ");
  if (!first) return 0;
  std::memmove(text, first, strlen(first) + 1);
  return strlen(text);
}

const char* own_python_line(const char* lines, size_t& length) {
  const char* chosen = lines;
  for (const char* line = lines; *line; line += strcspn(line, "\n"), line += *line ? 1 : 0) {
    const std::string_view text(line, strcspn(line, "\n"));
    const auto has = [=](std::string_view part) { return text.find(part) != text.npos; };
    const bool library = has("/lib/python3") && !has("-packages/");
    if (library || has("-packages/numpy/") || has("\"<__array_function__") || has("\"<frozen ")) continue;
    chosen = line;
    break;
  }
  chosen += strspn(chosen, " ");
  length = strcspn(chosen, "\n");
  return chosen;
}

}  // namespace belay
