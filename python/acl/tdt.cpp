// SPDX-License-Identifier: Apache-2.0
// acl.tdt: data channels.
#include "acl/acl_tdt.h"

#include "bind.h"

namespace belay::python {
namespace {

acltdtDataItem* create_item(acltdtTensorType tensor, const List<int64_t>& dims, aclDataType type, void* data,
                            size_t size) {
  return acltdtCreateDataItem(tensor, dims.data(), dims.size(), type, data, size);
}

}  // namespace

PyMethodDef* tdt_methods() {
  static PyMethodDef methods[] = {row<"create_data_item", create_item>(),
                                  row<"destroy_data_item", acltdtDestroyDataItem>(),
                                  row<"create_dataset", acltdtCreateDataset>(),
                                  row<"destroy_dataset", acltdtDestroyDataset>(),
                                  row<"add_data_item", acltdtAddDataItem>(),
                                  row<"get_data_item", acltdtGetDataItem>(),
                                  row<"get_dataset_size", acltdtGetDatasetSize>(),
                                  row<"create_channel", acltdtCreateChannel>(),
                                  row<"create_channel_with_capacity", acltdtCreateChannelWithCapacity>(),
                                  row<"stop_channel", acltdtStopChannel>(),
                                  row<"destroy_channel", acltdtDestroyChannel>(),
                                  row<"send_tensor", acltdtSendTensor>(),
                                  row<"receive_tensor", acltdtReceiveTensor>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
