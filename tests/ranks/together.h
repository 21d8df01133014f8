// SPDX-License-Identifier: Apache-2.0
// What the test programs of ranks in several processes share.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hccl/hccl.h"

[[noreturn]] inline void give_up(const char* call, int code) {
  const char* text = aclGetRecentErrMsg();
  std::printf("%s returned %d: %s\n", call, code, text ? text : "");
  std::fflush(stdout);
  std::_Exit(1);
}
#define CHECK(call) \
  if (const int code_ = (call); code_ != 0) give_up(#call, code_)

inline uint32_t number(const char* variable, uint32_t otherwise = 0) {
  const char* text = std::getenv(variable);
  return text ? static_cast<uint32_t>(std::atoi(text)) : otherwise;
}

// The token in the file; one rank makes it, under another name first.
inline HcclRootInfo shared_token(const std::string& path, bool makes) {
  HcclRootInfo token;
  if (makes) {
    CHECK(HcclGetRootInfo(&token));
    FILE* file = std::fopen((path + ".draft").c_str(), "wb");
    if (!file || std::fwrite(&token, sizeof token, 1, file) != 1 || std::fclose(file) != 0) std::_Exit(1);
    std::rename((path + ".draft").c_str(), path.c_str());
    return token;
  }
  for (;; usleep(2000))
    if (FILE* file = std::fopen(path.c_str(), "rb")) {
      const bool whole = std::fread(&token, sizeof token, 1, file) == 1;
      std::fclose(file);
      if (whole) return token;
    }
}
