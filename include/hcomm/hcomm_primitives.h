// SPDX-License-Identifier: Apache-2.0
// What user-written communication kernels are made of. For C++ only.
#ifndef HCOMM_HCOMM_PRIMITIVES_H_
#define HCOMM_HCOMM_PRIMITIVES_H_

#include "acl/acl_base.h"
#include "hcomm/hcomm_res_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

// The numbers are those of HcclDataType and HcclReduceOp.
typedef int32_t HcommDataType;
typedef int32_t HcommReduceOp;
// Its layout is not published.
typedef struct HcommBatchTransferDescDef HcommBatchTransferDesc;

ACL_FUNC_VISIBILITY int32_t HcommLocalCopyOnThread(ThreadHandle thread, void* dst, const void* src, uint64_t len);
ACL_FUNC_VISIBILITY int32_t HcommLocalReduceOnThread(ThreadHandle thread, void* dst, const void* src, uint64_t count,
                                                     HcommDataType dataType, HcommReduceOp reduceOp);
ACL_FUNC_VISIBILITY int32_t HcommThreadNotifyRecordOnThread(ThreadHandle thread, ThreadHandle dstThread,
                                                            uint32_t dstNotifyIdx);
ACL_FUNC_VISIBILITY int32_t HcommThreadNotifyWaitOnThread(ThreadHandle thread, uint32_t notifyIdx, uint32_t timeOut);
ACL_FUNC_VISIBILITY int32_t HcommAclrtNotifyRecordOnThread(ThreadHandle thread, uint64_t dstNotifyId);
ACL_FUNC_VISIBILITY int32_t HcommAclrtNotifyWaitOnThread(ThreadHandle thread, uint64_t notifyId, uint32_t timeOut);
ACL_FUNC_VISIBILITY int32_t HcommWriteOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src,
                                               uint64_t len);
ACL_FUNC_VISIBILITY int32_t HcommWriteReduceOnThread(ThreadHandle thread, ChannelHandle channel, void* dst,
                                                     const void* src, uint64_t count, HcommDataType dataType,
                                                     HcommReduceOp reduceOp);
ACL_FUNC_VISIBILITY int32_t HcommWriteWithNotifyOnThread(ThreadHandle thread, ChannelHandle channel, void* dst,
                                                         const void* src, uint64_t len, uint32_t remoteNotifyIdx);
ACL_FUNC_VISIBILITY int32_t HcommWriteReduceWithNotifyOnThread(ThreadHandle thread, ChannelHandle channel, void* dst,
                                                               const void* src, uint64_t count, HcommDataType dataType,
                                                               HcommReduceOp reduceOp, uint32_t remoteNotifyIdx);
ACL_FUNC_VISIBILITY int32_t HcommReadOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src,
                                              uint64_t len);
ACL_FUNC_VISIBILITY int32_t HcommReadReduceOnThread(ThreadHandle thread, ChannelHandle channel, void* dst,
                                                    const void* src, uint64_t count, HcommDataType dataType,
                                                    HcommReduceOp reduceOp);
ACL_FUNC_VISIBILITY int32_t HcommWriteNbiOnThread(ThreadHandle thread, ChannelHandle channel, void* dst,
                                                  const void* src, uint64_t len);
ACL_FUNC_VISIBILITY int32_t HcommWriteNbi(ChannelHandle channel, void* dst, const void* src, uint64_t len);
ACL_FUNC_VISIBILITY int32_t HcommWriteWithNotifyNbiOnThread(ThreadHandle thread, ChannelHandle channel, void* dst,
                                                            const void* src, uint64_t len, uint32_t remoteNotifyIdx);
ACL_FUNC_VISIBILITY int32_t HcommWriteWithNotifyNbi(ChannelHandle channel, void* dst, const void* src, uint64_t len,
                                                    uint32_t remoteNotifyIdx);
ACL_FUNC_VISIBILITY int32_t HcommReadNbiOnThread(ThreadHandle thread, ChannelHandle channel, void* dst, const void* src,
                                                 uint64_t len);
ACL_FUNC_VISIBILITY int32_t HcommReadNbi(ChannelHandle channel, void* dst, const void* src, uint64_t len);
ACL_FUNC_VISIBILITY int32_t HcommBatchTransferOnThread(ThreadHandle thread, ChannelHandle channel,
                                                       const HcommBatchTransferDesc* transferDescs,
                                                       uint32_t transferDescNum);
ACL_FUNC_VISIBILITY int32_t HcommChannelNotifyRecordOnThread(ThreadHandle thread, ChannelHandle channel,
                                                             uint32_t remoteNotifyIdx);
ACL_FUNC_VISIBILITY int32_t HcommChannelNotifyRecord(ChannelHandle channel, uint32_t remoteNotifyIdx);
ACL_FUNC_VISIBILITY int32_t HcommChannelNotifyWaitOnThread(ThreadHandle thread, ChannelHandle channel,
                                                           uint32_t localNotifyIdx, uint32_t timeOut);
ACL_FUNC_VISIBILITY int32_t HcommChannelNotifyWait(ChannelHandle channel, uint32_t localNotifyIdx, uint32_t timeOut);
ACL_FUNC_VISIBILITY HcommResult HcommAicpuTsTaskCacheLookup(const char* tag, bool* isHit);
ACL_FUNC_VISIBILITY HcommResult HcommAicpuTsTaskCacheStart(const char* tag, void** addrs, uint64_t* sizes,
                                                           uint64_t count);
ACL_FUNC_VISIBILITY HcommResult HcommAicpuTsTaskCacheEnd(const char* tag);
ACL_FUNC_VISIBILITY HcommResult HcommAicpuTsTaskCacheExecute(const char* tag, void** addrs, uint64_t* sizes,
                                                             uint64_t count);
ACL_FUNC_VISIBILITY HcommResult HcommAicpuTsTaskCacheClear(const char* tag);
ACL_FUNC_VISIBILITY int32_t HcommBatchModeStart(const char* batchTag);
ACL_FUNC_VISIBILITY int32_t HcommBatchModeEnd(const char* batchTag);
ACL_FUNC_VISIBILITY int32_t HcommAcquireComm(const char* commId);
ACL_FUNC_VISIBILITY int32_t HcommReleaseComm(const char* commId);
ACL_FUNC_VISIBILITY int32_t HcommFenceOnThread(ThreadHandle thread);
ACL_FUNC_VISIBILITY int32_t HcommChannelFenceOnThread(ThreadHandle thread, ChannelHandle channel);
ACL_FUNC_VISIBILITY int32_t HcommChannelFence(ChannelHandle channel);
ACL_FUNC_VISIBILITY int32_t HcommSetNotifyWaitTimeOut(float timeOut);
ACL_FUNC_VISIBILITY int32_t HcommThreadResAcquireTimeOut(float timeOut);
ACL_FUNC_VISIBILITY int32_t HcommChannelNotifyWaitOnThreadWithDefaultTimeout(ThreadHandle thread, ChannelHandle channel,
                                                                             uint32_t localNotifyIdx);
ACL_FUNC_VISIBILITY int32_t HcommThreadNotifyWaitOnThreadWithDefaultTimeout(ThreadHandle thread, uint32_t notifyIdx);
ACL_FUNC_VISIBILITY int32_t HcommChannelDrainOnThread(ThreadHandle thread, ChannelHandle channel);

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_HCOMM_PRIMITIVES_H_
