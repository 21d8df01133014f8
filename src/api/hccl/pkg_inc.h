// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hccl/hccl.h"
#include "hcomm/hcomm_res_defs.h"

// Functions of HCCL that have no installed header: frameworks find them by name. Structures that only functions use
// which refuse stay unknown.

typedef uint32_t u32;
typedef uint64_t u64;
typedef void* rtStream_t;
enum class WorkMode { HCCL_MODE_NORMAL = 0 };
struct HcomInitConfig;
struct HcclTopoDescs;
struct HcclMemDesc;
struct HcclMemDescs;
struct HcclOneSideOpDesc;
struct HcclPrepareConfig;

#pragma GCC visibility push(default)
extern "C" {

HcclResult HcomGetRankSize(const char* group, u32* rankSize);
HcclResult HcomGetRankId(const char* group, u32* rankId);
HcclResult HcomCreateGroup(const char* group, u32 rankNum, u32* rankIds);
HcclResult HcomDestroyGroup(const char* group);
HcclResult HcomInitByRankTable(const char* rankTable, uint32_t rankId);
HcclResult HcomDestroy();
HcclResult HcomGetCommHandleByGroup(const char* group, HcclComm* commHandle);
HcclResult HcomInitByString(const char* rankTableM, const char* identify,
                            WorkMode commWorkMode = WorkMode::HCCL_MODE_NORMAL, HcomInitConfig* initConfig = nullptr);
HcclResult HcomInitByMasterInfo(const char* masterIp, const char* masterPort, const char* masterDeviceId,
                                const char* rankSize, const char* rankIp, HcomInitConfig* initConfig = nullptr);
bool HcomFindGroup(const char* group);
HcclResult HcomGetInitStatus(bool* initiated);
HcclResult HcomAllGather(const char* tag, void* inputPtr, void* outputPtr, u64 inputCount, HcclDataType dataType,
                         const char* group, rtStream_t stream);
HcclResult HcomAllGatherV(const char* tag, const void* sendBuf, u64 sendCount, const void* recvBuf,
                          const void* recvCounts, const void* rdispls, HcclDataType dataType, const char* group,
                          rtStream_t stream);
HcclResult HcomAllReduce(const char* tag, void* inputPtr, void* outputPtr, u64 count, HcclDataType dataType,
                         HcclReduceOp op, const char* group, rtStream_t stream);
HcclResult HcomReduce(const char* tag, void* inputPtr, void* outputPtr, u64 count, HcclDataType dataType,
                      HcclReduceOp op, u32 root, const char* group, rtStream_t stream);
HcclResult HcomBroadcast(const char* tag, void* ptr, u64 count, HcclDataType dataType, u32 root, const char* group,
                         rtStream_t stream);
HcclResult HcomReduceScatter(const char* tag, void* inputPtr, void* outputPtr, u64 count, HcclDataType dataType,
                             HcclReduceOp op, const char* group, rtStream_t stream);
HcclResult HcomReduceScatterV(const char* tag, void* sendBuf, const void* sendCounts, const void* sdispls,
                              void* recvBuf, u64 recvCount, HcclDataType dataType, HcclReduceOp op, const char* group,
                              rtStream_t stream);
HcclResult HcomSend(const char* tag, void* inputPtr, u64 count, HcclDataType dataType, u32 destRank, u32 srTag,
                    const char* group, rtStream_t stream);
HcclResult HcomReceive(const char* tag, void* outputPtr, u64 count, HcclDataType dataType, u32 srcRank, u32 srTag,
                       const char* group, rtStream_t stream);
HcclResult HcomAlltoAllV(const void* sendBuf, const void* sendCounts, const void* sdispls, HcclDataType sendType,
                         const void* recvBuf, const void* recvCounts, const void* rdispls, HcclDataType recvType,
                         const char* group, rtStream_t stream, const char* tag);
HcclResult HcomAlltoAllVC(const void* sendBuf, const void* sendCountMatrix, HcclDataType sendType, const void* recvBuf,
                          HcclDataType recvType, const char* group, rtStream_t stream, const char* tag);
HcclResult HcomAllToAll(const void* sendBuf, u64 sendCount, HcclDataType sendType, const void* recvBuf, u64 recvCount,
                        HcclDataType recvType, const char* group, rtStream_t stream, const char* tag);
HcclResult HcclCreateComResource(const char* commName, u32 streamMode, void** commContext);
HcclResult HcclGetTopoDesc(HcclComm comm, HcclTopoDescs* topoDescs, uint32_t topoSize);
HcclResult HcclCommRegister(HcclComm comm, void* addr, uint64_t size, void** handle, uint32_t flag);
HcclResult HcclCommDeregister(HcclComm comm, void* handle);
HcclResult HcclCommExchangeMem(HcclComm comm, void* windowHandle, uint32_t* peerRanks, uint32_t peerRankNum);
HcclResult HcclRegisterMem(HcclComm comm, u32 remoteRank, int type, void* addr, u64 size, HcclMemDesc* desc);
HcclResult HcclDeregisterMem(HcclComm comm, HcclMemDesc* desc);
HcclResult HcclExchangeMemDesc(HcclComm comm, u32 remoteRank, HcclMemDescs* local, int timeout, HcclMemDescs* remote,
                               u32* actualNum);
HcclResult HcclEnableMemAccess(HcclComm comm, HcclMemDesc* remoteMemDesc, CommMem* remoteMem);
HcclResult HcclDisableMemAccess(HcclComm comm, HcclMemDesc* remoteMemDesc);
HcclResult HcclBatchPut(HcclComm comm, u32 remoteRank, HcclOneSideOpDesc* desc, u32 descNum, rtStream_t stream);
HcclResult HcclBatchGet(HcclComm comm, u32 remoteRank, HcclOneSideOpDesc* desc, u32 descNum, rtStream_t stream);
HcclResult HcclRemapRegistedMemory(HcclComm* comm, CommMem* memInfoArray, u64 commSize, u64 arraySize);
HcclResult HcclRegisterGlobalMem(const CommMem* mem, void** memHandle);
HcclResult HcclDeregisterGlobalMem(void* memHandle);
HcclResult HcclCommBindMem(HcclComm comm, void* memHandle);
HcclResult HcclCommUnbindMem(HcclComm comm, void* memHandle);
HcclResult HcclCommPrepare(HcclComm comm, const HcclPrepareConfig* prepareConfig, const int timeout);
HcclResult HcclCommInitClusterInfoMemConfig(const char* rankTableString, uint32_t rank, HcclCommConfig* config,
                                            HcclComm* comm);
HcclResult HcomGetLocalRankSize(const char* group, u32* localRankSize);
HcclResult HcomGetLocalRankId(const char* group, u32* localRankId);
HcclResult HcomGetWorldRankFromGroupRank(const char* group, u32 groupRank, u32* worldRank);
HcclResult HcomGetGroupRankFromWorldRank(u32 worldRank, const char* group, u32* groupRank);
HcclResult HcomSetGradFusionByIndex(const char* group, u32 segmentNum, const u32* IdxList);
HcclResult HcomSetGradFusionBySize(const char* group, u32 segmentNum, const float* sizeList);

}  // extern "C"
#pragma GCC visibility pop
