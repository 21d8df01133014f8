// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

// What the options of all commands share: how values are checked, and how mistakes are said.
namespace belay::tools {

// A mistake in how the command was called: it ends with kUsage.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Values that are not whole numbers between the two, both included, are refused with a sentence.
CLI::Validator whole_number(uint64_t least, uint64_t most);

// Values that are not numbers above 0 are refused with a sentence.
CLI::Validator positive_number();

// Values that are not finite numbers from 0 up, or no cosines (from -1 to 1), are refused with a sentence.
CLI::Validator tolerance();
CLI::Validator cosine();

// A report that would be written over one of the files that it is made of throws UsageError. Of NAME=FILE the file
// counts.
void check_report(const char* option, const std::filesystem::path& report, const std::vector<std::string>& inputs);

// Values that are none of these are refused with all of them and the nearest.
CLI::Validator one_of(std::vector<std::string> names);

// An option or argument with an empty value (--dump=) is refused, in all commands.
void refuse_empty_values(CLI::App& app);

// The first argument when it is no command: a sentence that names the nearest. Empty
// when it is a command or an option.
std::string wrong_command(const CLI::App& app, int argc, const char* const* argv);

// What the parser found, in one sentence; unknown options with the nearest known one.
std::string usage_problem(const CLI::App& command, const CLI::ParseError& error);

}  // namespace belay::tools
