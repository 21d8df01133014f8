// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backend/kernel.h"

// The rows that are tried before the reference rows; each family is one file, named here. Only rows.cpp lists them.
namespace belay::backend::cpu {

// Of the files in cpu/simd.
std::span<const KernelRow> simd_map_rows();
std::span<const KernelRow> simd_combine_rows();
std::span<const KernelRow> simd_channelwise_rows();
std::span<const KernelRow> simd_cast_rows();
std::span<const KernelRow> simd_softmax_rows();
std::span<const KernelRow> simd_norm_rows();
std::span<const KernelRow> simd_sum_norm_rows();
std::span<const KernelRow> simd_batch_norm_rows();
std::span<const KernelRow> simd_reduce_rows();
std::span<const KernelRow> simd_rotary_rows();

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

}  // namespace belay::backend::cpu
