// SPDX-License-Identifier: Apache-2.0
// Teams of ranks. For C++ only.
#ifndef HCCL_HCCL_TEAM_H_
#define HCCL_HCCL_TEAM_H_

#include <string.h>

#include "acl/acl_base.h"
#include "hccl/hccl_types.h"
#include "hccl/hcomm_res_defs.h"
#include "hccl/hcomm_team_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

// Behind the header their fields are not published.
typedef struct {
  CommAbiHeader header;
  uint64_t raws[9];
} HcclTeamCreateDesc;

typedef struct {
  CommAbiHeader header;
  uint64_t raws[4];
} HcclTeamCreateChannelsDesc;

static inline HcclResult HcclTeamCreateDescInit(HcclTeamCreateDesc* desc) {
  if (desc == nullptr) return HCCL_E_PTR;
  memset(desc, 0xff, sizeof(HcclTeamCreateDesc));
  const CommAbiHeader header = {1, 0x0fcf0f14, sizeof(HcclTeamCreateDesc), 0};
  desc->header = header;
  return HCCL_SUCCESS;
}

static inline HcclResult HcclTeamCreateChannelsDescInit(HcclTeamCreateChannelsDesc* desc) {
  if (desc == nullptr) return HCCL_E_PTR;
  memset(desc, 0xff, sizeof(HcclTeamCreateChannelsDesc));
  const CommAbiHeader header = {1, 0x0fcf0f15, sizeof(HcclTeamCreateChannelsDesc), 0};
  desc->header = header;
  return HCCL_SUCCESS;
}

ACL_FUNC_VISIBILITY HcclResult HcclWorldTeamCreate(HcclComm comm, const HcclTeamCreateDesc* desc,
                                                   HcommTeamHandle* worldTeam);
ACL_FUNC_VISIBILITY HcclResult HcclSubTeamCreate(HcommTeamHandle worldTeam, const HcclTeamCreateDesc* desc,
                                                 HcommTeamHandle* team);
ACL_FUNC_VISIBILITY HcclResult HcclTeamDestroy(HcommTeamHandle team);
ACL_FUNC_VISIBILITY HcclResult HcclTeamWindowRegister(HcclComm comm, HcommTeamHandle worldTeam, const CommMem* localMem,
                                                      HcommWindowHandle* window, uint32_t flag);
ACL_FUNC_VISIBILITY HcclResult HcclTeamWindowDeregister(HcommTeamHandle worldTeam, HcommWindowHandle window);
ACL_FUNC_VISIBILITY HcclResult HcclTeamChannelsCreate(HcclComm comm, HcommTeamHandle team,
                                                      const HcclTeamCreateChannelsDesc* desc);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_TEAM_H_
