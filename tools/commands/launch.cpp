// SPDX-License-Identifier: Apache-2.0
// belay launch: starts a program once for each rank, on this host, and ends all when one fails.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "commands/arguments.h"
#include "commands/commands.h"

namespace belay::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kToEnd{5};  // what a rank has after SIGTERM

struct LaunchOptions {
  uint64_t ranks = 1;
  std::vector<std::string> program;
};

// One started rank, and what it has written but not ended with a newline.
struct Started {
  pid_t pid = -1;
  int output = -1;
  std::string line;
  bool ended = false;
  int status = 0;
};

void set_rank(uint64_t rank, uint64_t size) {
  const std::string number = std::to_string(rank), count = std::to_string(size);
  for (const char* name : {"RANK", "RANK_ID", "LOCAL_RANK", "DEVICE_ID", "ASCEND_DEVICE_ID"})
    setenv(name, number.c_str(), 1);
  for (const char* name : {"WORLD_SIZE", "RANK_SIZE", "LOCAL_WORLD_SIZE"}) setenv(name, count.c_str(), 1);
}

[[noreturn]] void become(const LaunchOptions& options, uint64_t rank, int output) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // no rank stays when the launcher is killed
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  set_rank(rank, options.ranks);
  std::vector<char*> arguments;
  for (const std::string& word : options.program) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  std::fprintf(stderr, "cannot start %s: %s\n", arguments[0], std::strerror(errno));
  _exit(127);
}

Started start(const LaunchOptions& options, uint64_t rank) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
  Started started;
  started.output = ends[0];
  started.pid = fork();
  if (started.pid < 0) throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
  if (started.pid == 0) become(options, rank, ends[1]);
  close(ends[1]);
  return started;
}

void print_lines(Started& rank, size_t number, bool all) {
  for (size_t end; (end = rank.line.find('\n')) != std::string::npos; rank.line.erase(0, end + 1))
    std::printf("[%zu] %.*s\n", number, static_cast<int>(end), rank.line.c_str());
  if (all && !rank.line.empty()) std::printf("[%zu] %s\n", number, rank.line.c_str());
  std::fflush(stdout);
}

void read_output(Started& rank, size_t number) {
  char room[4096];
  const ssize_t bytes = read(rank.output, room, sizeof room);
  if (bytes > 0) {
    rank.line.append(room, static_cast<size_t>(bytes));
    return print_lines(rank, number, false);
  }
  print_lines(rank, number, true);
  close(rank.output);
  rank.output = -1;
}

void read_outputs(std::vector<Started>& ranks) {
  std::vector<pollfd> wanted;
  for (const Started& rank : ranks) wanted.push_back({rank.output, POLLIN, 0});
  poll(wanted.data(), wanted.size(), 50);
  for (size_t i = 0; i < ranks.size(); ++i)
    if (wanted[i].fd >= 0 && wanted[i].revents) read_output(ranks[i], i);
}

bool failed(const Started& rank) { return rank.ended && (!WIFEXITED(rank.status) || WEXITSTATUS(rank.status) != 0); }

std::string how_it_ended(const Started& rank) {
  if (WIFSIGNALED(rank.status))
    return std::string("was ended by signal ") + std::to_string(WTERMSIG(rank.status)) + " (" +
           strsignal(WTERMSIG(rank.status)) + ")";
  return "ended with " + std::to_string(WEXITSTATUS(rank.status));
}

// All ranks until each has ended. After the first failure the others get some time, then a signal.
class Launch {
 public:
  explicit Launch(std::vector<Started> ranks) : ranks_(std::move(ranks)) {}

  int run() {
    while (std::ranges::any_of(ranks_, [](const Started& rank) { return !rank.ended || rank.output >= 0; })) {
      read_outputs(ranks_);
      reap();
      if (first_ >= 0) end_others();
    }
    if (first_ < 0) return 0;
    std::fprintf(stderr, "belay launch: rank %d was the first to fail: it %s\n", first_,
                 how_it_ended(ranks_[static_cast<size_t>(first_)]).c_str());
    const int status = ranks_[static_cast<size_t>(first_)].status;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  void reap() {
    for (size_t i = 0; i < ranks_.size(); ++i) {
      Started& rank = ranks_[i];
      if (rank.ended || waitpid(rank.pid, &rank.status, WNOHANG) != rank.pid) continue;
      rank.ended = true;
      if (!failed(rank)) continue;
      std::fprintf(stderr, "belay launch: rank %zu (process %d) %s\n", i, rank.pid, how_it_ended(rank).c_str());
      if (first_ >= 0) continue;
      first_ = static_cast<int>(i);
      failed_at_ = Clock::now();
    }
  }

  // They are told by the communicator what happened, and may say so; then they are ended.
  void end_others() {
    const auto since = Clock::now() - failed_at_;
    if (since < kToEnd || (signals_ == 1 && since < 2 * kToEnd) || signals_ > 1) return;
    for (const Started& rank : ranks_)
      if (!rank.ended) kill(rank.pid, signals_ == 0 ? SIGTERM : SIGKILL);
    ++signals_;
  }

  std::vector<Started> ranks_;
  int first_ = -1;
  int signals_ = 0;
  Clock::time_point failed_at_;
};

}  // namespace

void add_launch(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("launch", "Start a program as several ranks on this host");
  auto options = std::make_shared<LaunchOptions>();
  command->add_option("-n,--ranks", options->ranks, "Start this many ranks (default: 1)")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  command->add_option("program", options->program, "The program and its arguments, after --")
      ->type_name("PROGRAM")
      ->required();
  command->positionals_at_end();
  command->footer(
      "Each rank finds its number in RANK, RANK_ID, LOCAL_RANK and DEVICE_ID, and how many there are in WORLD_SIZE "
      "and\n"
      "RANK_SIZE. What it writes is shown behind its number. When one fails, the others have 5 s to end.");
  command->callback([options, &exit_code] {
    std::vector<Started> ranks;
    for (uint64_t rank = 0; rank < options->ranks; ++rank) ranks.push_back(start(*options, rank));
    exit_code = Launch(std::move(ranks)).run();
  });
}

}  // namespace belay::tools
