// SPDX-License-Identifier: Apache-2.0
// belay msprobe: the comparison of two dumps as msprobe spells it.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "commands/commands.h"
#include "commands/say.h"
#include "commands/vendor_arguments.h"
#include "commands/vendor_compare.h"

namespace belay::tools {
namespace {

constexpr const char* kTitle = "belay msprobe";

int run(const std::vector<std::string>& words) {
  static const std::vector<VendorOption> options{{"tp"},          {"target_path"}, {"gp"},
                                                 {"golden_path"}, {"o"},           {"output_path"}};
  try {
    if (words.empty() || words.front() != "compare")
      throw VendorUsage("the one command that is understood is: compare -tp PATH -gp PATH -o DIR");
    const VendorArguments arguments(options, {words.begin() + 1, words.end()});
    const auto either = [&](const char* letters, const char* name) {
      return arguments.has(name) ? arguments.value(name) : arguments.required(letters);
    };
    VendorCompare what{.ours = either("tp", "target_path"), .truth = either("gp", "golden_path")};
    what.folder = arguments.value("output_path", arguments.value("o", "./output"));
    return compare_as_vendor(kTitle, what) == kVendorDone ? kAgree : kBadInput;
  } catch (const VendorUsage& mistake) {
    complain("%s: %s\n", kTitle, mistake.what());
    return kUsage;
  }
}

}  // namespace

void add_msprobe(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("msprobe", "Understand msprobe compare -tp PATH -gp PATH -o DIR");
  command->prefix_command();
  command->callback([command, &exit_code] {
    const auto words = command->remaining(true);
    if (asks_for_help(words)) {
      std::fputs(command->help().c_str(), stdout);
      return;
    }
    exit_code = run(words);
  });
}

}  // namespace belay::tools
