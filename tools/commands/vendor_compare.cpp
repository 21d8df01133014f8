// SPDX-License-Identifier: Apache-2.0
#include "commands/vendor_compare.h"

#include <cstdio>
#include <ctime>

#include "base/files/atomic_file.h"
#include "base/text.h"
#include "commands/progress.h"
#include "commands/say.h"
#include "compare/report/csv.h"
#include "compare/rows.h"
#include "dump/format/csv.h"
#include "dump/format/names.h"

namespace belay::tools {
namespace {

using compare::Side;
using compare::SideTensor;

constexpr mode_t kPrivate = 0600;

VendorCode refused(const char* title, const Status& problem, VendorCode code) {
  complain("%s: %s\n", title, problem.message.c_str());
  return code;
}

VendorCode code_of(const Status& problem) {
  return problem.code == ACL_ERROR_INVALID_FILE ? kVendorPath : kVendorNoDump;
}

std::string mapping_report(const compare::Comparison& comparison) {
  std::string text = "Index,OpType,NPUDump,GroundTruth,TensorIndex,NPUDumpPath,GroundTruthPath\n";
  size_t index = 0;
  for (const compare::Row& row : comparison.rows) {
    const SideTensor &ours = *row.ours, &truth = *row.truth;
    const std::string tensor = formatted("{}:{}:{}", ours.op, ours.input ? "input" : "output", ours.index);
    text += std::to_string(index++);
    for (const std::string& field : {ours.op_type.empty() ? "NaN" : ours.op_type, ours.op, truth.op, tensor,
                                     ours.file.string(), truth.file.string()})
      text += "," + dump::csv_field(field);
    text += "\n";
  }
  return text;
}

Status write_reports(const VendorCompare& what, const compare::Comparison& comparison) {
  const std::string time = time_of_result();
  const std::filesystem::path result = what.folder / ("result_" + time + ".csv");
  TRY(write_file(result.string(), compare::csv_report(comparison, {.overflow = what.overflow, .extra = false}),
                 kPrivate));
  say("%s\n", result.c_str());
  if (!what.mapping) return {};
  const std::filesystem::path mapping = what.folder / ("mapping_" + time + ".csv");
  TRY(write_file(mapping.string(), mapping_report(comparison), kPrivate));
  say("%s\n", mapping.c_str());
  return {};
}

}  // namespace

VendorCode compare_as_vendor(const char* title, const VendorCompare& what) {
  const auto ours = compare::open_side(what.ours);
  if (!ours.ok()) return refused(title, ours.status(), code_of(ours.status()));
  const auto truth = compare::open_side(what.truth);
  if (!truth.ok()) return refused(title, truth.status(), code_of(truth.status()));
  const auto matching = compare::match(*ours, *truth, what.match);
  if (!matching.ok())
    return refused(title, matching.status(),
                   matching.status().code == ACL_ERROR_INVALID_FILE ? kVendorPath : kVendorParse);
  if (!make_folder(title, what.folder)) return kVendorPath;
  Progress progress("comparing", (*matching).pairs.size());
  const auto comparison = compare::compare_sides(*ours, *truth, *matching, {}, [&] { progress.advance(); });
  if (const Status written = write_reports(what, comparison); !written.ok())
    return refused(title, written, kVendorPath);
  const auto problems = comparison.problems();
  for (const std::string& problem : problems) complain("%s: %s\n", title, problem.c_str());
  return problems.empty() ? kVendorDone : kVendorBadDump;
}

bool make_folder(const char* title, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (std::filesystem::is_directory(folder, error)) return true;
  complain("%s: the folder %s cannot be made: %s\n", title, folder.c_str(), error.message().c_str());
  return false;
}

std::string time_of_result() { return dump::time_text(std::time(nullptr)); }

}  // namespace belay::tools
