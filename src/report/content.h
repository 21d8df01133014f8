// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "inspect/describe.h"
#include "report/digest.h"
#include "report/groups.h"
#include "report/layout.h"
#include "report/network.h"
#include "report/question.h"

namespace belay::report {

using Json = nlohmann::ordered_json;

// What the page gets: JSON, and bytes that it refers to by where they begin. docs/report.md names the keys.
struct Content {
  Json json;
  std::string bytes;
};

// All that is asked for. Reads every tensor; throws what std::filesystem and Graphviz throw.
Content gather(const Question& question);

// A note of a page whose lines are a sequence (network.h).
constexpr const char* kOnlyOrder =
    "Nothing tells who reads what: the dashed lines are the order of execution. --model shows the graph, and so does a "
    "dump of inputs and outputs (\"dump_mode\":\"all\").";

// Its parts, for a page that is told of them one by one.
Json real_json(long double value);  // as text: infinities, NaN, and whole numbers that no double is
// As text for the page. Names come out of files that anybody made: all but the commands to replay are printable first.
std::string page_text(Json json);
Json summary_json(const Summary& summary);
Json operators_json(const Network& network);
Json links_json(const Network& network);
Json groups_json(const std::vector<Group>& groups, const std::vector<Level>& levels);
Json line_json(const inspect::TensorLine& line, size_t op, size_t step);  // a tensor of which only this is known
void blame_json(const blame::OperatorReport& op, Json& json);             // adds what was found out of an operator
Json digest_json(const Digest& digest, std::string& bytes);
// How the file holds the tensor: "NC1HWC0 [1,4,56,56,16]"; the format alone when the shape is the logical one.
std::string layout_text(const compare::SideTensor& tensor, const graph::Shape& logical);

}  // namespace belay::report
