// SPDX-License-Identifier: Apache-2.0
// The network under a communicator. For C++ only.
#ifndef HCCL_HCCL_RANK_GRAPH_H_
#define HCCL_HCCL_RANK_GRAPH_H_

#include <string.h>

#include "acl/acl_base.h"
#include "hccl/hccl_types.h"
#include "hccl/hcomm_res_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  COMM_TOPO_RESERVED = -1,
  COMM_TOPO_CLOS = 0,
  COMM_TOPO_1DMESH = 1,
  COMM_TOPO_910_93 = 2,
  COMM_TOPO_310P = 3,
  COMM_TOPO_A2AXSERVER = 4,
  COMM_TOPO_CUSTOM = 5
} CommTopo;

typedef enum {
  HCCL_HETEROG_MODE_HOMOGENEOUS = 0,
  HCCL_HETEROG_MODE_MIX_A2_A3 = 1
} HcclHeterogMode;

// Attributes of an endpoint: their numbers are not published.
typedef int32_t EndpointAttr;

typedef struct {
  CommAbiHeader header;
  EndpointDesc srcEndpointDesc;
  EndpointDesc dstEndpointDesc;
  union {
    uint8_t raws[128];
  } linkAttr;
} CommLink;

static inline HcclResult CommLinkInit(CommLink* commLink, uint32_t linkNum) {
  if (commLink == nullptr) return HCCL_E_PTR;
  for (uint32_t i = 0; i < linkNum; ++i) {
    memset(&commLink[i], 0xff, sizeof(CommLink));
    const CommAbiHeader header = {1, 0x0f0e0f0f, sizeof(CommLink), 0};
    commLink[i].header = header;
  }
  return HCCL_SUCCESS;
}

ACL_FUNC_VISIBILITY HcclResult HcclRankGraphGetLayers(HcclComm comm, uint32_t** netLayers, uint32_t* netLayerNum);
ACL_FUNC_VISIBILITY HcclResult HcclRankGraphGetRanksByLayer(HcclComm comm, uint32_t netLayer, uint32_t** ranks,
                                                            uint32_t* rankNum);
ACL_FUNC_VISIBILITY HcclResult HcclRankGraphGetRankSizeByLayer(HcclComm comm, uint32_t netLayer, uint32_t* rankNum);
ACL_FUNC_VISIBILITY HcclResult HcclRankGraphGetTopoTypeByLayer(HcclComm comm, uint32_t netLayer, CommTopo* topoType);
ACL_FUNC_VISIBILITY HcclResult HcclRankGraphGetInstSizeListByLayer(HcclComm comm, uint32_t netLayer,
                                                                   uint32_t** instSizeList, uint32_t* listSize);
ACL_FUNC_VISIBILITY HcclResult HcclRankGraphGetLinks(HcclComm comm, uint32_t netLayer, uint32_t srcRank,
                                                     uint32_t dstRank, CommLink** links, uint32_t* linkNum);
ACL_FUNC_VISIBILITY HcclResult HcclRankGraphGetTopoInstsByLayer(HcclComm comm, uint32_t netLayer, uint32_t** topoInsts,
                                                                uint32_t* topoInstNum);
ACL_FUNC_VISIBILITY HcclResult HcclRankGraphGetTopoType(HcclComm comm, uint32_t netLayer, uint32_t topoInstId,
                                                        CommTopo* topoType);
ACL_FUNC_VISIBILITY HcclResult HcclRankGraphGetRanksByTopoInst(HcclComm comm, uint32_t netLayer, uint32_t topoInstId,
                                                               uint32_t** ranks, uint32_t* rankNum);
ACL_FUNC_VISIBILITY HcclResult HcclGetHeterogMode(HcclComm comm, HcclHeterogMode* mode);
ACL_FUNC_VISIBILITY HcclResult HcclRankGraphGetEndpointNum(HcclComm comm, uint32_t layer, uint32_t topoInstId,
                                                           uint32_t* num);
ACL_FUNC_VISIBILITY HcclResult HcclRankGraphGetEndpointDesc(HcclComm comm, uint32_t layer, uint32_t topoInstId,
                                                            uint32_t* descNum, EndpointDesc* endpointDesc);
ACL_FUNC_VISIBILITY HcclResult HcclRankGraphGetEndpointInfo(HcclComm comm, uint32_t rankId,
                                                            const EndpointDesc* endpointDesc, EndpointAttr endpointAttr,
                                                            uint32_t infoLen, void* info);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_RANK_GRAPH_H_
