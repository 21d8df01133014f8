// SPDX-License-Identifier: Apache-2.0
// A user program of libc_sec.so.
#include <stdio.h>

#include "securec.h"

int main(void) {
  char text[16];
  if (memset_s(text, sizeof(text), 0, sizeof(text)) != EOK) return 1;
  if (snprintf_s(text, sizeof(text), sizeof(text) - 1, "%s-%d", "chip", 1) != 6) return 1;
  puts(text);
  return 0;
}
