// SPDX-License-Identifier: Apache-2.0
// Tensors of aclnn calls: a view of memory that the program owns.
#include <algorithm>

#include "aclnn/acl_meta.h"
#include "api/aclnn/objects.h"
#include "api/core/entry.h"
#include "opdev/op_errno.h"

using namespace belay;
using namespace belay::api;

namespace {

Status needed(const void* pointer, const char* parameter) {
  if (pointer) return {};
  return {ACLNN_ERR_PARAM_NULLPTR, std::string("parameter ") + parameter + " must not be null"};
}

// Whether the elements can be counted at all is checked by who uses them.
graph::Shape row_major(const graph::Shape& shape) {
  graph::Shape strides(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    (void)__builtin_mul_overflow(step, shape[i], &step);
  }
  return strides;
}

Result<TensorView> make_view(const int64_t* dims, uint64_t rank, aclDataType type, const int64_t* strides,
                             int64_t offset, aclFormat format, const int64_t* storage, uint64_t storage_rank,
                             void* data) {
  if (rank > 0) TRY(needed(dims, "viewDims"));
  if (storage_rank > 0) TRY(needed(storage, "storageDims"));
  TensorView view{.type = type, .offset = offset, .format = format, .data = data};
  view.shape.assign(dims, dims + rank);
  view.strides = strides ? graph::Shape(strides, strides + rank) : row_major(view.shape);
  view.storage_shape.assign(storage, storage + storage_rank);
  return view;
}

// A new array that the program releases with delete[].
Status hand_out(const graph::Shape& shape, int64_t** values, uint64_t* count) {
  auto* made = new int64_t[std::max<size_t>(shape.size(), 1)];
  std::copy(shape.begin(), shape.end(), made);
  *values = made;
  *count = shape.size();
  return {};
}

Status get_list(const aclTensor* tensor, graph::Shape TensorView::*list, int64_t** values, uint64_t* count) {
  TRY(needed(tensor, "tensor"));
  TRY(needed(values, "dims"));
  TRY(needed(count, "dimsNum"));
  return hand_out((*tensor->view).*list, values, count);
}

template <class Field, class Value>
Status get_field(const aclTensor* tensor, Field TensorView::*field, Value* value, const char* parameter) {
  TRY(needed(tensor, "tensor"));
  TRY(needed(value, parameter));
  *value = (*tensor->view).*field;
  return {};
}

}  // namespace

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t* stride,
                           int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                           void* tensorData) {
  return entry_value<aclTensor*>(
      __func__, nullptr,
      [&]() -> aclTensor* {
        auto view =
            make_view(viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum, tensorData);
        if (view.ok()) return new aclTensor{std::make_shared<TensorView>(std::move(view).value())};
        report("aclCreateTensor", view.status());
        return nullptr;
      },
      viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum, tensorData);
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                          const int64_t* stride, int64_t offset, aclFormat format, const int64_t* storageDims,
                          uint64_t storageDimsNum, void* tensorDataAddr) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(needed(tensor, "tensor"));
        *tensor->view = TRY(make_view(viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
                                      storageDimsNum, tensorDataAddr));
        return {};
      },
      tensor, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum, tensorDataAddr);
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  return entry(
      __func__,
      [&]() -> Status {
        delete tensor;
        return {};
      },
      tensor);
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
  return entry(
      __func__, [&] { return get_list(tensor, &TensorView::shape, viewDims, viewDimsNum); }, tensor, viewDims,
      viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims, uint64_t* storageDimsNum) {
  return entry(
      __func__, [&] { return get_list(tensor, &TensorView::storage_shape, storageDims, storageDimsNum); }, tensor,
      storageDims, storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum) {
  return entry(
      __func__, [&] { return get_list(tensor, &TensorView::strides, stridesValue, stridesNum); }, tensor, stridesValue,
      stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  return entry(
      __func__, [&] { return get_field(tensor, &TensorView::offset, offset, "offset"); }, tensor, offset);
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  return entry(
      __func__, [&] { return get_field(tensor, &TensorView::format, format, "format"); }, tensor, format);
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
  return entry(
      __func__, [&] { return get_field(tensor, &TensorView::type, dataType, "dataType"); }, tensor, dataType);
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(needed(tensor, "tensor"));
        tensor->view->data = addr;
        return {};
      },
      tensor, addr);
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
  return entry(
      __func__, [&] { return get_field(tensor, &TensorView::data, addr, "addr"); }, tensor, addr);
}
