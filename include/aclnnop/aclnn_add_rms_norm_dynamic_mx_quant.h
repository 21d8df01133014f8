// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_ADD_RMS_NORM_DYNAMIC_MX_QUANT_H_
#define ACLNNOP_ACLNN_ADD_RMS_NORM_DYNAMIC_MX_QUANT_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnAddRmsNormDynamicMxQuant(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddRmsNormDynamicMxQuantGetWorkspaceSize(const aclTensor* x1,
    const aclTensor* x2, const aclTensor* gamma, const aclTensor* beta, double epsilon, int64_t scaleAlg,
    char* roundMode, int64_t dstType, bool outputRstd, aclTensor* yOut, aclTensor* xOut, aclTensor* mxscaleOut,
    aclTensor* rstdOut, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ADD_RMS_NORM_DYNAMIC_MX_QUANT_H_
