// SPDX-License-Identifier: Apache-2.0
// Operators that work together with other ranks: ONNX has none, so they are those of GE, by their own names, in the
// domain "hccl".
#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/onnx/types.h"

namespace belay::convert {
namespace {

constexpr std::string_view kDomain = "hccl", kWorld = "hccl_world_group";

Status require(const NodeContext& c, std::string_view attribute) {
  return c.given(attribute) ? Status{} : c.fail(formatted("the attribute {} is missing", attribute));
}

// The attributes that several of them have.
graph::Attributes common(const NodeContext& c) {
  graph::Attributes made{{"group", c.text("group", std::string(kWorld))}};
  for (const char* number : {"fusion", "fusion_id", "rank_size", "root_rank", "rank"})
    if (c.given(number)) made[number] = c.integer(number, 0);
  return made;
}

Status even(NodeContext& c) {
  c.give_all(c.add(c.ge, c.inputs(), common(c), c.output_count()));
  return {};
}

Status sized(NodeContext& c) {
  TRY(require(c, "rank_size"));
  return even(c);
}

Status rooted(NodeContext& c) {
  TRY(require(c, "root_rank"));
  return even(c);
}

Status of_rank(NodeContext& c) {
  TRY(require(c, "rank"));
  return even(c);
}

Status reduced(NodeContext& c) {
  graph::Attributes attributes = common(c);
  const std::string reduction = c.text("reduction", "sum");
  if (reduction != "sum" && reduction != "prod" && reduction != "max" && reduction != "min")
    return c.fail(formatted("reduction is \"{}\"; it must be sum, prod, max or min", reduction));
  attributes["reduction"] = reduction;
  c.give_all(c.add(c.ge, c.inputs(), std::move(attributes), c.output_count()));
  return {};
}

Status reduced_to_parts(NodeContext& c) {
  TRY(require(c, "rank_size"));
  return reduced(c);
}

Status reduced_to_root(NodeContext& c) {
  TRY(require(c, "root_rank"));
  return reduced(c);
}

Status send(NodeContext& c) {
  TRY(require(c, "dest_rank"));
  c.add(c.ge, c.inputs(),
        {{"group", c.text("group", std::string(kWorld))},
         {"sr_tag", c.integer("sr_tag", 0)},
         {"dest_rank", c.integer("dest_rank", 0)}},
        0);
  return {};
}

// The type by its ONNX number.
Status receive(NodeContext& c) {
  for (const char* needed : {"src_rank", "shape", "dtype"}) TRY(require(c, needed));
  const DataType type = onnx::data_type(c.integer("dtype", 0));
  if (type == DataType::Undefined) return c.fail(formatted("dtype {} is no type of ONNX", c.integer("dtype", 0)));
  c.give(0, c.add(c.ge, {},
                  {{"group", c.text("group", std::string(kWorld))},
                   {"sr_tag", c.integer("sr_tag", 0)},
                   {"src_rank", c.integer("src_rank", 0)},
                   {"shape", c.integers("shape")},
                   {"dtype", type}}));
  return {};
}

constexpr MapRow rows[] = {
    {"HcomAllGather", 1, latest, "HcomAllGather", sized, kDomain},
    {"HcomAllGatherV", 1, latest, "HcomAllGatherV", even, kDomain},
    {"HcomAllReduce", 1, latest, "HcomAllReduce", reduced, kDomain},
    {"HcomAllToAll", 1, latest, "HcomAllToAll", sized, kDomain},
    {"HcomAllToAllV", 1, latest, "HcomAllToAllV", even, kDomain},
    {"HcomAllToAllVC", 1, latest, "HcomAllToAllVC", of_rank, kDomain},
    {"HcomBroadcast", 1, latest, "HcomBroadcast", rooted, kDomain},
    {"HcomReceive", 1, latest, "HcomReceive", receive, kDomain},
    {"HcomReduce", 1, latest, "HcomReduce", reduced_to_root, kDomain},
    {"HcomReduceScatter", 1, latest, "HcomReduceScatter", reduced_to_parts, kDomain},
    {"HcomReduceScatterV", 1, latest, "HcomReduceScatterV", reduced, kDomain},
    {"HcomSend", 1, latest, "HcomSend", send, kDomain},
};

}  // namespace

std::span<const MapRow> map_rows_collective() { return rows; }

}  // namespace belay::convert
