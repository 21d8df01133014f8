// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backend/kernel.h"

// The rows of each operator family, defined in the family's file; rows.cpp puts them in order.
namespace belay::backend::cpu {

// Tried first: vector code, for the types and shapes that it knows.

// Of the files in cpu/simd.
std::span<const KernelRow> simd_map_rows();
std::span<const KernelRow> simd_combine_rows();
std::span<const KernelRow> simd_channelwise_rows();
std::span<const KernelRow> simd_cast_rows();
std::span<const KernelRow> simd_softmax_rows();
std::span<const KernelRow> simd_norm_rows();
std::span<const KernelRow> simd_sum_norm_rows();
std::span<const KernelRow> simd_rotary_rows();
std::span<const KernelRow> simd_batch_norm_rows();
std::span<const KernelRow> simd_reduce_rows();

// Of the files in cpu/pool.
std::span<const KernelRow> simd_pooling_rows();
std::span<const KernelRow> simd_global_pool_rows();

// Of the files in cpu/depthwise, cpu/transposed, cpu/winograd and cpu/panels.
std::span<const KernelRow> depthwise_rows();
std::span<const KernelRow> transposed_rows();
std::span<const KernelRow> winograd_rows();
std::span<const KernelRow> panel_convolution_rows();
std::span<const KernelRow> panel_matmul_rows();
std::span<const KernelRow> panel_recurrent_rows();

// Of cpu/nn.
std::span<const KernelRow> gemm_rows();

// Of the files in cpu/quant: integers by way of floats.
std::span<const KernelRow> integer_matmul_rows();
std::span<const KernelRow> integer_convolution_rows();

// The reference: plain code for all types and shapes.

std::span<const KernelRow> unary_rows();
std::span<const KernelRow> activation_rows();
std::span<const KernelRow> binary_rows();
std::span<const KernelRow> compare_rows();
std::span<const KernelRow> ternary_rows();
std::span<const KernelRow> channelwise_rows();
std::span<const KernelRow> accumulate_rows();
std::span<const KernelRow> cast_rows();
std::span<const KernelRow> convolution_rows();
std::span<const KernelRow> pooling_rows();
std::span<const KernelRow> matmul_rows();
std::span<const KernelRow> softmax_rows();
std::span<const KernelRow> view_rows();
std::span<const KernelRow> transpose_rows();
std::span<const KernelRow> fill_rows();
std::span<const KernelRow> reduce_rows();
std::span<const KernelRow> arg_rows();
std::span<const KernelRow> cumulate_rows();
std::span<const KernelRow> batch_norm_rows();
std::span<const KernelRow> norm_rows();
std::span<const KernelRow> scale_norm_rows();

// Of the files in cpu/move.
std::span<const KernelRow> gather_rows();
std::span<const KernelRow> map_index_rows();
std::span<const KernelRow> scatter_rows();
std::span<const KernelRow> join_rows();
std::span<const KernelRow> slice_rows();
std::span<const KernelRow> pad_rows();
std::span<const KernelRow> rearrange_rows();
std::span<const KernelRow> order_rows();
std::span<const KernelRow> choose_rows();
std::span<const KernelRow> diagonal_rows();
// Of the files in cpu/resize and cpu/vision.
std::span<const KernelRow> resize_rows();
std::span<const KernelRow> grid_sample_rows();
std::span<const KernelRow> roi_rows();
std::span<const KernelRow> suppress_rows();
// Of the files in cpu/recurrent and cpu/quant.
std::span<const KernelRow> recurrent_rows();
std::span<const KernelRow> quantize_rows();
std::span<const KernelRow> quant_matmul_rows();

// Whole aclnn calls: of the files in cpu/attention, cpu/quant and cpu/experts.
std::span<const KernelRow> attention_rows();
std::span<const KernelRow> aclnn_product_rows();
std::span<const KernelRow> aclnn_grouped_rows();
std::span<const KernelRow> moe_gating_rows();
std::span<const KernelRow> moe_routing_rows();
std::span<const KernelRow> moe_combine_rows();
std::span<const KernelRow> cache_rows();
std::span<const KernelRow> masked_pool_rows();
std::span<const KernelRow> scan_rows();
std::span<const KernelRow> class_loss_rows();
std::span<const KernelRow> attention_update_rows();
std::span<const KernelRow> list_rows();
std::span<const KernelRow> open_result_rows();
std::span<const KernelRow> masked_index_rows();
std::span<const KernelRow> counting_rows();
std::span<const KernelRow> serving_rows();
std::span<const KernelRow> columns_rows();
std::span<const KernelRow> linear_rows();
std::span<const KernelRow> token_rows();
std::span<const KernelRow> draw_rows();
std::span<const KernelRow> aclnn_rotary_rows();
std::span<const KernelRow> aclnn_gate_rows();
std::span<const KernelRow> aclnn_quant_rows();
std::span<const KernelRow> aclnn_norm_rows();

// Of the files in cpu/special.
std::span<const KernelRow> einsum_rows();
std::span<const KernelRow> branch_refused_rows();
std::span<const KernelRow> determinant_rows();
std::span<const KernelRow> tf_idf_rows();
std::span<const KernelRow> aipp_rows();
std::span<const KernelRow> random_rows();
std::span<const KernelRow> rotary_rows();
std::span<const KernelRow> deform_rows();
std::span<const KernelRow> full_connection_rows();
std::span<const KernelRow> collective_rows();

}  // namespace belay::backend::cpu
