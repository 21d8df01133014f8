// SPDX-License-Identifier: Apache-2.0
// belay convert: the tensors of a dump as files that other programs read.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/progress.h"
#include "commands/say.h"
#include "inspect/convert.h"

namespace belay::tools {
namespace {

using inspect::ConvertTo;

struct ConvertArguments {
  std::vector<std::filesystem::path> dumps;
  inspect::ConvertOptions options{.folder = "."};
  std::string type = "npy";
  bool json = false;
};

ConvertTo kind_of(const std::string& type) {
  return type == "bin" ? ConvertTo::Bin : type == "safetensors" ? ConvertTo::Safetensors : ConvertTo::Npy;
}

int convert(const ConvertArguments& arguments) {
  auto found = inspect::find_dumps(arguments.dumps);
  if (!found.ok()) {
    complain("belay convert: %s\n", found.status().message.c_str());
    return kBadInput;
  }
  inspect::ConvertCount total;
  size_t converted = 0, failed = 0, statistics = 0;
  for (const std::string& problem : (*found).problems) complain("belay convert: %s\n", problem);
  failed += (*found).problems.size();
  Progress progress("converting", (*found).files.size());
  for (const inspect::FoundDump& dump : (*found).files) {
    progress.advance();
    if (dump.statistics && ++statistics) continue;
    auto count = inspect::convert_dump(dump, arguments.options);
    if (!count.ok()) {
      ++failed;
      complain("belay convert: %s\n", count.status().message.c_str());
      continue;
    }
    ++converted;
    total.files += (*count).files;
    total.bytes += (*count).bytes;
  }
  if (arguments.json) {
    const nlohmann::ordered_json report{{"dumps", converted},
                                        {"files", total.files},
                                        {"bytes", total.bytes},
                                        {"failed", failed},
                                        {"statistics_files", statistics}};
    std::printf("%s\n", json_text(report).c_str());
  } else {
    say("%zu dump files -> %llu files, %.1f MiB, in %s\n", converted, static_cast<unsigned long long>(total.files),
        static_cast<double>(total.bytes) / (1 << 20), arguments.options.folder.c_str());
    if (statistics > 0) say("%zu statistics files skipped; belay show reads them\n", statistics);
  }
  if (converted == 0 && failed == 0) complain("belay convert: no dump files with tensors found\n");
  return failed > 0 || converted == 0 ? kBadInput : kAgree;
}

}  // namespace

void add_convert(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("convert", "Write dumped tensors as .npy, .bin or .safetensors files");
  auto arguments = std::make_shared<ConvertArguments>();
  command->add_option("dump", arguments->dumps, "Dump files, or directories: all files beneath them are taken")
      ->type_name("DUMP")
      ->required();
  command
      ->add_option("-o,--output", arguments->options.folder,
                   "Write to this folder, which is made when missing "
                   "(default: the current folder)")
      ->type_name("DIR");
  command->add_option("-t,--type", arguments->type, "Write files of this type: npy, bin or safetensors (default: npy)")
      ->type_name("TYPE")
      ->check(one_of({"npy", "bin", "safetensors"}));
  command->add_flag("--as-stored", arguments->options.as_stored,
                    "Keep private formats such as NC1HWC0 in the order of their bytes (default: the original shape's)");
  command->add_flag("--json", arguments->json, "Print the result as JSON (default: as text)");
  command->callback([arguments, &exit_code] {
    arguments->options.to = kind_of(arguments->type);
    exit_code = convert(*arguments);
  });
}

}  // namespace belay::tools
