// SPDX-License-Identifier: Apache-2.0
// Convolutions of each channel by itself and what is fused to them, against the reference kernels.
#include "unit/executor/one_node_models.h"

namespace belay::executor {
namespace {

const ConvCase same_size[] = {
    {{1, 40, 7, 7}, {40, 1, 5, 5}, {1, 1}, {2, 2, 2, 2}, {1, 1}, 40},
    {{2, 3, 9, 8}, {3, 1, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 3},
    {{1, 150, 5, 15}, {150, 1, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 150},
    {{1, 17, 6, 6}, {34, 1, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 17},
};

const std::pair<std::string, Attributes> activations[] = {
    {"", {}},
    {"Relu", {}},
    {"Relu6", {}},
    {"LeakyRelu", {{"negative_slope", 0.1f}}},
    {"Swish", {{"scale", 1.5f}}},
    {"HardSwish", {}},
    {"HardSigmoid", {{"alpha", 0.2f}, {"beta", 0.4f}}},
};

TEST(FusedDepthwiseConvolution, AgreesWithItsMembersOneByOne) {
  for (const ConvCase& c : same_size)
    for (const auto& [activation, attributes] : activations)
      for (const bool sum : {false, true})
        for (const bool with_nan : {false, true}) {
          if (!sum && activation.empty()) continue;
          SCOPED_TRACE(graph::to_text(c.x) + (sum ? " sum " : " ") + activation);
          auto x = random_floats(c.x, 1);
          if (with_nan) x[x.size() / 2] = nan;
          const Case model = fused_model(c, sum, activation, attributes, x);
          expect_close(run(model, "fused depthwise", 2), run(model, "reference"), length_of(c));
        }
}

// The result takes over the memory of a tensor that nobody else needs.
TEST(FusedDepthwiseConvolution, MayOverwriteWhatItAdds) {
  for (const ConvCase& c : same_size) {
    SCOPED_TRACE(graph::to_text(c.x));
    const Case model = fused_model(c, true, "Relu", {}, random_floats(c.x, 1), true);
    expect_close(run(model, ""), run(model, "reference"), length_of(c));
  }
}

}  // namespace
}  // namespace belay::executor
