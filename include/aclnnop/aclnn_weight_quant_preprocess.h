// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_WEIGHT_QUANT_PREPROCESS_H_
#define ACLNNOP_ACLNN_WEIGHT_QUANT_PREPROCESS_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnWeightQuantPreprocess(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnWeightQuantPreprocessGetWorkspaceSize(const aclTensor* weight,
    const aclTensor* weightScale, const aclTensor* weightOffsetOptional, const aclTensor* biasOptional,
    const aclDataType xDtype, const aclDataType xScaleDtype, const int64_t kGroupSize, aclTensor* outWeight,
    aclTensor* outWeightScale, aclTensor* outWeightOffsetOptional, aclTensor* outBiasOptional,
    uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_WEIGHT_QUANT_PREPROCESS_H_
