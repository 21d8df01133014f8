// SPDX-License-Identifier: Apache-2.0
// A user program in C++ whose input comes from acldvppMalloc: built with -DENABLE_DVPP_INTERFACE and -lacl_dvpp.
#include <cstdio>

#include "acl/acl.h"
#include "acl/ops/acl_dvpp.h"

int main() {
  void* device = nullptr;
  if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS) return 1;
  if (acldvppMalloc(&device, 1000) != ACL_SUCCESS || aclrtMemset(device, 1000, 0, 1000) != ACL_SUCCESS) return 1;
  if (acldvppFree(device) != ACL_SUCCESS || aclrtResetDevice(0) != ACL_SUCCESS) return 1;
  std::puts(aclrtGetSocName());
  return aclFinalize();
}
