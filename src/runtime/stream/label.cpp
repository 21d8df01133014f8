// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/label.h"

#include "acl/acl_rt.h"

namespace belay {

HandleTable<Label>& label_table() {
  static auto& table = *new HandleTable<Label>(0x20);
  return table;
}

HandleTable<LabelList>& label_list_table() {
  static auto& table = *new HandleTable<LabelList>(0x21);
  return table;
}

Result<std::shared_ptr<Label>> find_label(const void* handle) {
  if (auto label = label_table().find(handle)) return label;
  return Status{ACL_ERROR_RT_INVALID_HANDLE, "label is not a live label: it was destroyed, or is something else",
                "EE1017"};
}

Result<std::shared_ptr<LabelList>> find_label_list(const void* handle) {
  if (auto list = label_list_table().find(handle)) return list;
  return Status{ACL_ERROR_RT_INVALID_HANDLE,
                "labelList is not a live label list: it was destroyed, or is something else", "EE1017"};
}

}  // namespace belay
