// SPDX-License-Identifier: Apache-2.0
// Scalars, arrays and lists of aclnn calls.
#include <cstring>

#include "aclnn/acl_meta.h"
#include "api/aclnn/objects.h"
#include "api/core/entry.h"
#include "api/operators/tensor_desc.h"
#include "opdev/op_errno.h"

using namespace belay;
using namespace belay::api;

namespace {

template <class Array, class Element>
Array* make_array(const char* function, const Element* values, uint64_t size) {
  return entry_value<Array*>(
      function, nullptr,
      [&]() -> Array* {
        if (!values && size > 0) {
          report(function, {ACLNN_ERR_PARAM_NULLPTR, "parameter value must not be null"});
          return nullptr;
        }
        auto made = std::make_unique<Array>();
        for (uint64_t i = 0; i < size; ++i) made->values.push_back(values[i]);
        return made.release();
      },
      values, size);
}

template <class List, class Member>
List* make_list(const char* function, const Member* const* values, uint64_t size) {
  return entry_value<List*>(
      function, nullptr,
      [&]() -> List* {
        if (!values && size > 0) {
          report(function, {ACLNN_ERR_PARAM_NULLPTR, "parameter value must not be null"});
          return nullptr;
        }
        return new List{{values, values + size}};
      },
      values, size);
}

template <class Object>
aclnnStatus destroy(const char* function, const Object* object) {
  return entry(
      function,
      [&]() -> Status {
        delete object;
        return {};
      },
      object);
}

template <class List>
aclnnStatus destroy_list(const char* function, const List* list) {
  return entry(
      function,
      [&]() -> Status {
        if (list)
          for (const auto* member : list->members) delete member;
        delete list;
        return {};
      },
      list);
}

aclnnStatus tell_size(const char* function, const void* object, uint64_t* size, auto count) {
  return entry(
      function,
      [&]() -> Status {
        if (!object || !size) return {ACLNN_ERR_PARAM_NULLPTR, "neither parameter may be null"};
        *size = count();
        return {};
      },
      object, size);
}

}  // namespace

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  return entry_value<aclScalar*>(
      __func__, nullptr,
      [&]() -> aclScalar* {
        const size_t bytes = graph::bits_of(to_graph(dataType)) / 8;
        if (!value || bytes == 0 || bytes > sizeof(Scalar::bytes)) {
          report("aclCreateScalar", {ACLNN_ERR_PARAM_NULLPTR, "value must not be null, and dataType have a size"});
          return nullptr;
        }
        auto* made = new aclScalar;
        made->value.type = dataType;
        std::memcpy(made->value.bytes, value, bytes);
        return made;
      },
      value, dataType);
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return make_array<aclIntArray>(__func__, value, size);
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  return make_array<aclFloatArray>(__func__, value, size);
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  return make_array<aclBoolArray>(__func__, value, size);
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
  return make_list<aclTensorList>(__func__, value, size);
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
  return make_list<aclScalarList>(__func__, value, size);
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) { return destroy(__func__, scalar); }

aclnnStatus aclDestroyIntArray(const aclIntArray* array) { return destroy(__func__, array); }

aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) { return destroy(__func__, array); }

aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) { return destroy(__func__, array); }

aclnnStatus aclDestroyTensorList(const aclTensorList* array) { return destroy_list(__func__, array); }

aclnnStatus aclDestroyScalarList(const aclScalarList* array) { return destroy_list(__func__, array); }

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return tell_size(__func__, array, size, [&] { return array->values.size(); });
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  return tell_size(__func__, array, size, [&] { return array->values.size(); });
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return tell_size(__func__, array, size, [&] { return array->values.size(); });
}

aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) {
  return tell_size(__func__, tensorList, size, [&] { return tensorList->members.size(); });
}

aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) {
  return tell_size(__func__, scalarList, size, [&] { return scalarList->members.size(); });
}
