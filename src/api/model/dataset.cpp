// SPDX-License-Identifier: Apache-2.0
#include "api/model/dataset.h"

#include "api/core/entry.h"

using namespace belay;
using namespace belay::api;

aclTensorDesc* aclmdlDataset::Entry::desc() {
  if (auto told = late_ ? late_->take() : nullptr) set_desc(std::move(told));
  return desc_.get();
}

void aclmdlDataset::Entry::set_desc(std::unique_ptr<aclTensorDesc> desc, std::shared_ptr<LateDesc> late) {
  desc_ = std::move(desc);
  late_ = std::move(late);
}

aclmdlDataset* aclmdlCreateDataset() {
  return entry_value<aclmdlDataset*>(__func__, nullptr, [] { return new aclmdlDataset; });
}

aclError aclmdlDestroyDataset(const aclmdlDataset* dataset) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(dataset, "dataset"));
        delete dataset;  // the data buffers and their memory stay the program's
        return {};
      },
      dataset);
}

aclError aclmdlAddDatasetBuffer(aclmdlDataset* dataset, aclDataBuffer* dataBuffer) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(dataset, "dataset"));
        TRY(not_null(dataBuffer, "dataBuffer"));
        dataset->entries.emplace_back(dataBuffer);
        return {};
      },
      dataset, dataBuffer);
}

aclError aclmdlSetDatasetTensorDesc(aclmdlDataset* dataset, aclTensorDesc* tensorDesc, size_t index) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(dataset, "dataset"));
        if (index >= dataset->entries.size())
          return {ACL_ERROR_INVALID_PARAM,
                  "index is " + std::to_string(index) + ", but the dataset has " +
                      std::to_string(dataset->entries.size()) + " buffers",
                  "EH0009"};
        dataset->entries[index].set_desc(tensorDesc ? std::make_unique<aclTensorDesc>(*tensorDesc) : nullptr);
        return {};
      },
      dataset, tensorDesc, index);
}

aclTensorDesc* aclmdlGetDatasetTensorDesc(const aclmdlDataset* dataset, size_t index) {
  return entry_value<aclTensorDesc*>(
      __func__, nullptr,
      [&]() -> aclTensorDesc* {
        return dataset && index < dataset->entries.size() ? dataset->entries[index].desc() : nullptr;
      },
      dataset, index);
}

size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset* dataset) {
  return entry_value(
      __func__, size_t{0}, [&] { return dataset ? dataset->entries.size() : 0; }, dataset);
}

aclDataBuffer* aclmdlGetDatasetBuffer(const aclmdlDataset* dataset, size_t index) {
  return entry_value<aclDataBuffer*>(
      __func__, nullptr,
      [&]() -> aclDataBuffer* {
        return dataset && index < dataset->entries.size() ? dataset->entries[index].buffer : nullptr;
      },
      dataset, index);
}
