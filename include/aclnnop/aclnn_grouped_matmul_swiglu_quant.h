// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_GROUPED_MATMUL_SWIGLU_QUANT_H_
#define ACLNNOP_ACLNN_GROUPED_MATMUL_SWIGLU_QUANT_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupedMatmulSwigluQuant(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupedMatmulSwigluQuantGetWorkspaceSize(const aclTensor* x,
    const aclTensor* weight, const aclTensor* bias, const aclTensor* offset, const aclTensor* weightScale,
    const aclTensor* xScale, const aclTensor* groupList, aclTensor* output, aclTensor* outputScale,
    aclTensor* outputOffset, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GROUPED_MATMUL_SWIGLU_QUANT_H_
