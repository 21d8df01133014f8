// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/rows.h"

#include <set>

#include "backend/cpu/widened.h"

namespace belay::backend {

namespace {

using Family = std::span<const KernelRow> (*)();

// In order of preference: of the rows of one operator the first that accepts is taken. Vector code stands before the
// reference. Where two families of it know the same operator, the narrower one stands first: convolutions of each
// channel by itself and Winograd's before the panels, which take any. All else knows operators of its own, and its
// place does not matter.
// clang-format off
constexpr Family fast_families[] = {
    cpu::simd_map_rows,
    cpu::simd_combine_rows,
    cpu::simd_channelwise_rows,
    cpu::simd_cast_rows,
    cpu::simd_softmax_rows,
    cpu::simd_norm_rows,
    cpu::simd_sum_norm_rows,
    cpu::simd_batch_norm_rows,
    cpu::simd_reduce_rows,
    cpu::simd_rotary_rows,
    cpu::simd_pooling_rows,
    cpu::simd_global_pool_rows,
    cpu::depthwise_rows,
    cpu::transposed_rows,
    cpu::winograd_rows,
    cpu::panel_convolution_rows,
    cpu::panel_matmul_rows,
    cpu::panel_recurrent_rows,
    cpu::gemm_rows,
    cpu::integer_matmul_rows,
    cpu::integer_convolution_rows,
};
// The reference: first those that compute much with each number that they read.
constexpr Family busy_families[] = {
    cpu::resize_rows,
    cpu::grid_sample_rows,
    cpu::roi_rows,
    cpu::unary_rows,
    cpu::activation_rows,
    cpu::accumulate_rows,
    cpu::reduce_rows,
    cpu::arg_rows,
    cpu::cumulate_rows,
    cpu::batch_norm_rows,
    cpu::norm_rows,
    cpu::scale_norm_rows,
};
constexpr Family other_families[] = {
    cpu::gather_rows,
    cpu::map_index_rows,
    cpu::scatter_rows,
    cpu::join_rows,
    cpu::slice_rows,
    cpu::pad_rows,
    cpu::rearrange_rows,
    cpu::order_rows,
    cpu::choose_rows,
    cpu::diagonal_rows,
    cpu::suppress_rows,
    cpu::recurrent_rows,
    cpu::quantize_rows,
    cpu::quant_matmul_rows,
    cpu::binary_rows,
    cpu::compare_rows,
    cpu::ternary_rows,
    cpu::channelwise_rows,
    cpu::cast_rows,
    cpu::convolution_rows,
    cpu::pooling_rows,
    cpu::matmul_rows,
    cpu::softmax_rows,
    cpu::view_rows,
    cpu::transpose_rows,
    cpu::fill_rows,
    cpu::einsum_rows,
    cpu::branch_refused_rows,
    cpu::determinant_rows,
    cpu::tf_idf_rows,
    cpu::aipp_rows,
    cpu::random_rows,
    cpu::rotary_rows,
    cpu::deform_rows,
    cpu::full_connection_rows,
    cpu::collective_rows,
    cpu::attention_rows,
    cpu::aclnn_product_rows,
    cpu::aclnn_grouped_rows,
    cpu::moe_gating_rows,
    cpu::moe_routing_rows,
    cpu::moe_combine_rows,
    cpu::cache_rows,
    cpu::masked_pool_rows,
    cpu::scan_rows,
    cpu::class_loss_rows,
    cpu::attention_update_rows,
    cpu::list_rows,
    cpu::open_result_rows,
    cpu::masked_index_rows,
    cpu::counting_rows,
    cpu::serving_rows,
    cpu::columns_rows,
    cpu::linear_rows,
    cpu::token_rows,
    cpu::draw_rows,
    cpu::aclnn_rotary_rows,
    cpu::aclnn_gate_rows,
    cpu::aclnn_quant_rows,
    cpu::aclnn_norm_rows,
};
// clang-format on

// Operators that halves may not take the way through floats: an integer cast to a float would be rounded twice, what
// GEMM makes of halves once only, and AddRmsNorm norms the sum as halves hold it.
bool may_widen(std::string_view op) { return op != "Cast" && op != "CastLike" && op != "GEMM" && op != "AddRmsNorm"; }

// Behind its fast rows each operator has one that gives them halves as floats; some have one for the reference, too.
void add_widened(std::vector<KernelRow>& rows) {
  std::set<std::pair<std::string_view, std::string_view>> known;
  for (const KernelRow& row : std::vector(rows)) {
    const std::string_view how = row.how.starts_with("fused") ? "fused widened" : "widened";
    if (may_widen(row.op) && known.emplace(row.op, how).second) rows.push_back({row.op, how, cpu::make_widened});
  }
  for (const Family family : busy_families)
    for (const KernelRow& row : family())
      if (may_widen(row.op)) rows.push_back({row.op, "widened", cpu::make_widened_reference});
}

}  // namespace

std::span<const KernelRow> kernel_rows() {
  static const auto* rows = [] {
    auto* all = new std::vector<KernelRow>;
    const auto add = [&](std::span<const Family> families) {
      for (const Family family : families)
        for (const KernelRow& row : family()) all->push_back(row);
    };
    add(fast_families);
    add_widened(*all);
    add(busy_families);
    add(other_families);
    return all;
  }();
  return *rows;
}

}  // namespace belay::backend
