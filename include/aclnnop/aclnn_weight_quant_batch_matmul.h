// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_H_
#define ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnWeightQuantBatchMatmul(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnWeightQuantBatchMatmulGetWorkspaceSize(const aclTensor* x1, const aclTensor* x2,
    const aclTensor* diagonalMatrix, const aclTensor* deqOffset, const aclTensor* deqScale,
    const aclTensor* addOffset, const aclTensor* mulScale, const aclTensor* bias, bool transposeX1, bool transposeX2,
    float antiquantScale, float antiquantOffset, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_H_
