// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_TRANSPOSE_QUANT_BATCH_MAT_MUL_H_
#define ACLNNOP_ACLNN_TRANSPOSE_QUANT_BATCH_MAT_MUL_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnTransposeQuantBatchMatMul(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTransposeQuantBatchMatMulGetWorkspaceSize(const aclTensor* x1,
    const aclTensor* x2, const aclTensor* bias, const aclTensor* x1Scale, const aclTensor* x2Scale, int32_t dtype,
    int64_t groupSize, const aclIntArray* permX1, const aclIntArray* permX2, const aclIntArray* permY,
    int32_t batchSplitFactor, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTransposeQuantBatchMatMulWeightNz(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTransposeQuantBatchMatMulWeightNzGetWorkspaceSize(const aclTensor* x1,
    const aclTensor* x2, const aclTensor* bias, const aclTensor* x1Scale, const aclTensor* x2Scale, int32_t dtype,
    int64_t groupSize, const aclIntArray* permX1, const aclIntArray* permX2, const aclIntArray* permY,
    int32_t batchSplitFactor, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_TRANSPOSE_QUANT_BATCH_MAT_MUL_H_
