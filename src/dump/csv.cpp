// SPDX-License-Identifier: Apache-2.0
#include "dump/csv.h"

#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "dump/config.h"
#include "dump/types.h"

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

// Puts the selected columns and Count in their places: `value(bit)` and `count` give the texts.
template <class Value>
std::string in_order(uint8_t selection, const std::string& count, Value value) {
  std::string line;
  if (selection != kUsualStatistics) line += "," + count;
  for (const Column& column : columns) {
    if (selection & column.bit) line += "," + value(column);
    if (selection == kUsualStatistics && column.bit == kAvg) line += "," + count;
  }
  return line + "\n";
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

// As a C++ stream writes it: six significant digits.
std::string real(double value) {
  if (std::isnan(value)) return "nan";
  char text[32];
  snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string extreme(graph::DataType type, long double value) {
  if (!is_integer(type)) return real(static_cast<double>(value));
  return value < 0 ? std::to_string(static_cast<int64_t>(value)) : std::to_string(static_cast<uint64_t>(value));
}

std::string value_of(const StatisticsRow& row, uint8_t bit) {
  const Statistics& values = row.values;
  if (!values.known) return "NA";
  switch (bit) {
    case kMax:
      return extreme(row.type, values.max);
    case kMin:
      return extreme(row.type, values.min);
    case kAvg:
      return real(values.avg);
    case kNan:
      return std::to_string(values.nan);
    case kNegativeInf:
      return std::to_string(values.negative_inf);
    case kPositiveInf:
      return std::to_string(values.positive_inf);
    default:
      return real(values.l2norm);
  }
}

std::string type_text(graph::DataType type) {
  const std::string_view name = type_name(graph::to_proto(type));
  return name.empty() ? "UNKNOW" : "DT_" + std::string(name);
}

std::string format_text(int32_t format) {
  const std::string_view name = format_name(format);
  return std::string(name.empty() ? "UNKNOW" : name);
}

std::string shape_text(const graph::Shape& shape) {
  std::string text;
  for (const int64_t dim : shape) text += (text.empty() ? "" : "x") + std::to_string(dim);
  return text.empty() ? "-" : text;
}

}  // namespace

std::string csv_header(uint8_t selection) {
  return "Input/Output,Index,Data Size,Data Type,Format,Shape" +
         in_order(selection, "Count", [](const Column& column) { return std::string(column.name); });
}

std::string csv_row(const StatisticsRow& row, uint8_t selection) {
  return formatted("{},{},{},{},{},{}", row.input ? "Input" : "Output", row.index, row.bytes, type_text(row.type),
                   format_text(row.format), shape_text(row.shape)) +
         in_order(selection, std::to_string(graph::element_count(row.shape)),
                  [&](const Column& column) { return value_of(row, column.bit); });
}

}  // namespace belay::dump
