// SPDX-License-Identifier: Apache-2.0
// belay msaccucmp: the command lines of msaccucmp, with its files and exit codes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "base/files/atomic_file.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/say.h"
#include "commands/vendor_arguments.h"
#include "commands/vendor_compare.h"
#include "inspect/convert.h"
#include "inspect/overflow_report.h"

namespace belay::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTitle = "belay msaccucmp";
constexpr const char* kBlame = "belay blame DUMP TRUTH --model FILE names the operator that is guilty";
constexpr const char* kOneOperator = "belay compare shows the worst element of every operator";
constexpr const char* kScripts = "scripts of your own are not run";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  std::erase(parts, "");
  return parts;
}

void only(const VendorArguments& arguments, const char* name, const std::string& accepted, const char* why) {
  if (const std::string given = arguments.value(name, accepted); given != accepted)
    throw VendorUsage(formatted("-{} {} is not supported: {}", name, given, why));
}

int compare(const std::vector<std::string>& given) {
  static const std::vector<VendorOption> options{
      {"m"},
      {"g"},
      {"f"},
      {"cf"},
      {"out"},
      {"map", false},
      {"overflow_detection", false},
      {"alg"},
      {"v"},
      {"q", true, "what its JSON holds is not published; quantised models are matched by the origins in their headers"},
      {"a", true, "the algorithms have no options here"},
      {"c", true, kScripts},
      {"r", true, "all operators are compared"},
      {"s", true, "all operators are compared"},
      {"p", true, "there is no such step after comparing; belay compare prints the worst"},
      {"max", true, "it belongs to -p"},
      {"advisor", false, kBlame},
      {"op", true, kOneOperator},
      {"o", true, kOneOperator},
      {"i", true, kOneOperator},
      {"n", true, kOneOperator},
      {"ml", true, kOneOperator},
      {"ffts", false, "slices of FFTS+ are not put together"},
      {"ignore_single_op_result", false, kOneOperator},
      {"locat", false, kBlame},
      {"single", false, kBlame},
  };
  const VendorArguments arguments(options, given);
  only(arguments, "alg", "all", "all algorithms are always computed; leave -alg away");
  only(arguments, "v", "2", "only files of version 2 are read");
  VendorCompare what{.ours = arguments.required("m"), .truth = arguments.required("g")};
  what.folder = arguments.value("out", ".");
  what.match = {.ours_fusion = arguments.value("f"), .truth_fusion = arguments.value("cf")};
  what.mapping = arguments.has("map");
  what.overflow = arguments.has("overflow_detection");
  return compare_as_vendor(kTitle, what);
}

int file_compare(const std::vector<std::string>& given) {
  static const std::vector<VendorOption> options{{"m"}, {"g"}, {"out"}};
  const VendorArguments arguments(options, given);
  VendorCompare what{.ours = arguments.required("m"), .truth = arguments.required("g")};
  what.folder = arguments.value("out", ".");
  for (const fs::path& file : {what.ours, what.truth})
    if (std::error_code ignored; !fs::is_regular_file(file, ignored)) {
      complain("%s: %s is not a file\n", kTitle, file.c_str());
      return kVendorPath;
    }
  return compare_as_vendor(kTitle, what);
}

// The files of a list; of a folder those in it, not those beneath.
Result<inspect::DumpTree> listed(const std::string& list) {
  std::vector<fs::path> files;
  for (const std::string& path : split(list, ',')) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.emplace_back(path);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(path, error))
      if (std::error_code ignored; entry.is_regular_file(ignored) && inspect::find_dumps({entry.path()}).ok())
        files.push_back(entry.path());
  }
  return inspect::find_dumps(files);
}

int convert(const std::vector<std::string>& given) {
  static constexpr const char* kFormats = "belay convert writes private formats in their logical order";
  static const std::vector<VendorOption> options{
      {"d"}, {"out"}, {"t"}, {"v"}, {"f", true, kFormats}, {"s", true, kFormats}, {"o"}, {"i"}, {"c", true, kScripts}};
  const VendorArguments arguments(options, given);
  only(arguments, "v", "2", "only files of version 2 are read");
  const std::string type = arguments.value("t", "npy"), out = arguments.value("out", ".");
  if (type == "pt")
    throw VendorUsage("-t pt is not supported: only PyTorch itself writes such files; numpy reads those of -t npy");
  if (type != "npy" && type != "msnpy" && type != "bin")
    throw VendorUsage(formatted("-t {} is not supported: there are npy, msnpy and bin", type));
  inspect::ConvertOptions to{.as_stored = true, .folder = out};
  to.to = type == "bin"     ? inspect::ConvertTo::Bin
          : type == "msnpy" ? inspect::ConvertTo::MindSporeNpy
                            : inspect::ConvertTo::Npy;
  for (const auto& [name, index] : {std::pair("i", &to.only_input), std::pair("o", &to.only_output)}) {
    if (!arguments.has(name)) continue;
    *index = parse_number(arguments.value(name));
    if (!*index) throw VendorUsage(formatted("-{} {} is not a whole number", name, arguments.value(name)));
  }
  auto found = listed(arguments.required("d"));
  if (!found.ok()) {
    complain("%s: %s\n", kTitle, found.status().message.c_str());
    return kVendorPath;
  }
  if (!make_folder(kTitle, out)) return kVendorPath;
  size_t converted = 0, failed = 0;
  for (const inspect::FoundDump& dump : (*found).files) {
    if (dump.statistics) continue;
    const auto count = inspect::convert_dump(dump, to);
    count.ok() ? ++converted : ++failed;
    if (!count.ok()) complain("%s: %s\n", kTitle, count.status().message.c_str());
  }
  if (converted + failed == 0) complain("%s: there are no dump files in %s\n", kTitle, arguments.value("d").c_str());
  return failed > 0 ? kVendorBadDump : converted == 0 ? kVendorNoDump : kVendorDone;
}

std::string overflow_text(const inspect::Overflow& overflow) {
  std::string text;
  if (overflow.op) {
    const std::string name = overflow.tensors.empty() ? overflow.op->op_name : overflow.tensors[0].line.op_name;
    text += formatted("[{}] {}\n", printable(overflow.op->op_type), printable(name));
  }
  text += formatted("[AIC][TaskId:{}][StreamId:{}][Status:{}]\n", overflow.task, overflow.stream, overflow.status);
  for (const inspect::OverflowTensor& tensor : overflow.tensors) {
    text += formatted("  {}: {} {}", tensor.line.label, tensor.line.type, tensor.line.shape);
    for (const auto& [name, value] : tensor.line.statistics)
      if (name == "max" || name == "min" || name == "mean") text += formatted(" {}={}", name, value);
    text += "\n";
  }
  return text;
}

int overflow(const std::vector<std::string>& given) {
  static const std::vector<VendorOption> options{{"d"}, {"out"}, {"n"}};
  const VendorArguments arguments(options, given);
  const std::string folder = arguments.required("d"), out = arguments.required("out");
  const auto most = parse_number(arguments.value("n", "1"));
  if (!most || *most < 1 || *most > 5) throw VendorUsage("-n is a whole number from 1 to 5");
  const auto found = inspect::find_dumps({folder});
  if (!found.ok()) {
    complain("%s: %s\n", kTitle, found.status().message.c_str());
    return kVendorPath;
  }
  if (!make_folder(kTitle, out)) return kVendorPath;
  inspect::OverflowReport report = inspect::report_overflows((*found).files);
  report.problems.insert(report.problems.begin(), (*found).problems.begin(), (*found).problems.end());
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(*most, report.overflows.size()); ++i)
    text += overflow_text(report.overflows[i].overflow);
  if (text.empty()) text = "no overflow recorded\n";
  std::fputs(text.c_str(), stdout);
  const fs::path file = fs::path(out) / ("overflow_summary_" + time_of_result() + ".txt");
  if (const Status written = write_file(file.string(), text, 0600); !written.ok()) {
    complain("%s: %s\n", kTitle, written.message.c_str());
    return kVendorPath;
  }
  for (const std::string& problem : report.problems) complain("%s: %s\n", kTitle, problem.c_str());
  return !report.problems.empty() ? kVendorBadDump : (*found).files.empty() ? kVendorNoDump : kVendorDone;
}

int run(std::vector<std::string> words) {
  static constexpr const char* kCommands = "compare, convert, overflow and file_compare";
  try {
    if (words.empty()) throw VendorUsage(formatted("a command is missing: there are {}", kCommands));
    const std::string command = words.front();
    words.erase(words.begin());
    if (command == "compare") return compare(words);
    if (command == "convert") return convert(words);
    if (command == "overflow") return overflow(words);
    if (command == "file_compare") return file_compare(words);
    throw VendorUsage(formatted("there is no command {}; there are {}", command, kCommands));
  } catch (const VendorUsage& mistake) {
    complain("%s: %s\n", kTitle, mistake.what());
    return kVendorParameter;
  }
}

}  // namespace

void add_msaccucmp(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("msaccucmp", "Understand the command lines of msaccucmp, with its files and codes");
  command->prefix_command();
  command->footer(
      "compare -m DIR -g DIR [-f JSON] [-cf JSON] [-out DIR] [-map] [-overflow_detection]\n"
      "convert -d FILE[,FILE]|DIR [-out DIR] [-t npy|msnpy|bin] [-i N] [-o N]\n"
      "overflow -d DIR -out DIR [-n 1..5]\n"
      "file_compare -m FILE -g FILE [-out DIR]\n"
      "Other options of msaccucmp are refused by name.");
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
