// SPDX-License-Identifier: Apache-2.0
#include "inspect/chain.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files/file.h"
#include "base/text.h"
#include "dump/format/opdebug.h"

namespace belay::inspect {
namespace {

using Json = nlohmann::json;

constexpr size_t largest_file = 64 << 20;

// Infinity above all numbers, NaN above infinity.
double order_of(double most) { return std::isnan(most) ? HUGE_VAL : most; }

double number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  return value == "inf" ? HUGE_VAL : std::nan("");
}

std::filesystem::path chain_file(const Overflow& overflow) {
  const auto step = overflow.found_by.path.parent_path();
  return step.parent_path() /
         formatted("{}{}_{}_{}.json", dump::kChainStem, step.filename().string(), overflow.stream, overflow.task);
}

ChainLink link_of(const Json& row) {
  return {row.at("op_type"),
          row.at("op_name"),
          {.label = "output " + std::to_string(row.at("output").get<int>()),
           .type = row.at("dtype"),
           .most = number_of(row.at("max_abs"))}};
}

std::vector<ChainLink> read_chain(const std::string& text) try {
  const Json rows = Json::parse(text).at("values");
  std::vector<ChainLink> links;
  size_t at = rows.size() - 1;  // the culprit ran last
  for (;;) {
    links.push_back(link_of(rows.at(at)));
    size_t next = at;
    double most = -1;
    for (const Json& from : rows.at(at).at("from")) {
      if (!from.contains("row") || from.at("row").get<size_t>() >= at) continue;
      const auto row = from.at("row").get<size_t>();
      if (const double each = order_of(number_of(rows.at(row).at("max_abs"))); each > most) most = each, next = row;
    }
    if (next == at) break;
    at = next;
  }
  std::ranges::reverse(links);
  return links;
} catch (const nlohmann::json::exception&) {
  return {};  // no file of ours
}

// Who wrote last to an address, before a certain operator of the same execution.
struct Writer {
  size_t op;
  size_t tensor;
};

const Writer* find_writer(const std::map<uint64_t, std::vector<Writer>>& writers,
                          const std::vector<OperatorMagnitudes>& operators, size_t reader, const Magnitude& input) {
  const auto found = writers.find(input.address);
  const Writer* best = nullptr;
  if (input.address == 0 || found == writers.end()) return nullptr;
  for (const Writer& writer : found->second) {
    const OperatorMagnitudes& op = operators[writer.op];
    if (op.dump.path.parent_path() != operators[reader].dump.path.parent_path()) continue;
    const bool given = op.dump.op_type == "Data";  // its file is written after that of its first reader
    if ((op.dump.time >= operators[reader].dump.time && !given) || op.tensors[writer.tensor].bytes != input.bytes)
      continue;
    if (!best || op.dump.time > operators[best->op].dump.time) best = &writer;
  }
  return best;
}

std::vector<ChainLink> chain_by_addresses(const FoundDump& culprit, const std::vector<OperatorMagnitudes>& operators) {
  std::map<uint64_t, std::vector<Writer>> writers;
  size_t at = operators.size();
  for (size_t i = 0; i < operators.size(); ++i) {
    if (operators[i].dump.path == culprit.path) at = i;
    for (size_t t = 0; t < operators[i].tensors.size(); ++t)
      if (!operators[i].tensors[t].input()) writers[operators[i].tensors[t].address].push_back({i, t});
  }
  std::vector<ChainLink> links;
  if (at == operators.size()) return links;
  const auto add = [&](size_t op, const Magnitude& value) {
    links.push_back({operators[op].dump.op_type, operators[op].op_name, value});
  };
  const auto by_order = [](const Magnitude& value) { return value.input() ? -1.0 : order_of(value.most); };
  add(at, *std::ranges::max_element(operators[at].tensors, {}, by_order));
  for (;;) {
    const Writer* next = nullptr;
    for (const Magnitude& input : operators[at].tensors) {
      const Writer* writer = input.input() ? find_writer(writers, operators, at, input) : nullptr;
      if (writer && (!next || order_of(input.most) > order_of(operators[next->op].tensors[next->tensor].most)))
        next = writer;
    }
    if (!next) break;
    add(next->op, operators[next->op].tensors[next->tensor]);
    at = next->op;
  }
  std::ranges::reverse(links);
  return links;
}

}  // namespace

std::vector<ChainLink> chain_to(const Overflow& overflow, const std::vector<OperatorMagnitudes>& operators) {
  if (const auto text = read_text(chain_file(overflow), largest_file); text.ok()) return read_chain(*text);
  if (!overflow.op) return {};
  auto links = chain_by_addresses(*overflow.op, operators);
  return links.size() > 1 ? links : std::vector<ChainLink>{};
}

}  // namespace belay::inspect
