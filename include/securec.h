// SPDX-License-Identifier: Apache-2.0
// Bounds-checked memory and string functions. Link with -lc_sec.
#ifndef SECUREC_H_
#define SECUREC_H_

#include "securectype.h"

#ifdef __cplusplus
extern "C" {
#endif

// Memory. EOK, or non-zero when a pointer is null, `count` exceeds `destMax`, or copied ranges overlap (memcpy_s).
// A destination that is not null is cleared when the copy is refused.
errno_t memset_s(void* dest, size_t destMax, int c, size_t count);
errno_t memcpy_s(void* dest, size_t destMax, const void* src, size_t count);
errno_t memmove_s(void* dest, size_t destMax, const void* src, size_t count);

// Strings. EOK, or non-zero when a pointer is null or the result with its end does not fit in `destMax`; the
// destination is then the empty string.
errno_t strcpy_s(char* strDest, size_t destMax, const char* strSrc);
errno_t strncpy_s(char* strDest, size_t destMax, const char* strSrc, size_t count);
errno_t strcat_s(char* strDest, size_t destMax, const char* strSrc);
errno_t strncat_s(char* strDest, size_t destMax, const char* strSrc, size_t count);

// The next token of `strToken`, or of `*context` when that is null; null when there is none.
char* strtok_s(char* strToken, const char* strDelimit, char** context);

// Formatted output. The number of characters written, or -1 when a pointer is null, the format is wrong or the text
// does not fit: in `destMax` (the destination is then empty), or in `count` (it is then cut to `count` characters).
int sprintf_s(char* strDest, size_t destMax, const char* format, ...) __attribute__((format(printf, 3, 4)));
int snprintf_s(char* strDest, size_t destMax, size_t count, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
int vsnprintf_s(char* strDest, size_t destMax, size_t count, const char* format, va_list argList)
    __attribute__((format(printf, 4, 0)));

// Formatted input. Each %s, %c and %[ takes two arguments: the buffer and its size. The number of fields stored, or -1.
int sscanf_s(const char* buffer, const char* format, ...);

#ifdef __cplusplus
}
#endif

#endif  // SECUREC_H_
