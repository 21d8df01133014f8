// SPDX-License-Identifier: Apache-2.0
#include "compare/report/csv.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "dump/format/csv.h"
#include "inspect/tensor.h"

namespace belay::compare {
namespace {

constexpr const char* kMissing = "NaN";

template <class... Args>
std::string printed(const char* pattern, Args... arguments) {
  char text[128];
  std::snprintf(text, sizeof text, pattern, arguments...);
  return text;
}

std::string vendor_number(double value) { return std::isnan(value) ? kMissing : printed("%.6f", value); }
std::string number(double value) { return std::isnan(value) ? kMissing : printed("%.9g", value); }

std::string place_text(long double value, graph::DataType type) {
  return std::isnan(value) ? kMissing : element_text(value, type, "%.9g");
}

// "(mean x;std x),(mean y;std y)"; what is small is 0.
std::string deviation(const Measures& measures) {
  const auto value = [](double v) { return std::isnan(v) ? kMissing : printed("%.3f", std::abs(v) < 0.001 ? 0.0 : v); };
  const auto side = [&](const SideCount& count) {
    return "(" + value(count.mean) + ";" + value(count.deviation) + ")";
  };
  return side(measures.ours) + "," + side(measures.truth);
}

bool has_bools(const Row& row) {
  return row.ours_type == graph::DataType::Bool || row.truth_type == graph::DataType::Bool;
}

// One line of the table.
class Line {
 public:
  void add(const std::string& field) {
    text_ += (first_ ? "" : ",") + dump::csv_field(field);
    first_ = false;
  }
  void add_missing(size_t count) {
    for (size_t i = 0; i < count; ++i) add(kMissing);
  }
  std::string end() { return std::move(text_) + "\n"; }

 private:
  std::string text_;
  bool first_ = true;
};

constexpr size_t kMetrics = 10, kOurs = 20;

bool all_dumps(const Side& side) {
  return std::ranges::all_of(side.tensors, [](const SideTensor& tensor) { return tensor.tensor.empty(); });
}

class Table {
 public:
  Table(const Comparison& comparison, const CsvOptions& options)
      : comparison_(comparison),
        options_(options),
        both_dumps_(all_dumps(*comparison.ours) && all_dumps(*comparison.truth)) {}

  std::string text() {
    std::string all = header();
    for (const Row& row : comparison_.rows) all += line(row);
    for (const Unmatched& one : comparison_.only_ours) all += line(comparison_.ours->tensors[one.tensor], true, one);
    for (const Unmatched& one : comparison_.only_truth) all += line(comparison_.truth->tensors[one.tensor], false, one);
    return all;
  }

 private:
  std::string header() const {
    std::string columns = "Index,OpType,NPUDump,DataType,Address,GroundTruth,DataType,";
    if (both_dumps_) columns += "Address,";
    columns += "TensorIndex,Shape,";
    if (options_.overflow) columns += "OverFlow,";
    columns +=
        "CosineSimilarity,MaxAbsoluteError,AccumulatedRelativeError,RelativeEuclideanDistance,"
        "KullbackLeiblerDivergence,StandardDeviation,MeanAbsoluteError,RootMeanSquareError,MaxRelativeError,"
        "MeanRelativeError,CompareFailReason";
    if (options_.extra)
      columns +=
          ",Verdict,MatchedBy,Elements,Different,Bitwise,MaxUlp,PSNR,LeastRtol,LeastAtol,FirstIndex,FirstOurs,"
          "FirstTruth,WorstIndex,WorstOurs,WorstTruth,NanOurs,InfOurs,NanTruth,InfTruth,File,TruthFile";
    return columns + "\n";
  }

  static std::string tensor_index(const SideTensor& tensor) {
    return formatted("{}:{}:{}", tensor.op, tensor.input ? "input" : "output", tensor.index);
  }
  static std::string address(const SideTensor& tensor) {
    return tensor.address == 0 ? kMissing : std::to_string(tensor.address);
  }
  static std::string or_missing(const std::string& text) { return text.empty() ? kMissing : text; }
  static std::string type(graph::DataType type) {
    return type == graph::DataType::Undefined ? kMissing : type_text(type);
  }

  std::string line(const Row& row) {
    Line line;
    line.add(std::to_string(index_++));
    line.add(or_missing(row.ours->op_type));
    line.add(row.ours->op);
    line.add(type(row.ours_type));
    line.add(address(*row.ours));
    line.add(row.truth->op);
    line.add(type(row.truth_type));
    if (both_dumps_) line.add(address(*row.truth));
    line.add(tensor_index(*row.ours));
    line.add(row.ours_type == graph::DataType::Undefined ? kMissing : graph::to_text(row.shape));
    if (options_.overflow) line.add(overflow(row));
    if (row.measured)
      add_metrics(line, row);
    else
      line.add_missing(kMetrics);
    line.add(fail_reason(row));
    if (options_.extra) add_ours(line, row);
    return line.end();
  }

  // A tensor without a partner.
  std::string line(const SideTensor& tensor, bool ours, const Unmatched& why) {
    Line line;
    line.add(std::to_string(index_++));
    line.add(or_missing(tensor.op_type));
    line.add(ours ? tensor.op : kMissing);
    line.add(kMissing);
    line.add(ours ? address(tensor) : kMissing);
    line.add(ours ? kMissing : tensor.op);
    line.add(kMissing);
    if (both_dumps_) line.add(ours ? kMissing : address(tensor));
    line.add(tensor_index(tensor));
    line.add_missing(1 + (options_.overflow ? 1 : 0) + kMetrics);
    line.add(why.nearest.empty() ? why.reason : formatted("{}; the nearest is {}", why.reason, why.nearest));
    if (!options_.extra) return line.end();
    line.add("unmatched");
    line.add_missing(kOurs - 2);
    line.add(ours ? tensor.file.string() : kMissing);
    line.add(ours ? kMissing : tensor.file.string());
    return line.end();
  }

  static std::string overflow(const Row& row) {
    if (!row.measured || row.ours_type != graph::DataType::Float16) return kMissing;
    const SideCount& ours = row.measures.ours;
    return std::max(std::abs(ours.min), std::abs(ours.max)) >= 65504 ? "YES" : "NO";
  }

  static std::string fail_reason(const Row& row) {
    if (row.measured && row.measures.constant_one) return "one element: the cosine is 1 by definition";
    return row.measured ? "" : row.reason;
  }

  static void add_metrics(Line& line, const Row& row) {
    const Measures& m = row.measures;
    line.add(vendor_number(m.cosine));
    line.add(vendor_number(m.max_absolute));
    line.add(vendor_number(m.accumulated_relative));
    line.add(vendor_number(m.relative_euclidean));
    line.add(vendor_number(m.kullback_leibler));
    line.add(has_bools(row) ? kMissing : deviation(m));
    line.add(vendor_number(m.mean_absolute));
    line.add(vendor_number(m.root_mean_square));
    line.add(vendor_number(m.max_relative));
    line.add(vendor_number(m.mean_relative));
  }

  static void add_place(Line& line, const Row& row, const Place& place) {
    if (place.at < 0) return line.add_missing(3);
    line.add(inspect::index_text(row.shape, place.at));
    line.add(place_text(place.ours, row.ours_type));
    line.add(place_text(place.truth, row.truth_type));
  }

  static void add_ours(Line& line, const Row& row) {
    line.add(name_of(row.verdict));
    line.add(name_of(row.by));
    const Measures& m = row.measures;
    if (row.measured) {
      line.add(std::to_string(m.count));
      line.add(std::to_string(m.different));
      line.add(m.bitwise ? "YES" : "NO");
      for (const double value : {m.max_ulp, m.psnr, m.least_rtol, m.least_atol}) line.add(number(value));
      add_place(line, row, m.first);
      add_place(line, row, m.worst);
      for (const SideCount* side : {&m.ours, &m.truth}) {
        line.add(std::to_string(side->nan));
        line.add(std::to_string(side->plus_inf + side->minus_inf));
      }
    } else {
      line.add_missing(kOurs - 3);
    }
    line.add(row.ours->file.string());
    line.add(row.truth->file.string());
  }

  const Comparison& comparison_;
  const CsvOptions options_;
  const bool both_dumps_;
  size_t index_ = 0;
};

}  // namespace

std::string csv_report(const Comparison& comparison, const CsvOptions& options) {
  return Table(comparison, options).text();
}

}  // namespace belay::compare
