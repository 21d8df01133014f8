// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_APPLY_FTRL_H_
#define ACLNNOP_ACLNN_APPLY_FTRL_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnApplyFtrl(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnApplyFtrlGetWorkspaceSize(aclTensor* varRef, aclTensor* accumRef,
    aclTensor* linearRef, const aclTensor* grad, const aclTensor* lr, const aclTensor* l1, const aclTensor* l2,
    const aclTensor* lrPower, bool useLocking, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_APPLY_FTRL_H_
