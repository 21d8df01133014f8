// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backend/kernel.h"

// The rows of the operators in cpu/special, each defined in its file.
namespace belay::backend::cpu {

std::span<const KernelRow> einsum_rows();
std::span<const KernelRow> branch_refused_rows();
std::span<const KernelRow> determinant_rows();
std::span<const KernelRow> tf_idf_rows();
std::span<const KernelRow> aipp_rows();
std::span<const KernelRow> random_rows();
std::span<const KernelRow> rotary_rows();
std::span<const KernelRow> deform_rows();
std::span<const KernelRow> full_connection_rows();

}  // namespace belay::backend::cpu
