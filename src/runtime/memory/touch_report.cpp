// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/touch_report.h"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>

#include "base/device_memory.h"
#include "base/endings/backtrace.h"
#include "runtime/memory/block_history.h"

namespace belay {
namespace {

struct sigaction earlier;
std::atomic<pid_t> reporting{0};           // the thread that writes the message
constexpr size_t kNear = size_t{1} << 20;  // so far behind a block, an address may have been meant for it
constexpr int kPatience = 30;              // seconds that other threads wait for it

pid_t thread_id() { return static_cast<pid_t>(syscall(SYS_gettid)); }

// The message. Not on the stack: it may be a small one. Only the reporting thread uses it.
class Message {
 public:
  void start() { filled_ = 0; }
  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int wanted = vsnprintf(text_ + filled_, sizeof text_ - filled_, format, arguments);
    va_end(arguments);
    if (wanted > 0) filled_ = std::min(filled_ + static_cast<size_t>(wanted), sizeof text_ - 1);
  }
  void send() const {
    for (size_t sent = 0; sent < filled_;) {
      const ssize_t written = write(STDERR_FILENO, text_ + sent, filled_ - sent);
      if (written <= 0) return;
      sent += static_cast<size_t>(written);
    }
  }

 private:
  char text_[32 << 10];
  size_t filled_ = 0;
};

// A stack in words: the frames from the program's own code, or Python's, on.
struct Told {
  size_t first = 0, count = 0;  // of the frames that are worth a line
  FrameText frames[32];
  char python[2048];
  char call[96];  // the function of this library that the program called; empty when it called none
};

Message message;
Told touched, other;

bool starts_program(const FrameText& frame) {
  return frame.code == Code::System && strncmp(frame.exported, "__libc_start_", 13) == 0;
}
bool program_code(const FrameText& frame) { return frame.code == Code::Program; }

void tell(const Backtrace& calls, const char* python, Told& told) {
  (void)snprintf(told.python, sizeof told.python, "%s", python);
  told.call[0] = '\0';
  told.count = 0;
  for (size_t i = 0; i < calls.count; ++i) {
    FrameText& frame = told.frames[told.count];
    describe_frame(calls.frames[i], frame);
    if ((*told.python && frame.code == Code::Python) || starts_program(frame)) break;
    ++told.count;
    if (frame.code == Code::Ours && frame.exported[0])
      (void)snprintf(told.call, sizeof told.call, "%s", frame.exported);
  }
  // What the system does before main and before a thread's function says nothing.
  while (told.count > 0 && told.frames[told.count - 1].code == Code::System) --told.count;
  const auto* end = told.frames + told.count;
  told.first =
      static_cast<size_t>(std::find_if(static_cast<const FrameText*>(told.frames), end, program_code) - told.frames);
}

// The function of this library that touched the memory itself; null when it was the program.
const char* call_inside(const Told& told) {
  for (size_t i = std::min(told.first, told.count); i-- > 0;)
    if (told.frames[i].code == Code::Ours && told.frames[i].exported[0]) return told.frames[i].exported;
  return nullptr;
}

// "f at file.c:3": without the place in the module.
void add_headline(const Told& told) {
  if (*told.python) {
    const char* line = told.python + strspn(told.python, " ");
    return message.add("%.*s", static_cast<int>(strcspn(line, "\n")), line);
  }
  const FrameText* frame = told.first < told.count ? &told.frames[told.first] : told.frames;
  const char* open = strrchr(frame->text, '(');
  const bool line_known = open && strstr(frame->text, " at ");
  message.add("%.*s", line_known ? static_cast<int>(open - 1 - frame->text) : static_cast<int>(strlen(frame->text)),
              frame->text);
}

void add_frames(const Told& told, bool from_program) {
  for (size_t i = from_program ? told.first : 0; i < told.count; ++i)
    if (told.frames[i].code != Code::Ours || told.frames[i].exported[0]) message.add("    %s\n", told.frames[i].text);
  for (const char* line = told.python; *line;) {
    const size_t length = strcspn(line, "\n");
    const size_t indent = strspn(line, " ");
    message.add("    %.*s\n", static_cast<int>(length - indent), line + indent);
    line += length + (line[length] == '\n' ? 1 : 0);
  }
}

double seconds(const timespec& from, const timespec& to) {
  return static_cast<double>(to.tv_sec - from.tv_sec) + 1e-9 * static_cast<double>(to.tv_nsec - from.tv_nsec);
}

void add_moment(const char* what, const Moment& moment, const timespec& now, const char* by) {
  tell(moment.stack->calls, moment.stack->python.c_str(), other);
  if (other.call[0]) by = other.call;
  message.add("  the block was %s %.3f s before, by %s, in\n", what, seconds(moment.time, now), by);
  add_frames(other, true);
}

void add_place(const BlockHistory::Entry& entry, const std::byte* address) {
  const Block& block = entry.block;
  const auto into = static_cast<size_t>(address - block.base);
  if (into < block.size)
    message.add("%zu bytes into", into);
  else
    message.add("%zu bytes past the end of", into - block.size);
  message.add(" a block of %zu bytes at %p on device %d\n", block.size, static_cast<void*>(block.base), block.device);
}

// "reads" or "writes", where the processor tells.
const char* verb(const ucontext_t& context) {
#if defined(__x86_64__)
  return context.uc_mcontext.gregs[REG_ERR] & 2 ? "writes" : "reads";
#else
  (void)context;
  return "reads or writes";
#endif
}

uintptr_t program_counter(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
  (void)context;
  return 0;
#endif
}

void report(const std::byte* address, const ucontext_t& context) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  static char python[2048];
  python[python_lines(python, sizeof python)] = '\0';
  tell(catch_interrupted(program_counter(context)), python, touched);
  static BlockHistory::Entry entry;
  const bool known = block_history().find(address, entry) && address < entry.block.end() + kNear;
  message.start();
  message.add("belay: ");
  add_headline(touched);
  const char* freed = known && entry.ended.stack ? ", and the memory was freed" : "";
  if (const char* call = call_inside(touched))
    message.add(" gives device memory to %s, which needs host memory%s (BELAY_OPAQUE=1)\n", call, freed);
  else
    message.add(" %s device memory through a pointer%s (BELAY_OPAQUE=1)\n", verb(context), freed);
  message.add(
      "  The host does not reach the memory of an NPU: there the program would crash here. Copy it with aclrtMemcpy "
      "first, or use memory from aclrtMallocHost.\n");
  message.add("  address %p: ", static_cast<const void*>(address));
  if (known) {
    add_place(entry, address);
    add_moment("made", entry.made, now, entry.block.owner);
    if (entry.ended.stack) add_moment("freed", entry.ended, now, "this library");
  } else {
    message.add("no block is there\n");
  }
  message.add("  it was touched by thread %d, in\n", thread_id());
  add_frames(touched, false);
  message.send();
}

void pass_on(int signal, siginfo_t* info, void* context) {
  if (earlier.sa_flags & SA_SIGINFO) return earlier.sa_sigaction(signal, info, context);
  if (earlier.sa_handler != SIG_DFL && earlier.sa_handler != SIG_IGN) return earlier.sa_handler(signal);
  (void)sigaction(signal, &earlier, nullptr);
  // What the instruction caused it causes again; what was sent must be sent again.
  if (info->si_code <= 0) (void)syscall(SYS_tgkill, getpid(), thread_id(), signal);
}

// Another thread writes its message: this one ends the process when that is done.
void wait_for_report() {
  for (int i = 0; i < kPatience * 100 && reporting != 0; ++i) {
    const timespec nap{.tv_sec = 0, .tv_nsec = 10'000'000};
    nanosleep(&nap, nullptr);
  }
}

void handle(int signal, siginfo_t* info, void* context) {
  if (info->si_code > 0 && is_opaque(info->si_addr)) {
    pid_t nobody = 0;
    if (reporting.compare_exchange_strong(nobody, thread_id())) {
      report(static_cast<const std::byte*>(info->si_addr), *static_cast<const ucontext_t*>(context));
      reporting = 0;
    } else if (nobody != thread_id()) {
      wait_for_report();
    }
  }
  pass_on(signal, info, context);
}

}  // namespace

void report_touches() {
  static std::once_flag once;
  std::call_once(once, [] {
    (void)catch_backtrace();  // what the first one loads is loaded now
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGSEGV, &action, &earlier);
  });
}

}  // namespace belay
