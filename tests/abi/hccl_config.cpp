// SPDX-License-Identifier: Apache-2.0
// HcclCommConfigInit fills the header and the defaults that abi/types.md gives.
#include <cstdio>
#include <cstring>

#include "hccl/hccl.h"

#define EXPECT(condition) \
  if (!(condition)) return std::printf("%s\n", #condition), 1

int main() {
  HcclCommConfig config;
  std::memset(&config, 0x5a, sizeof(config));
  HcclCommConfigInit(&config);
  struct {
    uint64_t size;
    uint32_t magic, version;
    uint64_t zero;
  } head;
  std::memcpy(&head, config.reserved, sizeof(head));
  EXPECT(head.size == 2248 && head.magic == 0xF0F0F0F0 && head.version == 11 && head.zero == 0);
  EXPECT(config.hcclBufferSize == 0xFFFFFFFF && config.hcclDeterministic == 0xFFFFFFFF);
  EXPECT(config.hcclRdmaTrafficClass == 0xFFFFFFFF && config.hcclRdmaServiceLevel == 0xFFFFFFFF);
  EXPECT(config.hcclQos == 0xFFFFFFFF && config.hcclExecTimeOut == -1);
  EXPECT(config.hcclOpExpansionMode == 0 && config.hcclWorldRankID == 0 && config.hcclJobID == 0);
  EXPECT(config.aclGraphZeroCopyEnable == 0 && config.hcclSymWinMaxMemSizePerRank == 16);
  EXPECT(!config.hcclCommName[0] && !config.hcclUdi[0] && !config.hcclAlgo[0] && !config.hcclRetryEnable[0]);
  EXPECT(!config.hcclRetryParams[0] && !config.hcclBufferName[0]);
  return 0;
}
