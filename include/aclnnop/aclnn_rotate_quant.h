// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_ROTATE_QUANT_H_
#define ACLNNOP_ACLNN_ROTATE_QUANT_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnRotateQuant(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRotateQuantGetWorkspaceSize(const aclTensor* x, const aclTensor* rotation,
    const aclTensor* alpha, int64_t axis, char* roundMode, int64_t scaleAlg, double dstTypeMax, bool trans,
    aclTensor* yOut, aclTensor* scaleOut, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ROTATE_QUANT_H_
