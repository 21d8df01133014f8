// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace belay {

// Where packages leave their version.info.
struct PackagePlaces {
  const char* home;                                       // ASCEND_HOME_PATH; null: not set
  std::string install_info = "/etc/ascend_install.info";  // says where driver and firmware are
};

enum class NameRetry { Underscore, Both };

// The text after "Version=" of a package. When there is no directory of its name, dashes are tried as underscores and,
// with Both, underscores as dashes. ACL_ERROR_INVALID_FILE when there is no such text.
Result<std::string> package_version(const std::string& package, const PackagePlaces& places, NameRetry retry);

// 9.1.0 is 90100000, 9.1.0-rc.1 is 90099901. ACL_ERROR_INTERNAL_ERROR for a text of another shape.
Result<int32_t> version_number(std::string_view text);

// The text with a -suffix made one more part (9.1.0.rc1), and its first four parts; missing ones are "0".
// ACL_ERROR_INVALID_FILE when there are fewer than two.
struct VersionParts {
  std::string text;
  std::array<std::string, 4> parts;
};
Result<VersionParts> version_parts(std::string_view text);

}  // namespace belay
