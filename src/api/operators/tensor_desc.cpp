// SPDX-License-Identifier: Apache-2.0
#include "api/operators/tensor_desc.h"

#include <algorithm>
#include <cstring>

#include "acl/acl_base_mdl.h"
#include "api/core/entry.h"

using namespace belay;
using namespace belay::api;

size_t aclTensorDesc::element_count() const {
  size_t count = 1;
  for (const int64_t dim : dims) {
    if (dim < 0) return 0;
    count *= static_cast<size_t>(dim);
  }
  return count;
}

size_t aclTensorDesc::byte_size() const {
  return graph::bytes_of(to_graph(type), static_cast<int64_t>(element_count()));
}

namespace belay::api {

graph::DataType to_graph(aclDataType type) {
  return type == ACL_DT_UNDEFINED ? graph::DataType::Undefined : static_cast<graph::DataType>(type);
}

aclDataType to_acl(graph::DataType type) {
  return type == graph::DataType::Undefined ? ACL_DT_UNDEFINED : static_cast<aclDataType>(type);
}

graph::Format to_graph(aclFormat format) {
  return format == ACL_FORMAT_UNDEFINED ? graph::Format::Reserved : static_cast<graph::Format>(format);
}

aclFormat to_acl(graph::Format format) {
  return format == graph::Format::Reserved ? ACL_FORMAT_UNDEFINED : static_cast<aclFormat>(format);
}

}  // namespace belay::api

namespace {

constexpr int64_t kUnknownRank = -2;

Result<graph::Shape> read_dims(int count, const int64_t* dims) {
  if (count < 0) return Status{ACL_ERROR_INVALID_PARAM, "numDims must not be negative", "EH0009"};
  if (count > 0) TRY(not_null(dims, "dims"));
  return graph::Shape(dims, dims + count);
}

Status check_index(const aclTensorDesc* desc, size_t index) {
  if (index < desc->dims.size()) return {};
  return {
      ACL_ERROR_INVALID_PARAM,
      "index is " + std::to_string(index) + ", but the tensor has " + std::to_string(desc->dims.size()) + " dimensions",
      "EH0009"};
}

}  // namespace

aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims, aclFormat format) {
  return entry_value<aclTensorDesc*>(
      __func__, nullptr,
      [&]() -> aclTensorDesc* {
        auto shape = read_dims(numDims, dims);
        if (!shape.ok()) {
          report("aclCreateTensorDesc", shape.status());
          return nullptr;
        }
        auto desc = std::make_unique<aclTensorDesc>();
        desc->type = dataType;
        desc->format = format;
        desc->dims = std::move(shape).value();
        return desc.release();
      },
      dataType, numDims, dims, format);
}

void aclDestroyTensorDesc(const aclTensorDesc* desc) {
  entry_value(
      __func__, 0,
      [&] {
        delete desc;
        return 0;
      },
      desc);
}

aclError aclSetTensorShapeRange(aclTensorDesc* desc, size_t dimsCount, int64_t (*dimsRange)[2]) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(desc, "desc"));
        if (dimsCount > 0) TRY(not_null(dimsRange, "dimsRange"));
        desc->shape_range.clear();
        for (size_t i = 0; i < dimsCount; ++i) desc->shape_range.emplace_back(dimsRange[i][0], dimsRange[i][1]);
        return {};
      },
      desc, dimsCount, static_cast<const void*>(dimsRange));
}

aclError aclSetTensorValueRange(aclTensorDesc* desc, size_t valueCount, int64_t (*valueRange)[2]) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(desc, "desc"));
        if (valueCount > 0) TRY(not_null(valueRange, "valueRange"));
        desc->value_range.clear();
        for (size_t i = 0; i < valueCount; ++i) desc->value_range.emplace_back(valueRange[i][0], valueRange[i][1]);
        return {};
      },
      desc, valueCount, static_cast<const void*>(valueRange));
}

aclDataType aclGetTensorDescType(const aclTensorDesc* desc) {
  return entry_value(
      __func__, ACL_DT_UNDEFINED, [&] { return desc ? desc->type : ACL_DT_UNDEFINED; }, desc);
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
  return entry_value(
      __func__, ACL_FORMAT_UNDEFINED, [&] { return desc ? desc->format : ACL_FORMAT_UNDEFINED; }, desc);
}

size_t aclGetTensorDescSize(const aclTensorDesc* desc) {
  return entry_value(
      __func__, size_t{0}, [&] { return desc ? desc->byte_size() : 0; }, desc);
}

size_t aclGetTensorDescElementCount(const aclTensorDesc* desc) {
  return entry_value(
      __func__, size_t{0}, [&] { return desc ? desc->element_count() : 0; }, desc);
}

size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) {
  return entry_value(
      __func__, size_t{0},
      [&]() -> size_t {
        if (!desc) return 0;
        if (desc->dims.size() == 1 && desc->dims[0] == kUnknownRank) return ACL_UNKNOWN_RANK;
        return desc->dims.size();
      },
      desc);
}

int64_t aclGetTensorDescDim(const aclTensorDesc* desc, size_t index) {
  return entry_value(
      __func__, int64_t{-1}, [&]() -> int64_t { return desc && index < desc->dims.size() ? desc->dims[index] : -1; },
      desc, index);
}

aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(desc, "desc"));
        TRY(not_null(dimSize, "dimSize"));
        TRY(check_index(desc, index));
        *dimSize = desc->dims[index];
        return {};
      },
      desc, index, dimSize);
}

aclError aclGetTensorDescDimRange(const aclTensorDesc* desc, size_t index, size_t dimRangeNum, int64_t* dimRange) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(desc, "desc"));
        TRY(not_null(dimRange, "dimRange"));
        if (dimRangeNum < ACL_TENSOR_SHAPE_RANGE_NUM)
          return {ACL_ERROR_INVALID_PARAM, "dimRangeNum must be at least 2: a range has two ends", "EH0009"};
        if (index >= desc->shape_range.size())
          return {ACL_ERROR_INVALID_PARAM, "there is no range for dimension " + std::to_string(index), "EH0009"};
        dimRange[0] = desc->shape_range[index].first;
        dimRange[1] = desc->shape_range[index].second;
        return {};
      },
      desc, index, dimRangeNum, dimRange);
}

void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
  entry_value(
      __func__, 0,
      [&] {
        if (desc) desc->name = name ? name : "";
        return 0;
      },
      desc, name);
}

const char* aclGetTensorDescName(aclTensorDesc* desc) {
  return entry_value<const char*>(
      __func__, "", [&] { return desc ? desc->name.c_str() : ""; }, desc);
}

aclError aclTransTensorDescFormat(const aclTensorDesc* srcDesc, aclFormat dstFormat, aclTensorDesc** dstDesc) {
  return entry(
      __func__,
      [&]() -> Status {
        return {ACL_ERROR_API_NOT_SUPPORT, "aclTransTensorDescFormat is not supported; create a new description",
                "EH0011"};
      },
      srcDesc, dstFormat, dstDesc);
}

aclTensorDesc* aclGetTensorDescByIndex(aclTensorDesc* desc, size_t index) {
  return entry_value<aclTensorDesc*>(
      __func__, nullptr,
      [&]() -> aclTensorDesc* {
        if (!desc || index > desc->rest.size()) return nullptr;
        return index == 0 ? desc : &desc->rest[index - 1];
      },
      desc, index);
}

void* aclGetTensorDescAddress(const aclTensorDesc* desc) {
  return entry_value<void*>(
      __func__, nullptr, [&] { return desc ? desc->address : nullptr; }, desc);
}
