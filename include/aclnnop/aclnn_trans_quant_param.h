// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_TRANS_QUANT_PARAM_H_
#define ACLNNOP_ACLNN_TRANS_QUANT_PARAM_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnTransQuantParam(const float* scaleArray, uint64_t scaleSize,
    const float* offsetArray, uint64_t offsetSize, uint64_t** quantParam, uint64_t* quantParamSize);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_TRANS_QUANT_PARAM_H_
