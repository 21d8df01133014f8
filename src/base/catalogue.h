// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "acl/acl_base.h"

namespace belay {

// A numbered kind of error message, as the AscendCL documentation lists them.
struct MessageKind {
  std::string_view id;  // "EH0008"
  const char* title;
  const char* solution;  // null: the message itself says what to do

  // Codes that end in 9999 mean a failure inside, not a mistake of the caller.
  bool internal() const { return id.ends_with("9999"); }
};

// The kind of that id. One that is not listed gets a general title and keeps its id.
MessageKind message_kind(const char* id);

// The id for an error that came without one.
const char* usual_message_id(aclError code);

}  // namespace belay
