// SPDX-License-Identifier: Apache-2.0
#include "graph/ge_ir/origin_form.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "graph/ge_ir/fields.h"
#include "graph/tensor/private_format.h"

namespace belay::graph {
namespace {

void own(Constant& constant, std::vector<std::byte> bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  constant.bytes = *owner;
  constant.owner = std::move(owner);
}

size_t alignment_of(DataType type) {
  const size_t bytes = bits_of(type) / 8;
  return std::has_single_bit(bytes) ? std::min<size_t>(bytes, 8) : 1;
}

bool is_aligned(const Constant& constant) {
  return reinterpret_cast<uintptr_t>(constant.bytes.data()) % alignment_of(constant.type) == 0;
}

bool has_room(const Constant& constant) {
  const size_t bits = bits_of(constant.type);
  const int64_t count = element_count(constant.shape);
  if (bits == 0 || count < 0) return true;
  return static_cast<unsigned __int128>(count) * bits <= static_cast<unsigned __int128>(constant.bytes.size()) * 8;
}

// Bits 8 to 23 of the full format: the groups of FRACTAL_Z.
int64_t groups_of(const TensorDesc& desc) {
  return std::max<int64_t>(1, (get_or<int64_t>(desc.attributes, ge_ir::kFormatInt, 0) >> 8) & 0xFFFF);
}

constexpr std::string_view kDeviceNodes[] = {
    "Send",     "Recv",      "StreamActive", "AtomicAddrClean", "MemSet",
    "LabelSet", "LabelGoto", "LabelGotoEx",  "LabelSwitch",     "LabelSwitchByIndex",
};

}  // namespace

Status settle_constant(const TensorDesc& desc, Constant& constant) {
  if (constant.bytes.empty()) return {};  // a description without a value
  if (!has_room(constant))
    return {ACL_ERROR_GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED,
            formatted("a constant {} {} has only {} bytes", name_of(constant.type), to_text(constant.shape),
                      constant.bytes.size())};
  if (is_private(constant.format) && !is_private(desc.origin_format)) {
    auto converted = convert_form(constant.type, constant.bytes, {constant.format, constant.shape, groups_of(desc)},
                                  {desc.origin_format, desc.origin_shape});
    if (!converted.ok())
      return {ACL_ERROR_GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED, "a constant: " + converted.status().message};
    constant.shape = desc.origin_shape;
    constant.format = desc.origin_format;
    own(constant, std::move(converted).value());
  } else if (!is_aligned(constant)) {
    own(constant, {constant.bytes.begin(), constant.bytes.end()});
  }
  return {};
}

void remove_device_nodes(Graph& graph) {
  std::vector<bool> keep(graph.nodes.size(), true);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    keep[i] = std::ranges::find(kDeviceNodes, graph.nodes[i].type) == std::end(kDeviceNodes);
  for (const Node& node : graph.nodes)
    for (const Edge& edge : node.inputs)
      if (edge.connected()) keep[edge.node] = true;  // somebody reads it
  if (std::ranges::find(keep, false) != keep.end()) graph.remove_nodes(keep);
}

}  // namespace belay::graph
