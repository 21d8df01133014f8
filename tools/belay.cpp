// SPDX-License-Identifier: Apache-2.0
// belay: one tool, verb first. Each verb is a file in commands/.
#include <CLI/CLI.hpp>

#include "commands/commands.h"

int main(int argc, char** argv) {
  CLI::App app{"AscendCL without an Ascend NPU: run, dump, show, compare."};
  app.require_subcommand(1);
  int exit_code = belay::tools::kAgree;
  belay::tools::add_info(app, exit_code);
  belay::tools::add_run(app, exit_code);
  belay::tools::add_show(app, exit_code);
  belay::tools::add_convert(app, exit_code);
  belay::tools::add_overflow(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? belay::tools::kAgree : belay::tools::kUsage;
  }
  return exit_code;
}
