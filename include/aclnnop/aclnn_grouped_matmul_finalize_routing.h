// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_GROUPED_MATMUL_FINALIZE_ROUTING_H_
#define ACLNNOP_ACLNN_GROUPED_MATMUL_FINALIZE_ROUTING_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupedMatmulFinalizeRouting(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupedMatmulFinalizeRoutingGetWorkspaceSize(const aclTensor* x, aclTensor* w,
    const aclTensor* scaleOptional, const aclTensor* biasOptional, const aclTensor* pertokenScaleOptional,
    const aclTensor* groupListOptional, const aclTensor* sharedInputOptional, const aclTensor* logitOptional,
    const aclTensor* rowIndexOptional, int64_t dtype, float sharedInputWeight, int64_t sharedInputOffset,
    bool transposeX, bool transposeW, int64_t groupListType, aclTensor* y, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GROUPED_MATMUL_FINALIZE_ROUTING_H_
