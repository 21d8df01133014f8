// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace belay::tools {

// What every command ends with.
enum ExitCode { kAgree = 0, kDiffer = 1, kUsage = 2, kBadInput = 3 };

// Each adds its verb to the application; when the verb was given, `exit_code` gets the result.
void add_info(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_show(CLI::App& app, int& exit_code);
void add_convert(CLI::App& app, int& exit_code);
void add_overflow(CLI::App& app, int& exit_code);
void add_match(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_blame(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_view(CLI::App& app, int& exit_code);
void add_cache(CLI::App& app, int& exit_code);
void add_bisect(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_msaccucmp(CLI::App& app, int& exit_code);
void add_msprobe(CLI::App& app, int& exit_code);
void add_launch(CLI::App& app, int& exit_code);
void add_reference(CLI::App& app, int& exit_code);  // last: it describes the others

}  // namespace belay::tools
