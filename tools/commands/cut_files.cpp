// SPDX-License-Identifier: Apache-2.0
#include "commands/cut_files.h"

#include <signal.h>
#include <unistd.h>

#include "base/files/mapped_file.h"
#include "commands/commands.h"
#include "commands/say.h"

namespace belay::tools {
namespace {

// The thread that reads is in no lock then, and not in malloc: it touched a page of the file.
void end(int signal, siginfo_t* info, void*) {
  const std::string file = info->si_code > 0 ? file_of(info->si_addr) : "";
  if (!file.empty()) {
    complain("belay: %s was cut short while it was read\n", file);
    _exit(kBadInput);
  }
  (void)::signal(signal, SIG_DFL);
  (void)raise(signal);
}

}  // namespace

void name_cut_files() {
  struct sigaction action {};
  action.sa_sigaction = end;
  action.sa_flags = SA_SIGINFO;
  (void)sigaction(SIGBUS, &action, nullptr);
}

}  // namespace belay::tools
