/* SPDX-License-Identifier: Apache-2.0 */
/* The documented examples of the last error and its text. */
#include "expect.h"

int main(void) {
  EXPECT(aclrtGetRunMode(NULL), ACL_ERROR_INVALID_PARAM);
  OK(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
  OK(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
  TRUE_(aclGetRecentErrMsg() != NULL);
  TRUE_(aclGetRecentErrMsg() == NULL);

  EXPECT(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
  TRUE_(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) != 0);
  TRUE_(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) != 0);
  TRUE_(aclrtGetLastError(ACL_RT_THREAD_LEVEL) != 0);
  OK(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
  return 0;
}
