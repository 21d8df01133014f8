// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_FUSED_QUANT_MATMUL_WEIGHT_NZ_H_
#define ACLNNOP_ACLNN_FUSED_QUANT_MATMUL_WEIGHT_NZ_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedQuantMatmulWeightNz(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedQuantMatmulWeightNzGetWorkspaceSize(const aclTensor* x1,
    const aclTensor* x2, const aclTensor* x1Scale, const aclTensor* x2Scale, const aclTensor* yScaleOptional,
    const aclTensor* x1OffsetOptional, const aclTensor* x2OffsetOptional, const aclTensor* yOffsetOptional,
    const aclTensor* biasOptional, const aclTensor* x3Optional, const char* fusedOpType, int64_t groupSizeOptional,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FUSED_QUANT_MATMUL_WEIGHT_NZ_H_
