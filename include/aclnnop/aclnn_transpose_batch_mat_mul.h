// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_TRANSPOSE_BATCH_MAT_MUL_H_
#define ACLNNOP_ACLNN_TRANSPOSE_BATCH_MAT_MUL_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnTransposeBatchMatMul(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTransposeBatchMatMulGetWorkspaceSize(const aclTensor* x1, const aclTensor* x2,
    const aclTensor* bias, const aclTensor* scale, const aclIntArray* permX1, const aclIntArray* permX2,
    const aclIntArray* permY, int8_t cubeMathType, const int32_t batchSplitFactor, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTransposeBatchMatMulWeightNz(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTransposeBatchMatMulWeightNzGetWorkspaceSize(const aclTensor* x1,
    const aclTensor* x2, const aclTensor* bias, const aclTensor* scale, const aclIntArray* permX1,
    const aclIntArray* permX2, const aclIntArray* permY, int8_t cubeMathType, const int32_t batchSplitFactor,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_TRANSPOSE_BATCH_MAT_MUL_H_
