// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_MATMUL_EMU_SPLIT_WEIGHT_H_
#define ACLNNOP_ACLNN_MATMUL_EMU_SPLIT_WEIGHT_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnMatmulEmuSplitWeight(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMatmulEmuSplitWeightGetWorkspaceSize(const aclTensor* x, const aclTensor* wHigh,
    const aclTensor* wLow, const aclTensor* y, float wLowScale, int8_t yDtype, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MATMUL_EMU_SPLIT_WEIGHT_H_
