// SPDX-License-Identifier: Apache-2.0
// Symmetric windows. For C++ only.
#ifndef HCCL_HCCL_SYM_WIN_H_
#define HCCL_HCCL_SYM_WIN_H_

#include <stddef.h>

#include "acl/acl_base.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY HcclResult HcclSymWinGetPeerPointer(HcclCommSymWindow winHandle, size_t offset, uint32_t peerRank,
                                                        void** ptr);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_SYM_WIN_H_
