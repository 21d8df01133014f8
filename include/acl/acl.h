// SPDX-License-Identifier: Apache-2.0
// All of the runtime, the operators and the models.
#ifndef ACL_ACL_H_
#define ACL_ACL_H_

#include "acl_mdl.h"
#include "acl_op.h"
#include "acl_rt.h"

#endif  // ACL_ACL_H_
