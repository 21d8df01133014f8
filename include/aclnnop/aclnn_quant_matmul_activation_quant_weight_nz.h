// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_QUANT_MATMUL_ACTIVATION_QUANT_WEIGHT_NZ_H_
#define ACLNNOP_ACLNN_QUANT_MATMUL_ACTIVATION_QUANT_WEIGHT_NZ_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnQuantMatmulActivationQuantWeightNz(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnQuantMatmulActivationQuantWeightNzGetWorkspaceSize(const aclTensor* x1,
    const aclTensor* x2, const aclTensor* x1ScaleOptional, const aclTensor* x2Scale, const aclTensor* biasOptional,
    bool transposeX1, bool transposeX2, int64_t groupSize, const char* activationType, const char* quantMode,
    const char* roundMode, int64_t scaleAlg, double dstTypeMax, aclTensor* yOut, aclTensor* yScaleOut,
    uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_QUANT_MATMUL_ACTIVATION_QUANT_WEIGHT_NZ_H_
