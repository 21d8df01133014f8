// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What must be done before the process ends: by exit, abort, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM or SIGINT. Nobody
// can do anything about _exit and SIGKILL.
namespace belay {

// `finish` will be called, on a thread of its own that takes no signals, when the process ends. The other threads go on
// meanwhile, but for the one that the signal hit: `finish` must need no lock that it may hold, malloc's among them. The
// end waits for it as long as `progress` returns another number at least twice a minute. `go_on` is called in the
// handler when the process did not end after all: a handler of the program's own returned. Once for the process. False
// when the thread cannot be started; it may be tried again.
struct Ending {
  void (*finish)();
  uint64_t (*progress)();
  void (*go_on)();
};
bool finish_at_the_end(const Ending& ending);

// Has the signals lead to `finish` from now on, and then to whatever they led to before: a handler is called as it
// would have been, and where there is none the process ends by that signal. Ignored signals stay ignored. Called again,
// it also looks after handlers that were installed since. Does nothing before finish_at_the_end().
void guard_endings();
// Gives the signals back to those who had them, as far as nobody has taken them since.
void leave_endings();

// Has `finish` called now and waits for it. False before finish_at_the_end(). May be called in signal handlers.
bool finish_now();

}  // namespace belay
