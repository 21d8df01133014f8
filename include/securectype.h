// SPDX-License-Identifier: Apache-2.0
// The types of securec.h.
#ifndef SECURECTYPE_H_
#define SECURECTYPE_H_

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>

typedef int errno_t;

#ifndef EOK
#define EOK 0
#endif

#endif  // SECURECTYPE_H_
