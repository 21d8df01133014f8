// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convert/convert.h"
#include "convert/passes/graph_editor.h"

namespace belay::convert {

struct PassEffect {
  int matched = 0, effective = 0;
};

// A rewriting of a graph that keeps its meaning. `name` is what fusion_result.json and --fusion_switch_file call it.
struct Pass {
  std::string_view name;
  bool ub;  // forms fused nodes, which run as one kernel
  PassEffect (*run)(GraphEditor& editor);
};

// In the order in which they run: graph passes, then UB passes.
std::span<const Pass> graph_passes();
std::span<const Pass> ub_passes();

PassEffect remove_copies(GraphEditor& editor);
PassEffect fold_batch_norm(GraphEditor& editor);
PassEffect fold_conv_bias(GraphEditor& editor);
PassEffect fold_matmul_bias(GraphEditor& editor);
PassEffect recognize_gelu(GraphEditor& editor);
PassEffect recognize_layer_norm(GraphEditor& editor);
PassEffect recognize_softmax(GraphEditor& editor);
PassEffect recognize_channel_shuffle(GraphEditor& editor);
PassEffect recognize_gated(GraphEditor& editor);  // x * f(x): HardSwish, Swish, Mish
PassEffect fuse_conv(GraphEditor& editor);
PassEffect fuse_matmul(GraphEditor& editor);

}  // namespace belay::convert
