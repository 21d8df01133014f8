// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>

#include "base/json_text.h"
#include "base/printable.h"
#include "base/text.h"
#include "dump/format/record_reader.h"
#include "inspect/tensor.h"
#include "report/content.h"

namespace belay::report {
namespace {

Json histogram_json(const Histogram& histogram) {
  if (histogram.counts.empty()) return nullptr;
  return {{"low", histogram.low}, {"high", histogram.high}, {"counts", histogram.counts}};
}

// Half a point is as exact as anyone can see.
Json coordinates_json(const std::vector<float>& values) {
  Json list = Json::array();
  for (const float value : values) list.push_back(static_cast<int64_t>(std::lround(value)));
  return list;
}

Json level_json(const Group& group, const Level& level) {
  Json routes = Json::array();
  for (const Route& route : level.routes) routes.push_back({route.from, route.to, coordinates_json(route.points)});
  Json ports = Json::array();
  for (const Port& port : level.ports)
    ports.push_back({port.source, port.out ? 1 : 0, std::lround(port.x), std::lround(port.y)});
  return {{"name", group.name},
          {"parent", group.parent},
          {"children", group.children},
          {"x", coordinates_json(level.x)},
          {"y", coordinates_json(level.y)},
          {"width", level.width},
          {"height", level.height},
          {"ports", std::move(ports)},
          {"routes", std::move(routes)}};
}

void make_printable(Json& json) {
  if (json.is_string()) {
    json = printable(json.get_ref<const std::string&>());
  } else if (json.is_object()) {
    for (auto& [key, value] : json.items())
      if (key != "replay" && key != "replays") make_printable(value);
  } else if (json.is_array()) {
    for (Json& value : json) make_printable(value);
  }
}

}  // namespace

Json real_json(long double value) {
  const auto near = static_cast<double>(value);
  if (near != value && value == std::trunc(value) && std::fabs(value) < 0x1p64L)
    return formatted("{}{}", value < 0 ? "-" : "", static_cast<uint64_t>(std::fabs(value)));
  if (std::isfinite(value)) return near;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

std::string page_text(Json json) {
  make_printable(json);
  return json_text(json);
}

Json summary_json(const Summary& summary) {
  return {{"min", real_json(summary.min)},       {"max", real_json(summary.max)},
          {"mean", real_json(summary.mean)},     {"deviation", real_json(summary.deviation)},
          {"l2norm", real_json(summary.l2norm)}, {"nan", summary.nan},
          {"plusInf", summary.plus_inf},         {"minusInf", summary.minus_inf}};
}

Json operators_json(const Network& network) {
  Json list = Json::array();
  for (const Operator& op : network.operators) {
    Json entry{{"name", op.name}, {"type", op.type}};
    if (!op.sources.empty()) entry["sources"] = op.sources;
    list.push_back(std::move(entry));
  }
  return list;
}

Json links_json(const Network& network) {
  Json list = Json::array();
  for (const Link& link : network.links) list.push_back({link.from, link.to, link.output, link.input});
  return list;
}

Json groups_json(const std::vector<Group>& groups, const std::vector<Level>& levels) {
  Json list = Json::array();
  for (size_t i = 0; i < groups.size(); ++i) list.push_back(level_json(groups[i], levels[i]));
  return list;
}

Json digest_json(const Digest& digest, std::string& bytes) {
  Json worst = Json::array();
  for (const Extreme& extreme : digest.worst)
    worst.push_back(
        {extreme.at, real_json(extreme.ours), real_json(extreme.truth), real_json(extreme.ours - extreme.truth)});
  Json json{{"ours", histogram_json(digest.of_ours)},
            {"truth", histogram_json(digest.of_truth)},
            {"difference", histogram_json(digest.of_difference)},
            {"worst", std::move(worst)}};
  if (digest.picture.codes.empty()) return json;
  json["picture"] = {{"cells", digest.picture.cells}, {"most", digest.picture.most}, {"begin", bytes.size()}};
  bytes.append(digest.picture.codes.begin(), digest.picture.codes.end());
  return json;
}

// A row of a statistics file: what it says is text, and stays what it is.
Json line_json(const inspect::TensorLine& line, size_t op, size_t step) {
  static const auto& names = *new std::map<std::string, const char*>{
      {"max", "max"}, {"min", "min"},       {"mean", "mean"},   {"l2norm", "l2norm"},
      {"nan", "nan"}, {"-inf", "minusInf"}, {"+inf", "plusInf"}};
  Json a = Json::object();
  for (const auto& [name, value] : line.statistics) {
    const auto known = names.find(name);
    if (known == names.end()) continue;
    const Json number = Json::parse(value, nullptr, false);
    a[known->second] = number.is_number() ? number : Json(value);
  }
  Json shape = Json::parse(line.shape, nullptr, false);
  Json json{{"op", op}, {"step", step}, {"label", line.label}, {"type", line.type}, {"a", std::move(a)}};
  if (shape.is_array()) json["shape"] = std::move(shape);
  if (!line.format.empty()) json["layout"] = line.format;
  return json;
}

void blame_json(const blame::OperatorReport& op, Json& json) {
  json["blame"] = blame::name_of(op.verdict);
  if (!op.why.empty()) json["why"] = op.why;
  if (!op.together.empty()) json["together"] = op.together;
  Json outputs = Json::array();
  for (const blame::OutputReport& output : op.outputs) {
    const exact::Numbers& n = output.numbers;
    Json entry{{"output", output.index},
               {"contributed", real_json(n.contributed)},
               {"allowed", real_json(n.allowed)},
               {"wrong", n.wrong},
               {"elements", n.count}};
    if (!std::isnan(n.inherited)) entry["inherited"] = real_json(n.inherited);
    outputs.push_back(std::move(entry));
  }
  json["outputs"] = std::move(outputs);
  if (!op.evidence) return;
  json["cause"] = op.evidence->cause;
  json["terms"] = op.evidence->terms;
  if (op.evidence->share) json["share"] = *op.evidence->share;
}

std::string layout_text(const compare::SideTensor& tensor, const graph::Shape& logical) {
  if (tensor.file.empty() || !tensor.tensor.empty()) return "";
  const auto dump = dump::read_dump(tensor.file);
  if (!dump.ok()) return "";
  for (const inspect::DumpedTensor& each : inspect::tensors_of(*dump)) {
    if (each.input != tensor.input || each.index != tensor.index) continue;
    const std::string format(graph::name_of(each.format));
    return each.shape == logical ? format : format + " " + graph::to_text(each.shape);
  }
  return "";
}

}  // namespace belay::report
