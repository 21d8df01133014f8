// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "acl/acl_mdl.h"
#include "api/data_buffer.h"
#include "api/tensor_desc.h"

// The inputs or outputs of one execution: data buffers of the program's, and what is known of their tensors.
struct aclmdlDataset {
  struct Entry {
    aclDataBuffer* buffer;
    std::unique_ptr<aclTensorDesc> desc;  // null: not set
  };
  std::vector<Entry> entries;
  bool gear_set = false;  // a dynamic batch, size or dims was set through this dataset
};
