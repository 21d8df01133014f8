// SPDX-License-Identifier: Apache-2.0
#include "commands/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

#include "base/closest.h"
#include "base/text.h"

namespace belay::tools {
namespace {

// "a, b or c"
std::string joined(const std::vector<std::string>& names, const std::string& last) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " " + last + " " : ", ") + names[i];
  return text;
}

// "; did you mean show?", or nothing when none is near.
std::string suggestion(const std::string& wanted, const std::vector<std::string>& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string nearest(closest_name(wanted, known));
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

// The number that the whole of a text is.
std::optional<double> whole_of(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr))
    if (!command->get_group().empty()) names.push_back(command->get_name());
  return names;
}

// Hidden ones too.
bool is_command(const CLI::App& app, const std::string& name) {
  return std::ranges::any_of(app.get_subcommands(nullptr),
                             [&](const CLI::App* command) { return command->get_name() == name; });
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace

CLI::Validator whole_number(uint64_t least, uint64_t most) {
  const auto check = [least, most](std::string& text) {
    const auto number = parse_number(text);
    if (number && *number >= least && *number <= most) return std::string();
    return formatted("'{}' is not a whole number from {} to {}", text, least, most);
  };
  return {check, "", ""};
}

CLI::Validator positive_number() {
  const auto check = [](std::string& text) {
    return whole_of(text).value_or(0) > 0 ? "" : "'" + text + "' is not a number above 0";
  };
  return {check, "", ""};
}

CLI::Validator tolerance() {
  const auto check = [](std::string& text) {
    const double number = whole_of(text).value_or(-1);
    return number >= 0 && std::isfinite(number) ? "" : "'" + text + "' is not a number from 0 up";
  };
  return {check, "", ""};
}

CLI::Validator cosine() {
  const auto check = [](std::string& text) {
    return std::abs(whole_of(text).value_or(2)) <= 1 ? "" : "'" + text + "' is no cosine: a number from -1 to 1";
  };
  return {check, "", ""};
}

CLI::Validator one_of(std::vector<std::string> names) {
  const auto check = [names](std::string& text) {
    if (std::ranges::find(names, text) != names.end()) return std::string();
    return "'" + text + "' is not " + joined(names, "or") + suggestion(text, names);
  };
  return {check, "", ""};
}

void refuse_empty_values(CLI::App& app) {
  const auto check = [](std::string& text) { return std::string(text.empty() ? "its value is empty" : ""); };
  for (CLI::App* command : app.get_subcommands(nullptr))
    for (CLI::Option* option : command->get_options())
      if (option->get_items_expected_max() > 0) option->check({check, "", ""});
}

void check_report(const char* option, const std::filesystem::path& report, const std::vector<std::string>& inputs) {
  std::error_code ignored;
  const auto is_it = [&](const std::string& file) { return std::filesystem::equivalent(report, file, ignored); };
  for (const std::string& input : inputs)
    if (!report.empty() && (is_it(input) || is_it(input.substr(input.find('=') + 1))))
      throw UsageError(std::string(option) + " " + report.string() + " would overwrite " + input + ", which is read");
}

std::string wrong_command(const CLI::App& app, int argc, const char* const* argv) {
  const auto names = command_names(app);
  if (argc < 2) return "a command is missing: " + joined(names, "or");
  const std::string given = argv[1];
  if (given.starts_with("-") || is_command(app, given)) return "";
  const std::string nearest = suggestion(given, names);
  return "there is no command " + given + (nearest.empty() ? "; there are " + joined(names, "and") : nearest);
}

std::string usage_problem(const CLI::App& command, const CLI::ParseError& error) {
  auto extras = command.remaining(true);
  std::erase(extras, "--");  // what follows are no options
  if (extras.empty()) return error.what();
  const std::string first = extras.front();
  if (!first.starts_with("-")) return "'" + first + "' is one argument too many";
  return "there is no option " + first + suggestion(first, option_names(command));
}

}  // namespace belay::tools
