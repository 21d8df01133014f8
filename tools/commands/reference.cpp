// SPDX-License-Identifier: Apache-2.0
// belay reference: completions and manual pages, made from the commands' own definitions. The build calls it.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/files/atomic_file.h"
#include "commands/commands.h"
#include "commands/reference_pages.h"
#include "commands/say.h"

namespace belay::tools {
namespace {

namespace fs = std::filesystem;

Status write(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  return write_file(file.string(), text);
}

Status write_all(const CLI::App& app, const fs::path& folder) {
  TRY(write(folder / "bash-completion/completions/belay", bash_completion(app)));
  TRY(write(folder / "zsh/site-functions/_belay", zsh_completion(app)));
  TRY(write(folder / "man/man1/belay.1", manual_page(app)));
  for (const CLI::App* command : shown_commands(app))
    TRY(write(folder / "man/man1" / ("belay-" + command->get_name() + ".1"), manual_page(app, *command)));
  return {};
}

}  // namespace

void add_reference(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("reference", "Write completions and manual pages beneath a share folder")->group("");
  auto folder = std::make_shared<fs::path>();
  command->add_option("folder", *folder, "The share folder")->type_name("DIR")->required();
  command->callback([&app, folder, &exit_code] {
    const Status written = write_all(app, *folder);
    if (!written.ok()) complain("belay reference: %s\n", written.message.c_str());
    exit_code = written.ok() ? kAgree : kBadInput;
  });
}

}  // namespace belay::tools
