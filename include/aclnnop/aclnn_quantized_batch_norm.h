// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_QUANTIZED_BATCH_NORM_H_
#define ACLNNOP_ACLNN_QUANTIZED_BATCH_NORM_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnQuantizedBatchNorm(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnQuantizedBatchNormGetWorkspaceSize(const aclTensor* input, const aclTensor* mean,
    const aclTensor* var, const aclScalar* inputScale, const aclScalar* inputZeroPoint, const aclScalar* outputScale,
    const aclScalar* outputZeroPoint, aclTensor* weight, aclTensor* bias, float epsilon, aclTensor* output,
    uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_QUANTIZED_BATCH_NORM_H_
