// SPDX-License-Identifier: Apache-2.0
// Types of communication resources. For C++ only.
#ifndef HCOMM_HCOMM_RES_DEFS_H_
#define HCOMM_HCOMM_RES_DEFS_H_

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

#include "securec.h"

#ifdef __cplusplus
extern "C" {
#endif

const uint32_t COMM_ABI_VERSION = 1;

typedef int32_t HcommResult;
typedef uint64_t ThreadHandle;
typedef uint64_t ChannelHandle;
typedef void* EndpointHandle;
typedef void* HcommMemHandle;
typedef void* HcclMemHandle;

typedef enum {
  COMM_ENGINE_RESERVED = -1,
  COMM_ENGINE_CPU = 0,
  COMM_ENGINE_CPU_TS = 1,
  COMM_ENGINE_AICPU = 2,
  COMM_ENGINE_AICPU_TS = 3,
  COMM_ENGINE_AIV = 4,
  COMM_ENGINE_CCU = 5
} CommEngine;

typedef enum {
  COMM_PROTOCOL_RESERVED = -1,
  COMM_PROTOCOL_HCCS = 0,
  COMM_PROTOCOL_ROCE = 1,
  COMM_PROTOCOL_PCIE = 2,
  COMM_PROTOCOL_SIO = 3,
  COMM_PROTOCOL_UB_CTP = 4,
  COMM_PROTOCOL_UBC_CTP = 4,
  COMM_PROTOCOL_UBC_TP = 5,
  COMM_PROTOCOL_UB_MEM = 6,
  COMM_PROTOCOL_UBOE = 7,
  COMM_PROTOCOL_HCCS_ONLY = 8,
  COMM_PROTOCOL_UB_RTP = 9,
  COMM_PROTOCOL_UBG = 9
} CommProtocol;

typedef enum {
  COMM_MEM_TYPE_INVALID = -1,
  COMM_MEM_TYPE_DEVICE = 0,
  COMM_MEM_TYPE_HOST = 1
} CommMemType;

// Kinds of addresses, places, threads and features: their numbers are not published.
typedef int32_t CommAddrType;
typedef int32_t EndpointLocType;
typedef int32_t ThreadType;
typedef int32_t ThreadResType;
typedef int32_t HcommEndpointFeatureType;

typedef struct {
  uint32_t version;
  uint32_t magicWord;
  uint32_t size;
  uint32_t reserved;
} CommAbiHeader;

typedef struct {
  CommAddrType type;
  union {
    struct in_addr addr;
    struct in6_addr addr6;
    uint8_t raws[36];
  };
} CommAddr;

typedef struct {
  EndpointLocType locType;
  uint8_t raws[60];
} EndpointLoc;

typedef struct {
  CommProtocol protocol;
  CommAddr commAddr;
  EndpointLoc loc;
  uint8_t raws[52];
} EndpointDesc;

typedef struct {
  CommMemType type;
  void* addr;
  uint64_t size;
} CommMem;

typedef struct {
  CommAbiHeader header;
  uint16_t notifyNumPerThread;
  uint8_t reserved[14];
} ThreadConfig;

static inline HcommResult ThreadConfigInit(ThreadConfig* config, uint32_t num) {
  if (config == nullptr) return 2;
  for (uint32_t i = 0; i < num; ++i) {
    memset(&config[i], 0, sizeof(ThreadConfig));
    const CommAbiHeader header = {1, 0x0f0f0f2f, sizeof(ThreadConfig), 0};
    config[i].header = header;
  }
  return 0;
}

static inline HcommResult EndpointDescInit(EndpointDesc* endpoint, uint32_t num) {
  if (endpoint == nullptr) return 2;
  memset(endpoint, 0xff, sizeof(EndpointDesc) * num);
  return 0;
}

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_HCOMM_RES_DEFS_H_
