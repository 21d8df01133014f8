// SPDX-License-Identifier: Apache-2.0
#include "comm/meeting/token.h"

#include <cstring>

namespace belay::comm {
namespace {

constexpr size_t kPort = 64, kIdentifier = 72, kIdentifierBytes = 128;

}  // namespace

HcclRootInfo Token::write() const {
  HcclRootInfo info{};
  std::memcpy(info.internal, ip.data(), std::min(ip.size(), kPort - 1));
  std::memcpy(info.internal + kPort, &port, sizeof port);
  std::memcpy(info.internal + kIdentifier, identifier.data(), std::min(identifier.size(), kIdentifierBytes - 1));
  return info;
}

Result<Token> Token::read(const HcclRootInfo& info) {
  Token token;
  token.ip.assign(info.internal, strnlen(info.internal, kPort));
  std::memcpy(&token.port, info.internal + kPort, sizeof token.port);
  token.identifier.assign(info.internal + kIdentifier, strnlen(info.internal + kIdentifier, kIdentifierBytes));
  if (token.ip.empty() || token.identifier.empty() || token.port > 65535 || token.ip.size() == kPort ||
      token.identifier.size() == kIdentifierBytes)
    return Status{HCCL_E_PARA,
                  "rootInfo is not what HcclGetRootInfo gave: all 4108 bytes of it must reach every rank unchanged",
                  "EI0015"};
  return token;
}

}  // namespace belay::comm
