// SPDX-License-Identifier: Apache-2.0
// Communication resources without a communicator. For C++ only.
#ifndef HCOMM_HCOMM_RES_H_
#define HCOMM_HCOMM_RES_H_

#include <stddef.h>

#include "acl/acl_base.h"
#include "hcomm/hcomm_res_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY HcommResult HcommEndpointCreate(const EndpointDesc* endpoint, EndpointHandle* endpointHandle);
ACL_FUNC_VISIBILITY HcommResult HcommEndpointDestroy(EndpointHandle endpointHandle);
ACL_FUNC_VISIBILITY HcommResult HcommEndpointGetDescNum(int32_t deviceLogicId, uint32_t* descNum);
ACL_FUNC_VISIBILITY HcommResult HcommEndpointGetDescs(int32_t deviceLogicId, uint32_t* descNum,
                                                      EndpointDesc* endpointDescs);
ACL_FUNC_VISIBILITY HcommResult HcommMemReg(EndpointHandle endpointHandle, const char* memTag, const CommMem* mem,
                                            HcommMemHandle* memHandle);
ACL_FUNC_VISIBILITY HcommResult HcommMemUnreg(EndpointHandle endpointHandle, HcommMemHandle memHandle);
ACL_FUNC_VISIBILITY HcommResult HcommMemExport(EndpointHandle endpointHandle, HcommMemHandle memHandle, void** memDesc,
                                               uint32_t* memDescLen);
ACL_FUNC_VISIBILITY HcommResult HcommMemImport(EndpointHandle endpointHandle, const void* memDesc, uint32_t descLen,
                                               CommMem* outMem);
ACL_FUNC_VISIBILITY HcommResult HcommMemUnimport(EndpointHandle endpointHandle, const void* memDesc, uint32_t descLen);
ACL_FUNC_VISIBILITY HcommResult HcommThreadAlloc(CommEngine engine, uint32_t threadNum,
                                                 const uint32_t* notifyNumPerThread, ThreadHandle* threads);
ACL_FUNC_VISIBILITY HcommResult HcommThreadFree(const ThreadHandle* threads, uint32_t threadNum);
ACL_FUNC_VISIBILITY HcommResult HcommEndpointGetListenPort(EndpointHandle endpointHandle, uint32_t* port);
ACL_FUNC_VISIBILITY HcommResult HcommThreadResGetInfo(ThreadHandle thread, ThreadResType resType, uint32_t infoLen,
                                                      void** info);
ACL_FUNC_VISIBILITY HcommResult HcommEndpointCheckFeature(HcommEndpointFeatureType featureType,
                                                          const EndpointDesc* endpointDesc, bool* value);
ACL_FUNC_VISIBILITY HcommResult HcommMemAlloc(void** ptr, size_t size);
ACL_FUNC_VISIBILITY HcommResult HcommMemFree(void* ptr);

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_HCOMM_RES_H_
