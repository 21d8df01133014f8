// SPDX-License-Identifier: Apache-2.0
#include "base/endings/trap.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#ifndef __SANITIZE_THREAD__  // which cannot follow a handler that is left by a jump
namespace belay {
namespace {

[[gnu::noinline]] void crash() {
  volatile uintptr_t nowhere = 0x18;
  *reinterpret_cast<volatile int*>(nowhere) = 1;
}

TEST(Trap, EndsTheCallAndSaysWhere) {
  enable_traps();
  for (int i = 0; i < 100; ++i) {
    Trap trap;
    ASSERT_FALSE(trapped([] { crash(); }, trap));
    ASSERT_EQ(trap.signal, SIGSEGV);
    ASSERT_EQ(trap.address, reinterpret_cast<void*>(0x18));
    ASSERT_EQ(to_text(trap), "SIGSEGV at address 0x18");
  }
}

TEST(Trap, LeavesOtherCallsAlone) {
  enable_traps();
  Trap trap;
  int ran = 0;
  EXPECT_TRUE(trapped([&] { ++ran; }, trap));
  EXPECT_EQ(ran, 1);
  EXPECT_THROW((void)trapped([] { throw std::runtime_error("thrown"); }, trap), std::runtime_error);
  EXPECT_TRUE(trapped([] {}, trap));
  EXPECT_FALSE(trapped([] { crash(); }, trap));
}

TEST(Trap, TheInnerCallEndsAndTheOuterGoesOn) {
  enable_traps();
  Trap outer, inner;
  bool inner_ended = false, went_on = false;
  EXPECT_TRUE(trapped(
      [&] {
        inner_ended = !trapped([] { crash(); }, inner);
        went_on = true;
      },
      outer));
  EXPECT_TRUE(inner_ended && went_on);
  EXPECT_FALSE(trapped([&] { (void)trapped([] {}, inner), crash(); }, outer));
}

TEST(Trap, TheObserverSeesTheStackThatCrashed) {
  enable_traps();
  Trap trap;
  int seen = 0;
  uintptr_t stack_pointer = 0;
  EXPECT_FALSE(trapped([] { crash(); }, trap,
                       [&](const Trap& what, const void* context) {
                         seen = what.signal;
                         const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#ifdef __x86_64__
                         stack_pointer = static_cast<uintptr_t>(machine.gregs[REG_RSP]);
#else
                         stack_pointer = machine.sp;
#endif
                       }));
  EXPECT_EQ(seen, SIGSEGV);
  const auto here = reinterpret_cast<uintptr_t>(&seen);
  EXPECT_LT(here - stack_pointer, 1u << 20);
}

TEST(Trap, AnObserverThatCrashesEndsTheCallToo) {
  enable_traps();
  Trap trap;
  EXPECT_FALSE(trapped([] { crash(); }, trap, [](const Trap&, const void*) { crash(); }));
}

TEST(Trap, WorksOnManyThreadsAtOnce) {
  enable_traps();
  std::vector<std::thread> threads;
  std::atomic<int> ended{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      Trap trap;
      for (int n = 0; n < 50; ++n) ended += !trapped([] { crash(); }, trap);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(ended, 400);
}

TEST(Trap, WorksInAChildOfTheProcess) {
  enable_traps();
  Trap trap;
  ASSERT_FALSE(trapped([] { crash(); }, trap));
  const pid_t child = fork();
  if (child == 0) _exit(trapped([] { crash(); }, trap) ? 1 : 7);
  int ended = 0;
  ASSERT_EQ(waitpid(child, &ended, 0), child);
  EXPECT_TRUE(WIFEXITED(ended));
  EXPECT_EQ(WEXITSTATUS(ended), 7);
}

[[gnu::noinline, gnu::no_sanitize("undefined")]] void divide(volatile int& zero) { zero = 7 / zero; }

TEST(Trap, DivisionByZeroIsTrapped) {
#ifdef __x86_64__
  enable_traps();
  Trap trap;
  volatile int zero = 0;
  EXPECT_FALSE(trapped([&] { divide(zero); }, trap));
  EXPECT_EQ(trap.signal, SIGFPE);
#else
  GTEST_SKIP() << "this processor does not trap integer division by zero";
#endif
}

TEST(Readable, TellsMemoryFromHoles) {
  enable_traps();
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto* memory = static_cast<char*>(mmap(nullptr, 3 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  munmap(memory + 2 * page, page);
  EXPECT_TRUE(readable(memory, 2 * page));
  EXPECT_TRUE(readable(memory + page - 1, 2));
  EXPECT_FALSE(readable(memory, 2 * page + 1));
  EXPECT_FALSE(readable(nullptr, 1));
  EXPECT_TRUE(readable(nullptr, 0));
  EXPECT_FALSE(readable(memory, SIZE_MAX));
  munmap(memory, 2 * page);
}

// What is not ours. AddressSanitizer has a handler of its own, which ends the process otherwise.
#ifndef __SANITIZE_ADDRESS__

TEST(TrapDeathTest, ACrashElsewhereKillsAsBefore) {
  EXPECT_EXIT((enable_traps(), crash()), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT((enable_traps(), std::thread(crash).join()), testing::KilledBySignal(SIGSEGV), "");
}

TEST(TrapDeathTest, ASignalThatSomebodySentKillsEvenInsideOfACall) {
  EXPECT_EXIT(
      {
        enable_traps();
        Trap trap;
        (void)trapped([] { raise(SIGSEGV); }, trap);
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST(TrapDeathTest, EarlierHandlersGetWhatIsNotOurs) {
  EXPECT_EXIT(
      {
        struct sigaction action {};
        action.sa_handler = [](int) { _exit(42); };
        sigaction(SIGSEGV, &action, nullptr);
        enable_traps();
        Trap trap;
        if (trapped([] { crash(); }, trap)) _exit(1);
        crash();
      },
      testing::ExitedWithCode(42), "");
}

// malloc_stats() prints to stderr while it holds malloc's lock; writing there is what crashes.
TEST(TrapDeathTest, ACrashThatHoldsTheLockOfMallocEndsTheProcessInsteadOfHanging) {
  EXPECT_EXIT(
      {
        enable_traps();
        std::thread([] { pause(); }).detach();  // with one thread alone malloc takes no lock
        cookie_io_functions_t crashing{};
        crashing.write = [](void*, const char*, size_t) -> ssize_t {
          crash();
          return -1;
        };
        stderr = fopencookie(nullptr, "w", crashing);
        setvbuf(stderr, nullptr, _IONBF, 0);
        Trap trap;
        bool seen = false;
        (void)trapped([] { malloc_stats(); }, trap, [&](const Trap&, const void*) { seen = true; });
        _exit(seen ? 1 : 2);
      },
      testing::KilledBySignal(SIGSEGV), "held the lock of malloc");
}

#endif

}  // namespace
}  // namespace belay
#endif
