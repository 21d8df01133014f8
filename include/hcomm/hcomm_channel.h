// SPDX-License-Identifier: Apache-2.0
// Channels without a communicator. For C++ only.
#ifndef HCOMM_HCOMM_CHANNEL_H_
#define HCOMM_HCOMM_CHANNEL_H_

#include "acl/acl_base.h"
#include "hcomm/hcomm_res_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

// Its layout is not published.
typedef struct HcommChannelDescDef HcommChannelDesc;
typedef void* HcommChannelConfig;
typedef int32_t HcommChannelConfigType;

ACL_FUNC_VISIBILITY HcommResult HcommChannelCreate(EndpointHandle endpointHandle, CommEngine engine,
                                                   HcommChannelDesc* channelDescs, uint32_t channelNum,
                                                   ChannelHandle* channels);
ACL_FUNC_VISIBILITY HcommResult HcommChannelConfigCreate(HcommChannelConfig* config);
ACL_FUNC_VISIBILITY HcommResult HcommChannelConfigDestroy(HcommChannelConfig config);
ACL_FUNC_VISIBILITY HcommResult HcommChannelConfigSetInt(HcommChannelConfig config, HcommChannelConfigType type,
                                                         uint32_t value);
ACL_FUNC_VISIBILITY HcommResult HcommChannelCreateWithConfig(EndpointHandle endpointHandle, CommEngine engine,
                                                             HcommChannelDesc* channelDescs, uint32_t channelNum,
                                                             HcommChannelConfig config, ChannelHandle* channels);
ACL_FUNC_VISIBILITY HcommResult HcommChannelGetStatus(const ChannelHandle* channelList, uint32_t listNum,
                                                      int32_t* statusList);
ACL_FUNC_VISIBILITY HcommResult HcommChannelDestroy(const ChannelHandle* channels, uint32_t channelNum);

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_HCOMM_CHANNEL_H_
