// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_GROUP_NORM_SILU_QUANT_H_
#define ACLNNOP_ACLNN_GROUP_NORM_SILU_QUANT_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupNormSiluQuant(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupNormSiluQuantGetWorkspaceSize(const aclTensor* self, const aclTensor* gamma,
    const aclTensor* beta, const aclTensor* quantScale, int64_t group, double eps, bool activateSilu, aclTensor* out,
    aclTensor* meanOut, aclTensor* rstdOut, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GROUP_NORM_SILU_QUANT_H_
