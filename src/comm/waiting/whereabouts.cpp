// SPDX-License-Identifier: Apache-2.0
#include "comm/waiting/whereabouts.h"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>

#include "base/endings/backtrace.h"

namespace belay::comm {
namespace {

constexpr int kQuestion = SIGURG;
constexpr int kTurns = 200;  // of a millisecond, to wait for the answer
constexpr int kMostFrames = 6;
constexpr int kForLines = 2;  // seconds

// One question at a time; what the thread answers.
struct Question {
  std::atomic<pid_t> thread{0};
  std::atomic<bool> answered{false};
  Backtrace frames;
  char python[4096];
  size_t python_length = 0;
};
Question& question() {
  static auto& one = *new Question;
  return one;
}

uintptr_t program_counter(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#ifdef __aarch64__
  return machine.pc;
#else
  return static_cast<uintptr_t>(machine.gregs[REG_RIP]);
#endif
}

void answer(int, siginfo_t*, void* context) {
  const int error = errno;
  Question& asked = question();
  pid_t mine = static_cast<pid_t>(syscall(SYS_gettid));
  if (asked.thread.compare_exchange_strong(mine, 0)) {
    asked.frames = catch_interrupted(program_counter(context));
    asked.python_length = python_lines(asked.python, sizeof asked.python);
    asked.answered.store(true, std::memory_order_release);
  }
  errno = error;
}

// The handler while it lives; `taken` false when the program has one of its own.
class Asking {
 public:
  Asking() {
    struct sigaction ours {};
    ours.sa_sigaction = answer;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    if (sigaction(kQuestion, nullptr, &before_) != 0) return;
    if ((before_.sa_flags & SA_SIGINFO) || (before_.sa_handler != SIG_DFL && before_.sa_handler != SIG_IGN)) return;
    taken_ = sigaction(kQuestion, &ours, nullptr) == 0;
  }
  ~Asking() {
    if (taken_) sigaction(kQuestion, &before_, nullptr);
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  bool taken() const { return taken_; }

 private:
  struct sigaction before_ {};
  bool taken_ = false;
};

bool ask(pid_t thread) {
  const Asking asking;
  if (!asking.taken()) return false;
  Question& asked = question();
  asked.answered = false;
  asked.thread = thread;
  if (syscall(SYS_tgkill, getpid(), thread, kQuestion) != 0) return false;
  for (int turn = 0; turn < kTurns && !asked.answered.load(std::memory_order_acquire); ++turn) usleep(1000);
  // One that begins to answer just now is waited for: it neither sleeps nor waits.
  if (asked.thread.exchange(0) == thread) return false;
  for (int turn = 0; turn < kTurns && !asked.answered.load(std::memory_order_acquire); ++turn) usleep(1000);
  return asked.answered;
}

std::string frames_in_words(const Backtrace& frames) {
  LinePatience patience(kForLines);
  std::string text;
  int told = 0;
  for (size_t i = 0; i < frames.count && told < kMostFrames; ++i) {
    static FrameText made;
    describe_frame(frames.frames[i], made, patience);
    if (made.code == Code::System && told > 0) continue;  // but the innermost
    if (made.code == Code::Ours && !made.exported[0]) continue;
    text += (told++ ? " < " : "") + std::string(made.text);
  }
  return text;
}

}  // namespace

std::string whereabouts(pid_t thread) {
  static auto& mutex = *new std::mutex;
  std::lock_guard lock(mutex);
  (void)catch_backtrace();  // what the first one loads is loaded now
  if (thread == static_cast<pid_t>(syscall(SYS_gettid)) || !ask(thread)) return {};
  if (question().python_length > 0) {
    size_t length = 0;
    const char* line = own_python_line(question().python, length);
    return std::string(line, length);
  }
  return frames_in_words(question().frames);
}

}  // namespace belay::comm
