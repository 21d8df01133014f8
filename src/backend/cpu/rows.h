// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backend/kernel.h"

// The rows of each operator family, defined in the family's file. rows.cpp lists the families, the fast ones first.
namespace belay::backend::cpu {

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

}  // namespace belay::backend::cpu
