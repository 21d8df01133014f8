// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

// What is made of the definitions of the commands: completions and manual pages. Hidden commands are left out.
namespace belay::tools {

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

// belay.1
std::string manual_page(const CLI::App& app);
// belay-run.1
std::string manual_page(const CLI::App& app, const CLI::App& command);

// The commands that --help lists.
std::vector<const CLI::App*> shown_commands(const CLI::App& app);

}  // namespace belay::tools
