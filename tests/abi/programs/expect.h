/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the program with a message when a call does not return the code it should. */
#ifndef EXPECT_H
#define EXPECT_H

#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"

#define EXPECT(call, code)                                                                                 \
  do {                                                                                                     \
    const long long got_ = (long long)(call), wanted_ = (long long)(code);                                 \
    if (got_ != wanted_) {                                                                                 \
      const char* text_ = aclGetRecentErrMsg();                                                            \
      fprintf(stderr, "%s:%d: %s returned %lld, not %lld\n%s\n", __FILE__, __LINE__, #call, got_, wanted_, \
              text_ ? text_ : "");                                                                         \
      exit(1);                                                                                             \
    }                                                                                                      \
  } while (0)

#define OK(call) EXPECT(call, ACL_SUCCESS)
#define TRUE_(condition) EXPECT(!(condition), 0)

#endif
