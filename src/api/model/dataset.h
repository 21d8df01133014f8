// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "acl/acl_mdl.h"
#include "api/model/data_buffer.h"
#include "api/operators/tensor_desc.h"

namespace belay::api {

// What only a run can tell of an output. The run leaves it here; the dataset, if there still is one, takes it.
class LateDesc {
 public:
  void leave(std::unique_ptr<aclTensorDesc> desc) {
    std::lock_guard lock(mutex_);
    desc_ = std::move(desc);
  }
  std::unique_ptr<aclTensorDesc> take() {
    std::lock_guard lock(mutex_);
    return std::move(desc_);
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<aclTensorDesc> desc_;  // guarded by mutex_
};

}  // namespace belay::api

// The inputs or outputs of one execution: data buffers of the program's, and what is known of their tensors.
struct aclmdlDataset {
  class Entry {
   public:
    explicit Entry(aclDataBuffer* data) : buffer(data) {}
    // Null: not set.
    aclTensorDesc* desc();
    void set_desc(std::unique_ptr<aclTensorDesc> desc, std::shared_ptr<belay::api::LateDesc> late = nullptr);

    aclDataBuffer* buffer;

   private:
    std::unique_ptr<aclTensorDesc> desc_;
    std::shared_ptr<belay::api::LateDesc> late_;  // replaces desc_ when a run has left something there
  };
  // Reading a description may take over what a run has left.
  mutable std::vector<Entry> entries;
  bool gear_set = false;  // a dynamic batch, size or dims was set through this dataset
};
