// SPDX-License-Identifier: Apache-2.0
// belay: one tool, verb first. Each verb is a file in commands/.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "acl/acl_rt.h"
#include "base/files/standard_streams.h"
#include "base/printable.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/cut_files.h"

namespace {

using namespace belay::tools;

std::string version_text() {
  return std::string("belay ") + BELAY_VERSION + ", AscendCL " + std::to_string(ACL_MAJOR_VERSION) + "." +
         std::to_string(ACL_MINOR_VERSION) + "." + std::to_string(ACL_PATCH_VERSION) + " on the CPU";
}

// The command that was given, or the application itself.
const CLI::App& given_command(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : *given.front();
}

std::string title(const CLI::App& app) {
  const CLI::App& command = given_command(app);
  return &command == &app ? "belay" : "belay " + command.get_name();
}

int fail(const CLI::App& app, const std::string& problem, ExitCode code) {
  std::fprintf(stderr, "%s: %s\n", title(app).c_str(), belay::printable_lines(problem, "  ").c_str());
  if (code == kUsage) std::fprintf(stderr, "%s --help says what there is\n", title(app).c_str());
  return code;
}

int run(CLI::App& app, int argc, char** argv, const int& exit_code) {
  try {
    app.parse(argc, argv);
    return exit_code;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return fail(app, usage_problem(given_command(app), error), kUsage);
  } catch (const UsageError& error) {
    return fail(app, error.what(), kUsage);
  } catch (const std::bad_alloc&) {
    return fail(app, "there is not enough memory", kBadInput);
  } catch (const std::exception& error) {
    return fail(app, error.what(), kBadInput);
  }
}

}  // namespace

int main(int argc, char** argv) {
  belay::hold_standard_streams();
  name_cut_files();
  CLI::App app{"AscendCL without an Ascend NPU: run models, dump their tensors, look at the dumps.", "belay"};
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text(), "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.footer(
      "Every command ends with 0 (done, nothing to report), 1 (an overflow or a difference was found), 2 (wrong use) "
      "or\n"
      "3 (bad input, or something was lost).");
  int exit_code = kAgree;
  add_info(app, exit_code);
  add_run(app, exit_code);
  add_show(app, exit_code);
  add_convert(app, exit_code);
  add_overflow(app, exit_code);
  add_match(app, exit_code);
  add_compare(app, exit_code);
  add_blame(app, exit_code);
  add_report(app, exit_code);
  add_view(app, exit_code);
  add_cache(app, exit_code);
  add_bisect(app, exit_code);
  add_replay(app, exit_code);
  add_msaccucmp(app, exit_code);
  add_msprobe(app, exit_code);
  add_launch(app, exit_code);
  add_reference(app, exit_code);
  refuse_empty_values(app);
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "-cf") argv[i] = const_cast<char*>("--cf");  // one dash, as msaccucmp has it
  if (const std::string problem = wrong_command(app, argc, argv); !problem.empty()) return fail(app, problem, kUsage);
  const int code = run(app, argc, argv, exit_code);
  const std::string lost = belay::unwritten_output();
  return lost.empty() ? code : fail(app, lost, kBadInput);
}
