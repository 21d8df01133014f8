// SPDX-License-Identifier: Apache-2.0
#include "inspect/describe.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "base/files/file.h"
#include "base/text.h"
#include "dump/format/record_reader.h"
#include "dump/format/statistics.h"
#include "dump/format/types.h"
#include "inspect/opdebug.h"
#include "inspect/tensor.h"

namespace belay::inspect {
namespace {

constexpr size_t largest_csv = 64 << 20;

std::string real(long double value) {
  char text[48];
  std::snprintf(text, sizeof text, "%.7Lg", value);
  return text;
}

std::vector<std::pair<std::string, std::string>> statistics_of(const DumpedTensor& tensor) {
  const size_t bits = graph::bits_of(tensor.type);
  const uint64_t count = bits == 0 ? 0 : tensor.bytes.size() * 8 / bits;
  const dump::Statistics found = dump::measure(tensor.type, tensor.bytes.data(), count, true);
  if (!found.known) return {};
  return {{"max", real(found.max)},
          {"min", real(found.min)},
          {"mean", real(found.avg)},
          {"l2norm", real(found.l2norm)},
          {"nan", std::to_string(found.nan)},
          {"-inf", std::to_string(found.negative_inf)},
          {"+inf", std::to_string(found.positive_inf)}};
}

std::string first_values(const DumpedTensor& tensor, size_t values) {
  const size_t bits = graph::bits_of(tensor.type);
  if (bits < 8) return "";
  const size_t count = std::min(values, tensor.bytes.size() * 8 / bits);
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i ? " " : "") + element_text(tensor, static_cast<int64_t>(i));
  return text;
}

Result<std::vector<TensorLine>> lines_of_tensors(const FoundDump& dump, size_t values) {
  const dump::DumpFile file = TRY(dump::read_dump(dump.path));
  std::vector<TensorLine> lines;
  for (const DumpedTensor& tensor : tensors_of(file)) {
    TensorLine line{.op_type = dump.op_type,
                    .op_name = file.header.op_name.empty() ? dump.op_name : file.header.op_name,
                    .label = label_of(tensor),
                    .type = std::string(dump::type_name(graph::to_proto(tensor.type))),
                    .shape = graph::to_text(tensor.shape),
                    .format = std::string(dump::format_name(static_cast<int32_t>(tensor.format))),
                    .bytes = tensor.bytes.size()};
    if (!is_opdebug(dump.name)) {
      line.statistics = statistics_of(tensor);
      line.first = first_values(tensor, values);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream text(line);
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  if (line.ends_with(',')) fields.emplace_back();
  return fields;
}

// "Positive Inf Count" is "+inf" here: the same word as for tensors.
std::string short_name(const std::string& column) {
  static const std::pair<const char*, const char*> names[] = {
      {"Max Value", "max"}, {"Min Value", "min"},           {"Avg Value", "mean"},          {"l2norm", "l2norm"},
      {"Nan Count", "nan"}, {"Negative Inf Count", "-inf"}, {"Positive Inf Count", "+inf"}, {"Count", "count"}};
  const auto* found = std::ranges::find(names, column, [](const auto& name) { return std::string(name.first); });
  return found == std::end(names) ? column : found->second;
}

// "1x3" is "[1,3]" here, "-", a scalar, "[]"; "NA", more dimensions than the writer knew, stays.
std::string shape_text(std::string field) {
  if (field.find_first_not_of("-x0123456789") != field.npos) return field;
  std::ranges::replace(field, 'x', ',');
  return "[" + (field == "-" ? "" : field) + "]";
}

// Rows begin with: Input/Output,Index,Data Size,Data Type,Format,Shape.
constexpr size_t fixed_columns = 6;

Result<TensorLine> line_of_row(const FoundDump& dump, const std::vector<std::string>& header, const std::string& row) {
  const auto fields = fields_of(row);
  if (fields.size() != header.size() || fields.size() < fixed_columns)
    return Status{ACL_ERROR_PARSE_FILE,
                  formatted("a row has {} fields where the header has {}", fields.size(), header.size())};
  TensorLine line{.op_type = dump.op_type,
                  .op_name = dump.op_name,
                  .label = (fields[0] == "Input" ? "input " : "output ") + fields[1],
                  .type = fields[3].starts_with("DT_") ? fields[3].substr(3) : fields[3],
                  .shape = shape_text(fields[5]),
                  .format = fields[4],
                  .bytes = parse_number(fields[2]).value_or(0)};
  for (size_t i = fixed_columns; i < fields.size(); ++i) line.statistics.emplace_back(short_name(header[i]), fields[i]);
  return line;
}

Result<std::vector<TensorLine>> lines_of_statistics(const FoundDump& dump) {
  std::stringstream text(TRY(read_text(dump.path, largest_csv)));
  std::string first;
  std::getline(text, first);
  const auto header = fields_of(first);
  if (header.size() < fixed_columns || header[0] != "Input/Output")
    return Status{ACL_ERROR_PARSE_FILE, "it does not begin with the header of a statistics file"};
  std::vector<TensorLine> lines;
  for (std::string row; std::getline(text, row);)
    if (!row.empty()) lines.push_back(TRY(line_of_row(dump, header, row)));
  return lines;
}

}  // namespace

Result<std::vector<TensorLine>> describe(const FoundDump& dump, size_t values) {
  auto lines = dump.statistics ? lines_of_statistics(dump) : lines_of_tensors(dump, values);
  if (lines.ok()) return lines;
  return Status{lines.status().code, formatted("{}: {}", dump.path.string(), lines.status().message)};
}

}  // namespace belay::inspect
