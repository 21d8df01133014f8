// SPDX-License-Identifier: Apache-2.0
// Resources of a communicator. For C++ only.
#ifndef HCCL_HCCL_RES_H_
#define HCCL_HCCL_RES_H_

#include "acl/acl_rt.h"
#include "hccl/hccl_types.h"
#include "hccl/hcomm_res_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

const uint32_t HCCL_RES_TAG_MAX_LEN = 255;

// Uses of a dedicated thread: their numbers are not published.
typedef int32_t HcclDedicatedThreadType;

ACL_FUNC_VISIBILITY HcclResult HcclGetHcclBuffer(HcclComm comm, void** buffer, uint64_t* size);
ACL_FUNC_VISIBILITY HcclResult HcclGetHcclBufferCleared(HcclComm comm, void** buffer, uint64_t* size);
ACL_FUNC_VISIBILITY HcclResult HcclThreadAcquire(HcclComm comm, CommEngine engine, uint32_t threadNum,
                                                 uint32_t notifyNumPerThread, ThreadHandle* threads);
ACL_FUNC_VISIBILITY HcclResult HcclThreadAcquireWithConfig(HcclComm comm, CommEngine engine, uint32_t threadNum,
                                                           ThreadType type, const ThreadConfig* config,
                                                           ThreadHandle* threads);
ACL_FUNC_VISIBILITY HcclResult HcclThreadAcquireWithStream(HcclComm comm, CommEngine engine, aclrtStream stream,
                                                           uint32_t notifyNum, ThreadHandle* thread);
ACL_FUNC_VISIBILITY HcclResult HcclDedicatedThreadAcquire(HcclComm comm, HcclDedicatedThreadType useType,
                                                          uint32_t notifyNumPerThread, ThreadHandle* thread);
ACL_FUNC_VISIBILITY HcclResult HcclEngineCtxCreate(HcclComm comm, const char* ctxTag, CommEngine engine, uint64_t size,
                                                   void** ctx);
ACL_FUNC_VISIBILITY HcclResult HcclEngineCtxGet(HcclComm comm, const char* ctxTag, CommEngine engine, void** ctx,
                                                uint64_t* size);
ACL_FUNC_VISIBILITY HcclResult HcclEngineCtxCopy(HcclComm comm, CommEngine engine, const char* ctxTag,
                                                 const void* srcCtx, uint64_t size, uint64_t dstCtxOffset);
ACL_FUNC_VISIBILITY HcclResult HcclEngineCtxDestroy(HcclComm comm, const char* ctxTag, CommEngine engine);
ACL_FUNC_VISIBILITY HcclResult HcclCommMemReg(HcclComm comm, const char* memTag, const CommMem* mem,
                                              HcclMemHandle* memHandle);
ACL_FUNC_VISIBILITY HcclResult HcclThreadResGetInfo(HcclComm comm, ThreadHandle thread, ThreadResType resType,
                                                    uint32_t infoLen, void** info);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_RES_H_
