// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "runtime/handle_table.h"

namespace belay {

class Context;

// A place in the tasks of a model that another task can jump to. Belongs to a context.
struct Label {
  std::shared_ptr<Context> context;
};

// The labels that one jump chooses from, by index.
struct LabelList {
  std::vector<std::shared_ptr<Label>> labels;
};

HandleTable<Label>& label_table();
HandleTable<LabelList>& label_list_table();

// 107017 for a handle that is dead or something else.
Result<std::shared_ptr<Label>> find_label(const void* handle);
Result<std::shared_ptr<LabelList>> find_label_list(const void* handle);

}  // namespace belay
