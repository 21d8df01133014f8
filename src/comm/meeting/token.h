// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "hccl/hccl_types.h"

namespace belay::comm {

// What HcclGetRootInfo gives to all ranks: where they meet, and which of the meetings there is theirs.
struct Token {
  std::string ip;
  uint32_t port = 0;
  std::string identifier;  // "<ip>_<port>_<physical device>_<microseconds>"

  // In the vendor's layout: ip at 0, port at 64, 0 (host card) at 68, identifier at 72, zeros after.
  HcclRootInfo write() const;
  // E_PARA, EI0015 when these bytes are no token.
  static Result<Token> read(const HcclRootInfo& info);
};

}  // namespace belay::comm
