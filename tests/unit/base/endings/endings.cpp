// SPDX-License-Identifier: Apache-2.0
#include "base/endings/endings.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "base/endings/handler_stack.h"

#ifndef __SANITIZE_THREAD__  // which delays signals
namespace belay {
namespace {

// Runs the body in a child, where `finish` writes an 'f', `go_on` a 'g' and handlers what they like. What was written,
// and how the child ended.
struct Ended {
  std::string written;
  int status = 0;
};
int told = -1;
void tell(char what) { (void)!write(told, &what, 1); }

template <class Body>
Ended run(Body body) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    told = ends[1];
    body();
    _exit(0);
  }
  close(ends[1]);
  Ended ended;
  for (char c; read(ends[0], &c, 1) == 1;) ended.written += c;
  close(ends[0]);
  waitpid(child, &ended.status, 0);
  return ended;
}

void guard() {
  (void)finish_at_the_end(
      {.finish = [] { tell('f'); }, .progress = [] { return uint64_t{0}; }, .go_on = [] { tell('g'); }});
  guard_endings();
}

TEST(Endings, ADefaultSignalFinishesAndEndsTheProcessAsItWould) {
#ifdef __SANITIZE_ADDRESS__  // which has handlers for the others
  for (const int signal : {SIGTERM, SIGINT}) {
#else
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT}) {
#endif
    const Ended ended = run([=] {
      guard();
      raise(signal);
    });
    EXPECT_EQ(ended.written, "f") << signal;
    EXPECT_TRUE(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == signal) << signal;
  }
}

TEST(Endings, AbortAndRealFaultsToo) {
  const Ended aborted = run([] { guard(), abort(); });
  EXPECT_EQ(aborted.written, "f");
  EXPECT_EQ(WTERMSIG(aborted.status), SIGABRT);
#ifndef __SANITIZE_ADDRESS__  // whose own handler ends the process otherwise
  const Ended crashed = run([] {
    guard();
    volatile uintptr_t nowhere = 16;
    *reinterpret_cast<volatile int*>(nowhere) = 1;
  });
  EXPECT_EQ(crashed.written, "f");
  EXPECT_EQ(WTERMSIG(crashed.status), SIGSEGV);
#endif
}

TEST(Endings, AnIgnoredSignalStaysIgnored) {
  const Ended ended = run([] {
    signal(SIGTERM, SIG_IGN);
    guard();
    raise(SIGTERM);
    struct sigaction now {};
    sigaction(SIGTERM, nullptr, &now);
    tell(now.sa_handler == SIG_IGN ? 'i' : 'x');
  });
  EXPECT_EQ(ended.written, "i");
  EXPECT_EQ(ended.status, 0);
}

TEST(Endings, HandlersOfTheProgramRunWhetherInstalledBeforeOrAfter) {
  const Ended ended = run([] {
    signal(SIGTERM, [](int) { tell('b'); });
    guard();
    raise(SIGTERM);
    signal(SIGINT, [](int) { tell('a'); });  // over ours
    raise(SIGINT);
    guard_endings();
    raise(SIGINT);
    tell('.');
  });
  EXPECT_EQ(ended.written,
            "fbg"
            "a"
            "fag"
            ".");
  EXPECT_EQ(ended.status, 0);
}

bool on_stack_of_its_own() {
  stack_t now{};
  return sigaltstack(nullptr, &now) == 0 && now.ss_flags & SS_ONSTACK;
}

void need_a_megabyte(int) {
  volatile char local[1 << 20];
  for (size_t i = 0; i < sizeof local; i += 512) local[i] = 1;
  tell(on_stack_of_its_own() ? 'o' : 'n');
}

TEST(Endings, AHandlerOfTheProgramHasTheStackThatItAskedFor) {
  const Ended ended = run([] {
    signal(SIGTERM, need_a_megabyte);
    struct sigaction asks {};
    asks.sa_handler = [](int) { tell(on_stack_of_its_own() ? 'o' : 'n'); };
    asks.sa_flags = SA_ONSTACK;
    sigaction(SIGINT, &asks, nullptr);
    guard();
    raise(SIGTERM);
    raise(SIGINT);
  });
  EXPECT_EQ(ended.written, "fngfog");
  EXPECT_EQ(ended.status, 0);
}

#ifndef __SANITIZE_ADDRESS__  // which gives threads a stack of its own for handlers
TEST(Endings, AHandlerOfFaultsHasRoom) {
  const Ended ended = run([] {
    signal(SIGSEGV, need_a_megabyte);
    guard();
    raise(SIGSEGV);
  });
  EXPECT_EQ(ended.written, "fog");
  EXPECT_EQ(ended.status, 0);
}

TEST(Endings, AHandlerMayCallExit) {
  for (const int flags : {0, SA_ONSTACK}) {
    const Ended ended = run([=] {
      struct sigaction leaves {};
      leaves.sa_handler = [](int) { exit(7); };
      leaves.sa_flags = flags;
      sigaction(SIGTERM, &leaves, nullptr);
      guard();
      raise(SIGTERM);
    });
    EXPECT_EQ(ended.written, "f") << flags;
    EXPECT_TRUE(WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 7) << flags << ": " << ended.status;
  }
}
#endif

// Without a stack for handlers, as long as it lives; sanitizers make one.
class NoHandlerStack {
 public:
  NoHandlerStack() {
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    sigaltstack(&none, &before_);
  }
  ~NoHandlerStack() { sigaltstack(&before_, nullptr); }
  NoHandlerStack(const NoHandlerStack&) = delete;
  NoHandlerStack& operator=(const NoHandlerStack&) = delete;

 private:
  stack_t before_{};
};

TEST(HandlerStack, EndsAtAPageThatNobodyCanUse) {
  const NoHandlerStack none;
  const HandlerStack made;
  stack_t now{};
  ASSERT_EQ(sigaltstack(nullptr, &now), 0);
  ASSERT_EQ(now.ss_flags, 0);
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char* const below = static_cast<char*>(now.ss_sp) - page;
  unsigned char resident = 0;
  EXPECT_EQ(mincore(below, page, &resident), 0) << "it is not mapped: anybody may get it";
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], below + page - 1, 1), -1);
  EXPECT_EQ(errno, EFAULT);
  EXPECT_EQ(write(ends[1], below + page, 1), 1);
  close(ends[0]);
  close(ends[1]);
}

struct sigaction saved;

TEST(Endings, AHandlerThatCallsTheOneBeforeItIsCalledOnce) {
  const Ended ended = run([] {
    guard();
    struct sigaction mine {};
    mine.sa_sigaction = [](int number, siginfo_t* info, void* context) {
      tell('m');
      saved.sa_sigaction(number, info, context);  // ours, which stands for the default
    };
    mine.sa_flags = SA_SIGINFO;
    sigaction(SIGTERM, &mine, &saved);
    for (int i = 0; i < 20; ++i) guard_endings();
    raise(SIGTERM);
  });
  EXPECT_EQ(ended.written.substr(0, 3), "fmf");
  EXPECT_TRUE(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGTERM);
}

TEST(Endings, SignalsAreGivenBack) {
  const Ended ended = run([] {
    guard();
    leave_endings();
    struct sigaction now {};
    sigaction(SIGTERM, nullptr, &now);
    tell(now.sa_handler == SIG_DFL ? 'd' : 'x');
  });
  EXPECT_EQ(ended.written, "d");
}

TEST(Endings, AChildOfTheProcessFinishesNothing) {
  const Ended ended = run([] {
    guard();
    const pid_t child = fork();
    if (child == 0) raise(SIGTERM);
    int status = 0;
    waitpid(child, &status, 0);
    tell(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 't' : 'x');
  });
  EXPECT_EQ(ended.written, "t");
}

}  // namespace
}  // namespace belay
#endif
