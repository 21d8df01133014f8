// SPDX-License-Identifier: Apache-2.0
// belay view: the page of a dump, served on this machine while the program that writes it runs.
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "base/faults.h"
#include "commands/arguments.h"
#include "commands/blame_inputs.h"
#include "commands/commands.h"
#include "commands/say.h"
#include "report/live/http_server.h"
#include "report/live/live_report.h"
#include "report/page.h"

namespace belay::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kLeastRest = 250;    // milliseconds between two looks into the folder
constexpr int kRestAfterLook = 8;  // times as long as the look took
constexpr std::chrono::seconds kToFetchTheEnd{5};
constexpr std::chrono::seconds kToEnd{5};  // for a program that was asked to end

struct ViewOptions {
  std::filesystem::path folder, model;
  uint16_t port = 0;
  std::vector<std::string> program;
};

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int each : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&set, each);
  return set;
}

[[noreturn]] void become(const std::vector<std::string>& program, const sigset_t& before) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::vector<char*> arguments;
  for (const std::string& word : program) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  complain("belay view: cannot start %s: %s\n", program[0], std::strerror(errno));
  _exit(127);
}

report::HttpResponse respond(report::LiveReport& live, const std::string& page, const report::HttpRequest& request) {
  const auto number = [&](const char* name) {
    const auto found = request.query.find(name);
    return found == request.query.end() ? 0 : found->second;
  };
  if (request.path.empty()) return {200, "text/html; charset=utf-8", page};
  if (request.path == "news")
    return {200, "application/json",
            live.news({number("operators"), number("tensors"), number("revision"), number("drawing")})};
  if (request.path == "tensor") return {200, "application/octet-stream", live.detail(number("at"))};
  return {404, "text/plain; charset=utf-8", "there is no such page\n"};
}

// Looks into the folder until a signal says that it is over, or the program has ended.
class View {
 public:
  View(const ViewOptions& options, report::LiveReport& live, int signals, pid_t program)
      : options_(options), live_(live), signals_(signals), program_(program) {}

  int run() {
    while (!over_) {
      const auto begin = Clock::now();
      live_.look();
      const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
      rest(std::max<int>(kLeastRest, kRestAfterLook * static_cast<int>(took)));
    }
    if (!stopped_) {
      live_.end();
      const auto until = Clock::now() + kToFetchTheEnd;
      while (!live_.everybody_knows() && Clock::now() < until && !stopped_) rest(100);
    }
    live_.release();
    return program_ > 0 ? end_program() : kAgree;
  }

 private:
  void rest(int milliseconds) {
    pollfd wanted{signals_, POLLIN, 0};
    if (poll(&wanted, 1, milliseconds) <= 0) return;
    signalfd_siginfo told{};
    if (read(signals_, &told, sizeof told) != sizeof told) return;
    if (told.ssi_signo == SIGCHLD) return reap(WNOHANG);
    over_ = stopped_ = true;
  }

  void reap(int how) {
    if (ended_ || program_ <= 0 || waitpid(program_, &status_, how) != program_) return;
    ended_ = over_ = true;
  }

  // Asked to end, and when it does not until a second Ctrl-C or for some seconds, ended.
  int end_program() {
    if (!ended_) kill(program_, SIGTERM);
    stopped_ = false;
    for (const auto until = Clock::now() + kToEnd; !ended_ && !stopped_ && Clock::now() < until;) rest(100);
    if (!ended_) kill(program_, SIGKILL);
    reap(0);
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

  const ViewOptions& options_;
  report::LiveReport& live_;
  const int signals_;
  const pid_t program_;
  bool over_ = false, stopped_ = false, ended_ = false;
  int status_ = 0;
};

int view(ViewOptions options) {
  if (std::error_code none;
      std::filesystem::exists(options.folder, none) && !std::filesystem::is_directory(options.folder, none))
    throw UsageError("DIR is a folder that dumps are written to, and " + options.folder.string() + " is a file");
  if (!options.program.empty() && options.program.front() == "--") options.program.erase(options.program.begin());
  const std::string page = or_throw(report::live_page());
  set_faults({});  // those of BELAY_FAULT are for the program
  const sigset_t watched = watched_signals();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &watched, &before);  // all threads that start from here on
  const int signals = signalfd(-1, &watched, SFD_CLOEXEC);
  if (signals < 0) throw std::runtime_error(std::string("cannot wait for signals: ") + std::strerror(errno));
  std::shared_ptr<const graph::Model> model;
  pid_t program = -1;
  if (!options.program.empty()) {
    program = fork();  // before the first thread
    if (program < 0) throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
    if (program == 0) become(options.program, before);
  }
  if (!options.model.empty()) model = or_throw(blame::read_model_of({}, options.model));
  report::LiveReport live(options.folder, model, options.model);
  const auto server = or_throw(report::HttpServer::start(
      options.port, [&](const report::HttpRequest& request) { return respond(live, page, request); }));
  say("belay view: %s\n", server->address());
  std::fflush(stdout);
  return View(options, live, signals, program).run();
}

}  // namespace

void add_view(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("view", "Show the page of a dump while the program that writes it runs");
  auto options = std::make_shared<ViewOptions>();
  command->add_option("dir", options->folder, "The directory that the dump is written to; it may not be there yet")
      ->type_name("DIR")
      ->required();
  command
      ->add_option(
          "-m,--model", options->model,
          "The .om or .onnx file that runs: its graph is drawn, and executions are examined as belay blame does "
          "(default: none)")
      ->type_name("FILE");
  command->add_option("--port", options->port, "Listen on this port of 127.0.0.1 (default: any that is free)")
      ->type_name("N");
  command
      ->add_option("program", options->program,
                   "A program to start, and its arguments, after --; ends the view when it ends (default: none)")
      ->type_name("PROGRAM");
  command->footer(
      "Open the address that it prints. Nothing but this machine reaches it, and only with the token in it. It ends "
      "with\n"
      "Ctrl-C, or with PROGRAM, whose exit code it then has.");
  command->callback([options, &exit_code] { exit_code = view(*options); });
}

}  // namespace belay::tools
