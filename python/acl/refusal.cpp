// SPDX-License-Identifier: Apache-2.0
#include "refusal.h"

#include "acl/acl_rt.h"
#include "gil.h"

namespace belay::python {
namespace {

thread_local std::string last_refusal;

}  // namespace

int refuse(const Site& site) {
  const char* module = PyModule_GetName(site.module);
  std::string text = std::string(module ? module : "acl") + "." + site.name +
                     " is not supported by Belay: there is no media hardware to do it";
  without_gil([&] { aclAppLog(ACL_ERROR, site.name, "acl", 0, "%s", text.c_str()); });
  last_refusal = std::move(text);
  return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}

std::string take_refusal() { return std::exchange(last_refusal, {}); }

}  // namespace belay::python
