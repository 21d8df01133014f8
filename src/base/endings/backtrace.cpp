// SPDX-License-Identifier: Apache-2.0
#include "base/endings/backtrace.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

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

struct Module {
  const char* path = "";  // of the file; empty for the program itself
  const char* symbol = nullptr;
  uintptr_t offset = 0;  // in the file, as addr2line takes it
  const void* base = nullptr;
};

bool find_module(uintptr_t frame, Module& found) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(frame), &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ||
      !map)
    return false;
  found = {map->l_name ? map->l_name : "", info.dli_sname, frame - map->l_addr, info.dli_fbase};
  return true;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

constexpr std::string_view kSystem[] = {"libc.so",  "libc-",      "ld-linux", "libm.so",  "libm-",   "libstdc++",
                                        "libgcc_s", "libpthread", "libffi",   "_ctypes.", "libasan", "libtsan"};

Code code_of(const Module& module, std::string_view name) {
  Module own;
  if (*module.path && find_module(reinterpret_cast<uintptr_t>(&find_module), own) && own.base == module.base)
    return Code::Ours;
  if (name.starts_with("acl.so") || name.starts_with("acl.cpython")) return Code::Ours;  // the Python module
  if (name.starts_with("python") || name.starts_with("libpython")) return Code::Python;
  const auto starts = [=](std::string_view with) { return name.starts_with(with); };
  return std::ranges::any_of(kSystem, starts) ? Code::System : Code::Program;
}

// The first line that a command prints; empty when it cannot be run. vfork, because fork would call handlers that take
// locks.
void first_line_of(const char* const* command, char* line, size_t room) {
  line[0] = '\0';
  int ends[2];
  if (pipe(ends) != 0) return;
  const pid_t child = vfork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    close(STDERR_FILENO);
    execvp(command[0], const_cast<char* const*>(command));
    _exit(127);
  }
  close(ends[1]);
  size_t filled = 0;
  while (child > 0 && filled + 1 < room) {
    const ssize_t got = read(ends[0], line + filled, room - 1 - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<size_t>(got);
  }
  close(ends[0]);
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  line[filled] = '\0';
  line[strcspn(line, "\n")] = '\0';
}

// "name at file:line", or only the name, as far as the module has such information.
bool ask_addr2line(const char* path, uintptr_t offset, char* line, size_t room) {
  char number[32];
  (void)snprintf(number, sizeof number, "0x%zx", offset);
  const char* const command[] = {"addr2line", "-f", "-p", "-C", "-e", path, number, nullptr};
  first_line_of(command, line, room);
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

void describe_frame(uintptr_t frame, FrameText& made) {
  made.exported[0] = '\0';
  Module module;
  if (!find_module(frame, module)) {
    made.code = Code::Program;
    (void)snprintf(made.text, sizeof made.text, "0x%zx", frame);
    return;
  }
  char program[512] = "";
  if (!*module.path && readlink("/proc/self/exe", program, sizeof program - 1) < 0) program[0] = '\0';
  const char* path = *module.path ? module.path : program;
  const std::string_view name = last_part(path);
  made.code = code_of(module, name);
  if (module.symbol) (void)snprintf(made.exported, sizeof made.exported, "%s", module.symbol);
  char where[200];
  (void)snprintf(where, sizeof where, "%.160s+0x%zx", name.data(), module.offset);
  char line[sizeof made.text - sizeof where - 4];
  if (made.code == Code::Program && ask_addr2line(path, module.offset, line, sizeof line))
    (void)snprintf(made.text, sizeof made.text, "%s (%s)", line, where);
  else if (module.symbol)
    (void)snprintf(made.text, sizeof made.text, "%.200s (%s)", module.symbol, where);
  else
    (void)snprintf(made.text, sizeof made.text, "%s", where);
}

size_t python_lines(char* text, size_t room) {
  using CurrentThread = void* (*)();
  using Dump = void (*)(int file, void* thread);
  static const auto current = reinterpret_cast<CurrentThread>(dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
  static const auto dump = reinterpret_cast<Dump>(dlsym(RTLD_DEFAULT, "_Py_DumpTraceback"));
  void* thread = current && dump ? current() : nullptr;
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

}  // namespace belay
