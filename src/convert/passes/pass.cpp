// SPDX-License-Identifier: Apache-2.0
#include "convert/passes/pass.h"

namespace belay::convert {
namespace {

constexpr Pass before_types[] = {
    {"RemoveSameIdentityPass", false, remove_copies},
    {"GeluFusionPass", false, recognize_gelu},
    {"LayerNormONNXFusionPass", false, recognize_layer_norm},
    {"SoftmaxFusionPass", false, recognize_softmax},
    {"SwishFusionPass", false, recognize_gated},
    {"ShuffleChannelFusionPass", false, recognize_channel_shuffle},
    {"ConvBatchnormFusionPass", false, fold_batch_norm},
    {"AABiasaddConvFusion", false, fold_conv_bias},
    {"MatMulBiasAddFusionPass", false, fold_matmul_bias},
};

constexpr Pass after_types[] = {
    {"TbeConvCommonRules2FusionPass", true, fuse_conv},
    {"BatchMatmulFusionPass", true, fuse_matmul},
};

}  // namespace

std::span<const Pass> graph_passes() { return before_types; }
std::span<const Pass> ub_passes() { return after_types; }

}  // namespace belay::convert
