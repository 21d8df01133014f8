// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "commands/reference_pages.h"

namespace belay::tools {
namespace {

// "-o --output" of an option; "" of a positional argument.
std::string spellings(const CLI::Option& option) {
  std::string words;
  for (const std::string& name : option.get_snames()) words += (words.empty() ? "-" : " -") + name;
  for (const std::string& name : option.get_lnames()) words += (words.empty() ? "--" : " --") + name;
  return words;
}

std::string all_spellings(const CLI::App& command) {
  std::string words;
  for (const CLI::Option* option : command.get_options())
    if (const std::string one = spellings(*option); !one.empty()) words += (words.empty() ? "" : " ") + one;
  return words;
}

// As text between single quotes of a shell, inside zsh's [...]: without what either would read.
std::string plain(std::string text) {
  std::erase_if(text, [](char c) { return c == '\'' || c == '\\' || c == '`'; });
  std::ranges::replace(text, '[', '(');
  std::ranges::replace(text, ']', ')');
  std::ranges::replace(text, ':', ';');
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::string bash_completion(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* command : shown_commands(app)) {
    names += (names.empty() ? "" : " ") + command->get_name();
    cases += formatted("    {}) words='{}' ;;\n", command->get_name(), all_spellings(*command));
  }
  return formatted(
      "# Completion of belay for bash; made from its own definitions.\n"
      "_belay() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} words\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} {}' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${COMP_WORDS[1]} in\n"
      "{}"
      "  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _belay belay\n",
      names, all_spellings(app), cases);
}

std::string zsh_completion(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* command : shown_commands(app)) {
    commands += formatted("    '{}:{}'\n", command->get_name(), plain(command->get_description()));
    cases += formatted("    {})\n      _arguments \\\n", command->get_name());
    for (const CLI::Option* option : command->get_options()) {
      const std::string words = spellings(*option), about = plain(option->get_description());
      const bool takes_value = option->get_items_expected_max() > 0;
      const std::string value = takes_value ? formatted(":{}:_files", option->get_type_name()) : "";
      std::string spelled = words;
      std::ranges::replace(spelled, ' ', ',');
      const std::string either = words == spelled ? "'" + words : formatted("'({})'{{}}'", words, spelled);
      if (!words.empty()) cases += formatted("        {}[{}]{}' \\\n", either, about, value);
    }
    cases += "        '*:file:_files'\n      ;;\n";
  }
  return formatted(
      "#compdef belay\n"
      "# Completion of belay for zsh; made from its own definitions.\n"
      "_belay() {\n"
      "  local -a commands=(\n"
      "{}"
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe 'command' commands\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $words[1] in\n"
      "{}"
      "  esac\n"
      "}\n"
      "_belay \"$@\"\n",
      commands, cases);
}

}  // namespace belay::tools
