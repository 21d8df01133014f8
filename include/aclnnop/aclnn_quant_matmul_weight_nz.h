// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_QUANT_MATMUL_WEIGHT_NZ_H_
#define ACLNNOP_ACLNN_QUANT_MATMUL_WEIGHT_NZ_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnQuantMatmulWeightNz(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnQuantMatmulWeightNzGetWorkspaceSize(const aclTensor* x1, const aclTensor* x2,
    const aclTensor* x1Scale, const aclTensor* x2Scale, const aclTensor* yScale, const aclTensor* x1Offset,
    const aclTensor* x2Offset, const aclTensor* yOffset, const aclTensor* bias, bool transposeX1, bool transposeX2,
    int64_t groupSize, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_QUANT_MATMUL_WEIGHT_NZ_H_
