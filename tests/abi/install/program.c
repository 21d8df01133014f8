// SPDX-License-Identifier: Apache-2.0
// A user program in C: prints the name of the chip.
#include <stdio.h>

#include "acl/acl.h"

int main(void) {
  const char* name = aclrtGetSocName();
  puts(name ? name : "refused");
  return 0;
}
