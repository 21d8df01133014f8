// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl_mdl.h"
#include "graph/om/om.h"

// What goes into a model and comes out. It outlives the model; two getters that need the model itself then fail.
struct aclmdlDesc {
  uint32_t model_id = 0;  // 0: made from a file, nothing is loaded
  belay::graph::ModelInOut in_out;
  std::map<std::string, std::string> real_names;     // alias of a name that was too long → the name
  std::map<std::string, std::string> op_attributes;  // texts handed out by aclmdlGetOpAttr, kept here

  // The name as aclmdlIODims holds it: an alias when it is too long.
  std::string short_name(const std::string& name, const char* kind, size_t index);
};

namespace belay::api {

// The inputs whose dimensions make up a gear, in the order in which they were named at conversion.
std::vector<const graph::InOutInfo*> inputs_in_gear_order(const graph::ModelInOut& in_out);

}  // namespace belay::api
