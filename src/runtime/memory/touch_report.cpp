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
#include "base/endings/signal_chain.h"
#include "runtime/memory/block_history.h"

namespace belay {
namespace {

std::atomic<pid_t> reporting{0};   // the thread that writes the message
constexpr int kPatience = 30;      // seconds that other threads wait for it
constexpr int kLinePatience = 10;  // seconds for all of its lines

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

void tell(const Backtrace& calls, const char* python, Told& told, LinePatience& patience) {
  (void)snprintf(told.python, sizeof told.python, "%s", python);
  told.call[0] = '\0';
  told.count = 0;
  for (size_t i = 0; i < calls.count; ++i) {
    FrameText& frame = told.frames[told.count];
    describe_frame(calls.frames[i], frame, patience);
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
    size_t length = 0;
    const char* line = own_python_line(told.python, length);
    return message.add("%.*s", static_cast<int>(length), line);
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

void add_moment(const char* what, const Moment& moment, const timespec& now, const char* by, LinePatience& patience) {
  tell(moment.stack->calls, moment.stack->python.c_str(), other, patience);
  if (other.call[0]) by = other.call;
  message.add("  %s %.3f s before, by %s, in\n", what, seconds(moment.time, now), by);
  add_frames(other, true);
}

void add_place(Whereabouts where, const PastBlock& found, const std::byte* address) {
  const Block& block = found.block;
  if (where == Whereabouts::Reserved)
    return message.add("%zu bytes into %zu bytes of addresses at %p %s\n", static_cast<size_t>(address - block.base),
                       block.size, static_cast<void*>(block.base),
                       found.ended.stack ? "that were reserved, and are not any more"
                                         : "that are only reserved: no memory is mapped there");
  if (where == Whereabouts::Inside) message.add("%zu bytes into", static_cast<size_t>(address - block.base));
  if (where == Whereabouts::Past) message.add("%zu bytes past the end of", static_cast<size_t>(address - block.end()));
  if (where == Whereabouts::Below) message.add("%zu bytes below", static_cast<size_t>(block.base - address));
  message.add(" a block of %zu bytes at %p on device %d\n", block.size, static_cast<void*>(block.base), block.device);
}

// The memory that was touched, who made it and who freed it.
void add_memory(Whereabouts where, const PastBlock& found, const std::byte* address, const timespec& now,
                LinePatience& patience) {
  message.add("  address %p: ", static_cast<const void*>(address));
  if (where == Whereabouts::Nowhere) return message.add("no block is there\n");
  if (where == Whereabouts::Unknown) return message.add("the list of blocks is just being changed\n");
  if (where == Whereabouts::Forgotten)
    return message.add("a block was there that was freed long ago; which one is no longer known\n");
  add_place(where, found, address);
  const bool reserved = where == Whereabouts::Reserved;
  add_moment(reserved ? "the addresses were reserved" : "the block was made", found.made, now, found.block.owner,
             patience);
  if (found.ended.stack)
    add_moment(reserved ? "the addresses were released" : "the block was freed", found.ended, now, "this library",
               patience);
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

const char* freed_before(Whereabouts where, const PastBlock& found) {
  const bool known = where == Whereabouts::Inside || where == Whereabouts::Reserved;
  return where == Whereabouts::Forgotten || (known && found.ended.stack) ? ", and the memory was freed" : "";
}

void report(const std::byte* address, const ucontext_t& context) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  LinePatience patience(kLinePatience);
  static char python[2048];
  python[python_lines(python, sizeof python)] = '\0';
  tell(catch_interrupted(program_counter(context)), python, touched, patience);
  static PastBlock found;
  const Whereabouts where = block_history().find(address, found);
  message.start();
  message.add("belay: ");
  add_headline(touched);
  const char* freed = freed_before(where, found);
  if (const char* call = call_inside(touched))
    message.add(" gives device memory to %s, which needs host memory%s (BELAY_OPAQUE=1)\n", call, freed);
  else
    message.add(" %s device memory through a pointer%s (BELAY_OPAQUE=1)\n", verb(context), freed);
  message.add(
      "  The host does not reach the memory of an NPU: there the program would crash here. Copy it with aclrtMemcpy "
      "first, or use memory from aclrtMallocHost.\n");
  add_memory(where, found, address, now, patience);
  message.add("  it was touched by thread %d, in\n", thread_id());
  add_frames(touched, false);
  if (patience.gave_up()) message.add("  addr2line did not answer within %d s: lines are left out\n", kLinePatience);
  message.send();
}

// What was told last. Handlers that lie behind one another get to see one touch several times.
struct Touch {
  pid_t thread = 0;
  const void* address = nullptr;
  uintptr_t at = 0;
  bool operator==(const Touch&) const = default;
};

// Another thread writes its message: this one ends the process when that is done.
void wait_for_report() {
  for (int i = 0; i < kPatience * 100 && reporting != 0; ++i) {
    const timespec nap{.tv_sec = 0, .tv_nsec = 10'000'000};
    nanosleep(&nap, nullptr);
  }
}

struct TouchLink {
  static void hit(int, siginfo_t* info, void* object) {
    if (info->si_code <= 0 || !is_opaque(info->si_addr)) return;
    const auto& context = *static_cast<const ucontext_t*>(object);
    pid_t nobody = 0;
    if (reporting.compare_exchange_strong(nobody, thread_id())) {
      static Touch last;
      const Touch touch{thread_id(), info->si_addr, program_counter(context)};
      if (touch != last) report(static_cast<const std::byte*>(info->si_addr), context);
      last = touch;
      reporting = 0;
    } else if (nobody != thread_id()) {
      wait_for_report();
    }
  }
  static void returned() {}
};
using Chain = SignalChain<TouchLink>;

}  // namespace

void report_touches() {
  if (device_memory_detail::window.bytes == 0 || Chain::in_front(SIGSEGV)) return;
  static std::once_flag once;
  std::call_once(once, [] { (void)catch_backtrace(); });          // what the first one loads is loaded now
  std::unique_lock lock(signal_chain_mutex(), std::try_to_lock);  // another thread that has it may be gone: fork
  if (lock) Chain::guard(SIGSEGV, SA_NODEFER);
}

}  // namespace belay
