// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/content.h"

namespace belay::report {

// Whether this build has the page: without esbuild it is made without.
bool has_page();

// The page with everything in it: one HTML file that needs no other. 200006 when this build has no page.
Result<std::string> page_with(const Content& content);

// The page that asks the server it came from.
Result<std::string> live_page();

// What the page unpacks: the length of the JSON (4 bytes, little-endian), the JSON, the bytes.
std::string packed(const Content& content);

}  // namespace belay::report
