// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_ADA_LAYER_NORM_QUANT_H_
#define ACLNNOP_ACLNN_ADA_LAYER_NORM_QUANT_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaLayerNormQuant(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaLayerNormQuantGetWorkspaceSize(const aclTensor* x, const aclTensor* scale,
    const aclTensor* shift, const aclTensor* weightOptional, const aclTensor* biasOptional,
    const aclTensor* smoothScalesOptional, double epsilon, const char* quantMode, aclTensor* out,
    aclTensor* quantScale, aclTensor* quantOffsetOptional, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ADA_LAYER_NORM_QUANT_H_
