// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "securec.h"
#include "securec/bounds.h"

int vsnprintf_s(char* strDest, size_t destMax, size_t count, const char* format, va_list argList) {
  if (!strDest || !sensible(destMax)) return -1;
  strDest[0] = '\0';
  if (!format) return -1;
  const size_t room = count < destMax ? count + 1 : destMax;
  const int length = vsnprintf(strDest, room, format, argList);
  if (length >= 0 && (size_t)length < room) return length;
  const int cut_as_asked = length >= 0 && (count < destMax || count == SIZE_MAX);
  if (!cut_as_asked) strDest[0] = '\0';
  return -1;
}

int snprintf_s(char* strDest, size_t destMax, size_t count, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf_s(strDest, destMax, count, format, arguments);
  va_end(arguments);
  return length;
}

int sprintf_s(char* strDest, size_t destMax, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf_s(strDest, destMax, destMax, format, arguments);
  va_end(arguments);
  return length;
}
