// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_GELU_QUANT_H_
#define ACLNNOP_ACLNN_GELU_QUANT_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnGeluQuant(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeluQuantGetWorkspaceSize(const aclTensor* self,
    const aclTensor* inputScaleOptional, const aclTensor* inputOffsetOptional, const char* approximate,
    const char* quantMode, const char* roundMode, int64_t dstType, const aclTensor* y,
    const aclTensor* outScaleOptional, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GELU_QUANT_H_
