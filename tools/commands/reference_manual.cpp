// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "commands/reference_pages.h"

namespace belay::tools {
namespace {

constexpr const char* kExitCodes =
    ".SH EXIT STATUS\n"
    ".TP\n0\nDone, and nothing to report.\n"
    ".TP\n1\nThere is a difference or an overflow.\n"
    ".TP\n2\nWrong use.\n"
    ".TP\n3\nBad input, or something was lost.\n";

// Text as roff reads it: hyphens stay hyphens, a line does not begin with a request.
std::string roff(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    begins = c == '\n';
  }
  return out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string head(const std::string& name, const std::string& about) {
  return formatted(".TH {} 1 \"\" \"belay {}\"\n.SH NAME\n{} \\- {}\n", upper(name), BELAY_VERSION, roff(name),
                   roff(about));
}

std::string options(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    const bool positional = option->get_positional();
    std::string name = positional ? option->get_type_name() : option->get_name(false, true);
    if (!positional && option->get_items_expected_max() > 0) name += " " + option->get_type_name();
    text += formatted(".TP\n.B {}\n{}\n", roff(name), roff(option->get_description()));
  }
  return text;
}

std::string synopsis(const CLI::App& app, const CLI::App& command) {
  std::string line = formatted(".SH SYNOPSIS\n.B {} {}\n[OPTIONS]", app.get_name(), command.get_name());
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional())
      line += formatted(option->get_required() ? " {}{}" : " [{}{}]", option->get_type_name(),
                        option->get_items_expected_max() > 1 ? "..." : "");
  return line + "\n";
}

std::string footer(const CLI::App& command) {
  if (command.get_footer().empty()) return "";
  return ".SH NOTES\n.nf\n" + roff(command.get_footer()) + "\n.fi\n";
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  std::string page = head(app.get_name(), app.get_description());
  page += formatted(".SH SYNOPSIS\n.B {}\nCOMMAND [OPTIONS]\n.SH COMMANDS\n", app.get_name());
  for (const CLI::App* command : shown_commands(app))
    page += formatted(".TP\n.B {}\n{}; see\n.BR {}\\-{} (1)\n", command->get_name(), roff(command->get_description()),
                      app.get_name(), command->get_name());
  return page + ".SH OPTIONS\n" + options(app) + kExitCodes;
}

std::string manual_page(const CLI::App& app, const CLI::App& command) {
  const std::string name = app.get_name() + "-" + command.get_name();
  return head(name, command.get_description()) + synopsis(app, command) + ".SH OPTIONS\n" + options(command) +
         footer(command) + (command.get_prefix_command() ? "" : kExitCodes) +
         formatted(".SH SEE ALSO\n.BR {} (1)\n", app.get_name());
}

}  // namespace belay::tools
