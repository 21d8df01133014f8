// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_FUSED_MUL_ADD_N_H_
#define ACLNNOP_ACLNN_FUSED_MUL_ADD_N_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedMulAddN(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedMulAddNGetWorkspaceSize(const aclTensor* x1, const aclTensor* x2,
    const aclTensor* x3, aclTensor* y, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FUSED_MUL_ADD_N_H_
