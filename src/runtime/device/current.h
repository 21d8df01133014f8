// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "acl/acl_base.h"
#include "base/status.h"
#include "runtime/device/context.h"

namespace belay {

// The calling thread's context; 107002 without one, after the default device of aclInit's configuration was tried.
Result<std::shared_ptr<Context>> current_context();
// The same without the default device; null when there is none or it was destroyed.
std::shared_ptr<Context> peek_current_context();
// Makes `context` the calling thread's; null forgets it.
void set_current_context(std::shared_ptr<Context> context);

// The stream a handle names, for calls that queue work: null means the default stream of the current context. 107017
// for a dead handle, 107002 without a context, 107003 for a stream of another context.
Result<std::shared_ptr<Stream>> find_stream(aclrtStream handle);
// The same without the demand that the stream belong to the current context.
Result<std::shared_ptr<Stream>> find_any_stream(aclrtStream handle);

// The device that threads without a context use; -1: none.
void set_default_device(int device);
int default_device();

}  // namespace belay
