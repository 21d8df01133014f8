// SPDX-License-Identifier: Apache-2.0
#include "convert/map/mapping.h"

#include <map>
#include <string>
#include <vector>

#include "base/text.h"

namespace belay::convert {
namespace {

using FamilyRows = std::span<const MapRow> (*)();

// One line per family.
constexpr FamilyRows families[] = {
    map_rows_elementwise, map_rows_activation, map_rows_shape,     map_rows_move,     map_rows_reduce,
    map_rows_conv,        map_rows_pool,       map_rows_norm,      map_rows_matmul,   map_rows_recurrent,
    map_rows_vision,      map_rows_quant,      map_rows_loss,      map_rows_signal,   map_rows_random,
    map_rows_control,     map_rows_loop,       map_rows_attention, map_rows_sequence, map_rows_collective,
};

using Key = std::pair<std::string_view, std::string_view>;  // domain, operator

const std::map<Key, std::vector<const MapRow*>>& rows_by_operator() {
  static const auto& index = *[] {
    auto* rows = new std::map<Key, std::vector<const MapRow*>>;
    for (const FamilyRows family : families)
      for (const MapRow& row : family()) (*rows)[{row.domain, row.op}].push_back(&row);
    return rows;
  }();
  return index;
}

}  // namespace

const MapRow* find_mapping(std::string_view domain, std::string_view op, int64_t opset) {
  const auto found = rows_by_operator().find({domain, op});
  if (found == rows_by_operator().end()) return nullptr;
  for (const MapRow* row : found->second)
    if (row->first <= opset && opset <= row->last) return row;
  return nullptr;
}

std::string why_unmapped(std::string_view domain, std::string_view op, int64_t opset) {
  const auto found = rows_by_operator().find({domain, op});
  if (found == rows_by_operator().end()) return "no GE operator is known for it";
  std::string ranges;
  for (const MapRow* row : found->second)
    ranges += formatted("{}{} to {}", ranges.empty() ? "" : ", ", row->first,
                        row->last == latest ? "the latest" : std::to_string(row->last));
  return formatted("it is known at opsets {}, not at {}", ranges, opset);
}

}  // namespace belay::convert
