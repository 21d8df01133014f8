// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_SPARSE4TO2QUANT_MATMUL_WEIGHT_NZ_H_
#define ACLNNOP_ACLNN_SPARSE4TO2QUANT_MATMUL_WEIGHT_NZ_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnSparse4to2QuantMatmulWeightNz(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSparse4to2QuantMatmulWeightNzGetWorkspaceSize(const aclTensor* x,
    const aclTensor* sparseWeight, const aclTensor* index, const aclTensor* xScale,
    const aclTensor* sparseWeightScale, const aclTensor* biasOptional, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTransSparse4to2Para(const int8_t* weight, aclIntArray* shape,
    int8_t** sparseWeight, int64_t** sparseWeightDims, uint64_t* sparseWeightDimsNum, uint8_t** index,
    int64_t** indexDims, uint64_t* indexDimsNum);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SPARSE4TO2QUANT_MATMUL_WEIGHT_NZ_H_
