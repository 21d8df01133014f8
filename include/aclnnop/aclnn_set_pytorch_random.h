// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_SET_PYTORCH_RANDOM_H_
#define ACLNNOP_ACLNN_SET_PYTORCH_RANDOM_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnSetPytorchRandom(int32_t pytorchRandom);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SET_PYTORCH_RANDOM_H_
