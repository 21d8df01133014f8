// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_WEIGHT_QUANT_MATMUL_ALL_REDUCE_ADD_RMS_NORM_H_
#define ACLNNOP_ACLNN_WEIGHT_QUANT_MATMUL_ALL_REDUCE_ADD_RMS_NORM_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnWeightQuantMatmulAllReduceAddRmsNorm(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnWeightQuantMatmulAllReduceAddRmsNormGetWorkspaceSize(const aclTensor* x1,
    const aclTensor* x2, const aclTensor* bias, const aclTensor* antiquantScale, const aclTensor* antiquantOffset,
    const aclTensor* residual, const aclTensor* gamma, double epsilon, const char* group, const char* reduceOp,
    int64_t commTurn, int64_t streamMode, int64_t antiquantGroupSize, const aclTensor* y, const aclTensor* normOut,
    uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_WEIGHT_QUANT_MATMUL_ALL_REDUCE_ADD_RMS_NORM_H_
