// SPDX-License-Identifier: Apache-2.0
// Convolutions and matrix products run together with what follows them: the sum with another tensor, the activation.
#include <algorithm>

#include "convert/passes/pass.h"
#include "convert/passes/ub_group.h"

namespace belay::convert {
namespace {

bool is_fused(const graph::Node& node) { return node.attributes.contains("_is_compiled_fusion_op"); }

PassEffect fuse_after(GraphEditor& editor, std::initializer_list<std::string_view> types, std::string_view pass,
                      int first_scope) {
  PassEffect effect;
  const int count = editor.count();
  for (int i = 0; i < count; ++i) {
    if (editor.removed(i) || is_fused(editor.node(i))) continue;
    if (std::find(types.begin(), types.end(), editor.node(i).type) == types.end()) continue;
    std::vector<int> members = {i};
    if (const int sum = following_sum(editor, members.back()); sum >= 0) members.push_back(sum);
    if (const int activation = following_activation(editor, members.back()); activation >= 0)
      members.push_back(activation);
    if (members.size() == 1) continue;
    ++effect.matched;
    fuse_group(editor, members, pass, first_scope + effect.effective++);
  }
  return effect;
}

}  // namespace

PassEffect fuse_conv(GraphEditor& editor) {
  return fuse_after(editor, {"Conv2D", "Conv3D"}, "TbeConvCommonRules2FusionPass", 1);
}

PassEffect fuse_matmul(GraphEditor& editor) {
  constexpr int scopes_of_convolutions = 100000;
  return fuse_after(editor, {"MatMulV2", "BatchMatMulV2"}, "BatchMatmulFusionPass", 1 + scopes_of_convolutions);
}

}  // namespace belay::convert
