// SPDX-License-Identifier: Apache-2.0
// Channels between the ranks of a communicator. For C++ only.
#ifndef HCCL_HCCL_CHANNEL_H_
#define HCCL_HCCL_CHANNEL_H_

#include <string.h>

#include "acl/acl_base.h"
#include "hccl/hccl_types.h"
#include "hccl/hcomm_res_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void* HcclChannelConfig;
// Options of a channel: their numbers are not published.
typedef int32_t HcclChannelConfigType;

typedef struct {
  CommAbiHeader header;
  uint32_t remoteRank;
  CommProtocol channelProtocol;
  EndpointDesc localEndpoint;
  EndpointDesc remoteEndpoint;
  uint32_t notifyNum;
  HcclMemHandle* memHandles;
  uint32_t memHandleNum;
  union {
    uint8_t raws[128];
  };
} HcclChannelDesc;

static inline HcclResult HcclChannelDescInit(HcclChannelDesc* channelDesc, uint32_t descNum) {
  if (channelDesc == nullptr) return HCCL_E_PTR;
  for (uint32_t i = 0; i < descNum; ++i) {
    memset(&channelDesc[i], 0xff, sizeof(HcclChannelDesc));
    const CommAbiHeader header = {1, 0x0f0f0f0f, sizeof(HcclChannelDesc), 0};
    channelDesc[i].header = header;
  }
  return HCCL_SUCCESS;
}

ACL_FUNC_VISIBILITY HcclResult HcclChannelAcquire(HcclComm comm, CommEngine engine, const HcclChannelDesc* channelDescs,
                                                  uint32_t channelNum, ChannelHandle* channels);
ACL_FUNC_VISIBILITY HcclResult HcclChannelConfigCreate(HcclChannelConfig* config);
ACL_FUNC_VISIBILITY HcclResult HcclChannelConfigDestroy(HcclChannelConfig config);
ACL_FUNC_VISIBILITY HcclResult HcclChannelConfigSetInt(HcclChannelConfig config, HcclChannelConfigType type,
                                                       uint32_t value);
ACL_FUNC_VISIBILITY HcclResult HcclChannelConfigSetStr(HcclChannelConfig config, HcclChannelConfigType type,
                                                       const char* value);
ACL_FUNC_VISIBILITY HcclResult HcclChannelAcquireWithConfig(HcclComm comm, CommEngine engine,
                                                            const HcclChannelDesc* channelDescs, uint32_t channelNum,
                                                            HcclChannelConfig config, ChannelHandle* channels);
ACL_FUNC_VISIBILITY HcclResult HcclChannelQuery(HcclComm comm, CommEngine engine, const HcclChannelDesc* channelDescs,
                                                uint32_t channelNum, ChannelHandle* channels);
ACL_FUNC_VISIBILITY HcclResult HcclChannelDestroy(HcclComm comm, const ChannelHandle* channels, uint32_t channelNum);
ACL_FUNC_VISIBILITY HcclResult HcclChannelGetHcclBuffer(HcclComm comm, ChannelHandle channel, void** buffer,
                                                        uint64_t* size);
ACL_FUNC_VISIBILITY HcclResult HcclChannelGetRemoteMems(HcclComm comm, ChannelHandle channel, uint32_t* memNum,
                                                        CommMem** remoteMems, char*** memTags);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_CHANNEL_H_
