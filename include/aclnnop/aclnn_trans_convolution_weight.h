// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_TRANS_CONVOLUTION_WEIGHT_H_
#define ACLNNOP_ACLNN_TRANS_CONVOLUTION_WEIGHT_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnCalculateConvolutionWeightSize(const aclIntArray* tensorShape, bool transposed,
    int64_t groups, aclDataType dataType, uint64_t* weightTensorSize);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTransConvolutionWeight(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTransConvolutionWeightGetWorkspaceSize(const aclTensor* weightIn,
    bool transposed, const int64_t groups, aclTensor* weightOut, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_TRANS_CONVOLUTION_WEIGHT_H_
