// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_RMS_NORM_QUANT_V3_H_
#define ACLNNOP_ACLNN_RMS_NORM_QUANT_V3_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnRmsNormQuantV3(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRmsNormQuantV3GetWorkspaceSize(const aclTensor* x, const aclTensor* gamma,
    const aclTensor* scale, const aclTensor* offset, const aclTensor* beta, double epsilon, bool divMode,
    bool outputRstd, aclTensor* y, aclTensor* rstd, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_RMS_NORM_QUANT_V3_H_
