// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_V2_H_
#define ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_V2_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeFinalizeRoutingV2(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeFinalizeRoutingV2GetWorkspaceSize(const aclTensor* expandedX,
    const aclTensor* expandedRowIdx, const aclTensor* x1Optional, const aclTensor* x2Optional,
    const aclTensor* biasOptional, const aclTensor* scalesOptional, const aclTensor* expertIdxOptional,
    int64_t dropPadMode, const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_V2_H_
