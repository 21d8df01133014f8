// SPDX-License-Identifier: Apache-2.0
// Handles of teams. For C++ only.
#ifndef HCOMM_HCOMM_TEAM_DEFS_H_
#define HCOMM_HCOMM_TEAM_DEFS_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* HcommTeamHandle;
typedef void* HcommWindowHandle;

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_HCOMM_TEAM_DEFS_H_
