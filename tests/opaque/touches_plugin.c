/* SPDX-License-Identifier: Apache-2.0 */
/* A library that a program opens, or is just about to open. */
#include <stdlib.h>
#include <unistd.h>

float plugin_read(const float* values) { return values[4]; /* @plugin_read */ }

/* With TOUCHES_PLUGIN_WAITS it says so on that pipe and never comes back. */
__attribute__((constructor)) static void wait_inside_of_dlopen(void) {
  const char* pipe = getenv("TOUCHES_PLUGIN_WAITS");
  if (!pipe) return;
  if (write(atoi(pipe), "x", 1) != 1) _exit(3);
  for (;;) pause();
}
