// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

// Stands for a branch that the converter could not make, because the shapes in it do not fit.
MadeKernel make_branch_refused(const KernelRequest& request) {
  return function_kernel([why = graph::text_of(request.node, "message", "")](Inputs, Outputs) -> Status {
    return {ACL_ERROR_GE_FAILURE,
            "the branch that was taken does not fit the shapes that the model was converted for: " + why};
  });
}

constexpr KernelRow rows[] = {{"BranchRefused", "reference", make_branch_refused}};

}  // namespace

std::span<const KernelRow> branch_refused_rows() { return rows; }

}  // namespace belay::backend::cpu
