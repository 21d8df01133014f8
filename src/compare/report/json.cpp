// SPDX-License-Identifier: Apache-2.0
#include "compare/report/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "compare/measure/elements.h"

namespace belay::compare {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json name_json(const SideTensor& tensor) {
  Json json{{"op", tensor.op},
            {"op_type", tensor.op_type},
            {"tensor", (tensor.input ? "input " : "output ") + std::to_string(tensor.index)},
            {"place", tensor.place.string()},
            {"file", tensor.file.string()}};
  if (!tensor.tensor.empty()) json["name"] = tensor.tensor;
  if (!tensor.origin.empty()) json["origin"] = tensor.origin + ":" + std::to_string(tensor.origin_index);
  return json;
}

Json side_json(const SideCount& side) {
  return {{"nan", side.nan},           {"plus_inf", side.plus_inf},           {"minus_inf", side.minus_inf},
          {"mean", number(side.mean)}, {"deviation", number(side.deviation)}, {"min", number(side.min)},
          {"max", number(side.max)}};
}

// A whole number with all its digits.
Json element(long double value, graph::DataType type) {
  if (!is_whole(type)) return number(static_cast<double>(value));
  return value < 0 ? Json(static_cast<int64_t>(value)) : Json(static_cast<uint64_t>(value));
}

Json place_json(const Place& place, const Row& row) {
  const graph::Shape& shape = row.shape;
  if (place.at < 0) return nullptr;
  graph::Shape index(shape.size());
  int64_t rest = place.at;
  for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) index[d] = rest % shape[d];
  return {{"at", place.at},
          {"index", index},
          {"ours", element(place.ours, row.ours_type)},
          {"truth", element(place.truth, row.truth_type)}};
}

Json measures_json(const Measures& m, const Row& row) {
  return {{"elements", m.count},
          {"bitwise", m.bitwise},
          {"different", m.different},
          {"outside", m.outside},
          {"cosine", number(m.cosine)},
          {"max_absolute", number(m.max_absolute)},
          {"accumulated_relative", number(m.accumulated_relative)},
          {"relative_euclidean", number(m.relative_euclidean)},
          {"kullback_leibler", number(m.kullback_leibler)},
          {"mean_absolute", number(m.mean_absolute)},
          {"root_mean_square", number(m.root_mean_square)},
          {"max_relative", number(m.max_relative)},
          {"mean_relative", number(m.mean_relative)},
          {"max_ulp", number(m.max_ulp)},
          {"psnr", number(m.psnr)},
          {"least_rtol", number(m.least_rtol)},
          {"least_atol", number(m.least_atol)},
          {"finite_cosine", number(m.finite_cosine)},
          {"finite_euclidean", number(m.finite_euclidean)},
          {"first", place_json(m.first, row)},
          {"worst", place_json(m.worst, row)},
          {"ours_values", side_json(m.ours)},
          {"truth_values", side_json(m.truth)}};
}

Json limits_json(const Limits& limits) {
  Json json = Json::object();
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) json[name] = number(*value);
  };
  add("rtol", limits.rtol);
  add("atol", limits.atol);
  add("cosine", limits.cosine);
  add("euclidean", limits.euclidean);
  add("peak", limits.peak);
  add("ulp", limits.ulp);
  return json;
}

Json row_json(const Row& row) {
  Json json{{"verdict", name_of(row.verdict)},
            {"reason", row.reason},
            {"ours", name_json(*row.ours)},
            {"truth", name_json(*row.truth)},
            {"matched_by", name_of(row.by)}};
  if (row.ours_type != graph::DataType::Undefined) {
    json["dtype"] = type_text(row.ours_type);
    json["truth_dtype"] = type_text(row.truth_type);
    json["shape"] = row.shape;
    json["truth_shape"] = row.truth_shape;
    json["limits"] = limits_json(row.limits);
  }
  if (row.measured) json["measures"] = measures_json(row.measures, row);
  return json;
}

Json unmatched_json(const Side& side, const std::vector<Unmatched>& unmatched) {
  Json list = Json::array();
  for (const Unmatched& one : unmatched) {
    Json json = name_json(side.tensors[one.tensor]);
    json["reason"] = one.reason;
    if (!one.nearest.empty()) json["nearest"] = one.nearest;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

std::string json_report(const Comparison& comparison) {
  Json json{{"ours", comparison.ours->name}, {"truth", comparison.truth->name}};
  for (const Verdict verdict : {Verdict::Agree, Verdict::Differ, Verdict::Ignored, Verdict::Unread})
    json[name_of(verdict)] = comparison.count(verdict);
  json["rows"] = Json::array();
  for (const Row& row : comparison.rows) json["rows"].push_back(row_json(row));
  json["only_ours"] = unmatched_json(*comparison.ours, comparison.only_ours);
  json["only_truth"] = unmatched_json(*comparison.truth, comparison.only_truth);
  json["problems"] = comparison.problems();
  return json_text(json, 1);
}

}  // namespace belay::compare
