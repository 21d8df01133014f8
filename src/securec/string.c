// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "securec.h"
#include "securec/bounds.h"

static errno_t emptied(char* strDest, errno_t why) {
  strDest[0] = '\0';
  return why;
}

// Appends at most `count` characters of strSrc to the `used` ones of strDest.
static errno_t append(char* strDest, size_t destMax, size_t used, const char* strSrc, size_t count) {
  const size_t room = destMax - used;
  const size_t length = strnlen(strSrc, count < room ? count : room);
  if (length == room) return emptied(strDest, ERANGE);
  if (overlap(strDest + used, strSrc, length + 1)) return emptied(strDest, EINVAL);
  memcpy(strDest + used, strSrc, length);
  strDest[used + length] = '\0';
  return EOK;
}

errno_t strncpy_s(char* strDest, size_t destMax, const char* strSrc, size_t count) {
  if (!strDest) return EINVAL;
  if (!sensible(destMax)) return ERANGE;
  if (!strSrc) return emptied(strDest, EINVAL);
  if (strDest == strSrc && strnlen(strSrc, destMax) < destMax && count >= strlen(strSrc)) return EOK;
  return append(strDest, destMax, 0, strSrc, count);
}

errno_t strcpy_s(char* strDest, size_t destMax, const char* strSrc) {
  return strncpy_s(strDest, destMax, strSrc, SIZE_MAX);
}

errno_t strncat_s(char* strDest, size_t destMax, const char* strSrc, size_t count) {
  if (!strDest) return EINVAL;
  if (!sensible(destMax)) return ERANGE;
  if (!strSrc) return emptied(strDest, EINVAL);
  const size_t used = strnlen(strDest, destMax);
  if (used == destMax) return emptied(strDest, EINVAL);
  return append(strDest, destMax, used, strSrc, count);
}

errno_t strcat_s(char* strDest, size_t destMax, const char* strSrc) {
  return strncat_s(strDest, destMax, strSrc, SIZE_MAX);
}

char* strtok_s(char* strToken, const char* strDelimit, char** context) {
  if (!strDelimit || !context || (!strToken && !*context)) return NULL;
  char* token = strToken ? strToken : *context;
  token += strspn(token, strDelimit);
  char* end = token + strcspn(token, strDelimit);
  *context = *end ? end + 1 : end;
  if (end == token) return NULL;
  *end = '\0';
  return token;
}
