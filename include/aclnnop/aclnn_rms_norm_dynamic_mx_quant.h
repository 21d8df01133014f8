// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_RMS_NORM_DYNAMIC_MX_QUANT_H_
#define ACLNNOP_ACLNN_RMS_NORM_DYNAMIC_MX_QUANT_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnRmsNormDynamicMxQuant(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRmsNormDynamicMxQuantGetWorkspaceSize(const aclTensor* x, const aclTensor* gamma,
    const aclTensor* beta, double epsilon, int64_t scaleAlg, char* roundMode, int64_t dstType, bool outputRstd,
    aclTensor* yOut, aclTensor* mxscaleOut, aclTensor* rstdOut, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_RMS_NORM_DYNAMIC_MX_QUANT_H_
