// SPDX-License-Identifier: Apache-2.0
// The format is taken apart into pieces of literal text and one conversion, and sscanf does each piece: only so is the
// size that follows a text buffer compared with what would be stored in it.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "securec.h"

// One conversion of a format: from `percent` to `end`.
struct conversion {
  const char* percent;
  const char* end;
  int suppressed;
  int wide;      // of wchar_t, which is not supported
  size_t width;  // 0: none
  char kind;
};

static const char* after_set(const char* at) {
  if (*at == '^') ++at;
  if (*at == ']') ++at;
  while (*at && *at != ']') ++at;
  return *at ? at + 1 : at;
}

// The next conversion in `format`, %% left out; percent is null when there is none.
static struct conversion next_conversion(const char* format) {
  struct conversion found = {0};
  const char* at = strchr(format, '%');
  while (at && at[1] == '%') at = strchr(at + 2, '%');
  if (!at) return found;
  found.percent = at++;
  if (*at == '*') found.suppressed = 1, ++at;
  while (isdigit((unsigned char)*at)) found.width = found.width * 10 + (size_t)(*at++ - '0');
  while (*at && strchr("hlLjztq", *at)) found.wide |= *at++ == 'l';
  found.kind = *at;
  found.end = *at == '[' ? after_set(at + 1) : *at ? at + 1 : at;
  found.wide = (found.wide && strchr("sc[", found.kind)) || strchr("SC", found.kind);
  return found;
}

// The characters that a text conversion would store from `input`, or -1 when it does not match.
static int text_length(const char* input, const struct conversion* c, char* scratch) {
  if (c->kind == 'c') return (int)(c->width ? c->width : 1);
  int start = 0, end = -1;
  sprintf(scratch, "%s%%n%%*%.*s%%n", c->kind == 's' ? " " : "", (int)(c->end - c->percent - 1), c->percent + 1);
  sscanf(input, scratch, &start, &end);
  return end < 0 ? -1 : end - start;
}

// Where the text of a conversion begins: after the literal text before it.
static const char* skip_literal(const char* input, const char* format, const struct conversion* c, char* scratch) {
  int used = -1;
  sprintf(scratch, "%.*s%%n", (int)(c->percent - format), format);
  sscanf(input, scratch, &used);
  return used < 0 ? NULL : input + used;
}

// Does the text fit in the buffer with its end (%c has none)? If not, the buffer is emptied.
static int fits(const char* input, const struct conversion* c, char* buffer, size_t size, char* scratch) {
  const int length = text_length(input, c, scratch);
  if (length < 0) return 1;  // nothing will be stored
  if ((size_t)length + (c->kind != 'c') <= size) return 1;
  if (size) buffer[0] = '\0';
  return 0;
}

static int scan(const char* input, const char* format, va_list* arguments, char* scratch) {
  const char* const begin = input;
  int stored = 0;
  for (;;) {
    const struct conversion c = next_conversion(format);
    if (!c.percent) return stored;
    if (!c.kind || c.wide) return -1;
    input = skip_literal(input, format, &c, scratch);
    if (!input) return stored;
    void* target = c.suppressed ? NULL : va_arg(*arguments, void*);
    if (!c.suppressed && !target) return -1;
    if (c.kind == 'n' && target) *(int*)target = (int)(input - begin);
    if (target && strchr("sc[", c.kind)) {
      const size_t size = va_arg(*arguments, unsigned);
      if (!fits(input, &c, target, size, scratch)) return stored;
    }
    if (c.kind != 'n') {
      int used = -1;
      sprintf(scratch, "%.*s%%n", (int)(c.end - c.percent), c.percent);
      const int done = target ? sscanf(input, scratch, target, &used) : sscanf(input, scratch, &used);
      if (done < 0) return stored ? stored : -1;
      if (used < 0) return stored;
      input += used;
      stored += target != NULL;
    }
    format = c.end;
  }
}

int sscanf_s(const char* buffer, const char* format, ...) {
  if (!buffer || !format) return -1;
  char* scratch = malloc(strlen(format) + 16);
  if (!scratch) return -1;
  va_list arguments;
  va_start(arguments, format);
  const int stored = scan(buffer, format, &arguments, scratch);
  va_end(arguments);
  free(scratch);
  return stored;
}
