// SPDX-License-Identifier: Apache-2.0
#include "dump/format/csv.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "base/printable.h"
#include "dump/format/types.h"

namespace belay::dump {
namespace {

struct Column {
  uint8_t bit;
  const char* name;
};

// In the order of their bits. With the usual selection Count stands behind Avg, with any other in front of all.
constexpr Column columns[] = {{kMax, "Max Value"},
                              {kMin, "Min Value"},
                              {kAvg, "Avg Value"},
                              {kNan, "Nan Count"},
                              {kNegativeInf, "Negative Inf Count"},
                              {kPositiveInf, "Positive Inf Count"},
                              {kL2Norm, "l2norm"}};

// Puts the selected columns and Count in their places: `add(bit)` and `add_count` append the texts.
template <class Add, class AddCount>
void add_in_order(std::string& line, uint8_t selection, const AddCount& add_count, const Add& add) {
  if (selection != kUsualStatistics) line += ',', add_count();
  for (const Column& column : columns) {
    if (selection & column.bit) line += ',', add(column);
    if (selection == kUsualStatistics && column.bit == kAvg) line += ',', add_count();
  }
  line += '\n';
}

bool is_integer(graph::DataType type) {
  using graph::DataType;
  switch (type) {
    case DataType::Int8:
    case DataType::UInt8:
    case DataType::Int16:
    case DataType::UInt16:
    case DataType::Int32:
    case DataType::UInt32:
    case DataType::Int64:
    case DataType::UInt64:
    case DataType::Bool:
      return true;
    default:
      return false;
  }
}

template <class Integer>
void add_integer(std::string& line, Integer value) {
  char text[32];
  line.append(text, std::to_chars(text, std::end(text), value).ptr);
}

// As a C++ stream writes it: six significant digits.
void add_real(std::string& line, double value) {
  if (std::isnan(value)) {
    line += "nan";
    return;
  }
  char text[32];
  line.append(text, std::to_chars(text, std::end(text), value, std::chars_format::general, 6).ptr);
}

void add_extreme(std::string& line, graph::DataType type, long double value) {
  if (!is_integer(type))
    add_real(line, static_cast<double>(value));
  else if (value < 0)
    add_integer(line, static_cast<int64_t>(value));
  else
    add_integer(line, static_cast<uint64_t>(value));
}

void add_value(std::string& line, const StatisticsRow& row, uint8_t bit) {
  const Statistics& values = row.values;
  if (!values.known) {
    line += "NA";
    return;
  }
  switch (bit) {
    case kMax:
      return add_extreme(line, row.type, values.max);
    case kMin:
      return add_extreme(line, row.type, values.min);
    case kAvg:
      return add_real(line, values.avg);
    case kNan:
      return add_integer(line, values.nan);
    case kNegativeInf:
      return add_integer(line, values.negative_inf);
    case kPositiveInf:
      return add_integer(line, values.positive_inf);
    default:
      return add_real(line, values.l2norm);
  }
}

void add_type(std::string& line, graph::DataType type) {
  const std::string_view name = type_name(graph::to_proto(type));
  line += name.empty() ? "UNKNOW" : "DT_";
  line += name;
}

void add_shape(std::string& line, const graph::Shape& shape) {
  if (shape.empty()) line += '-';
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) line += 'x';
    add_integer(line, shape[i]);
  }
}

// Whether a spreadsheet would compute it. What is a number stays one.
bool is_formula(const std::string& text) {
  if (text.empty() || std::string_view("=+-@").find(text[0]) == std::string_view::npos) return false;
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return end != text.c_str() + text.size();
}

}  // namespace

std::string csv_field(const std::string& text) {
  std::string field = printable(text);
  if (is_formula(field)) field.insert(0, 1, '\'');
  if (field.find_first_of(",\"") == field.npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_header(uint8_t selection) {
  std::string line = "Input/Output,Index,Data Size,Data Type,Format,Shape";
  add_in_order(
      line, selection, [&] { line += "Count"; }, [&](const Column& column) { line += column.name; });
  return line;
}

std::string csv_row(const StatisticsRow& row, uint8_t selection) {
  std::string line;
  line += row.input ? "Input," : "Output,";
  add_integer(line, row.index);
  line += ',';
  add_integer(line, row.bytes);
  line += ',';
  add_type(line, row.type);
  line += ',';
  const std::string_view format = format_name(row.format);
  line += format.empty() ? "UNKNOW" : format;
  line += ',';
  add_shape(line, row.shape);
  add_in_order(
      line, selection, [&] { add_integer(line, graph::element_count(row.shape)); },
      [&](const Column& column) { add_value(line, row, column.bit); });
  return line;
}

}  // namespace belay::dump
