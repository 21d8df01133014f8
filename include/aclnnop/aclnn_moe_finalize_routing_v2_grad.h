// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_V2_GRAD_H_
#define ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_V2_GRAD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeFinalizeRoutingV2Grad(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeFinalizeRoutingV2GradGetWorkspaceSize(const aclTensor* gradY,
    const aclTensor* expandedRowIdx, const aclTensor* expandedXOptional, const aclTensor* scalesOptional,
    const aclTensor* expertIdxOptional, const aclTensor* biasOptional, int64_t dropPadMode, int64_t activeNum,
    int64_t expertNum, int64_t expertCapacity, const aclTensor* gradExpandedXOut, const aclTensor* gradScalesOut,
    uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_V2_GRAD_H_
