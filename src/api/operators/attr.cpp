// SPDX-License-Identifier: Apache-2.0
// Attributes of single operators. Setting one again replaces it.
#include "api/operators/attr.h"

#include "api/core/entry.h"
#include "api/operators/tensor_desc.h"

using namespace belay;
using namespace belay::api;

namespace {

Status check(const aclopAttr* attr, const char* name) {
  TRY(not_null(attr, "attr"));
  return not_null(name, "attrName");
}

template <class Value>
Status set(aclopAttr* attr, const char* name, Value value) {
  TRY(check(attr, name));
  attr->values[name] = std::move(value);
  return {};
}

// `convert` makes an element of the list from one of the program's.
template <class Element, class Given, class Convert>
Status set_list(aclopAttr* attr, const char* name, int count, const Given* values, Convert convert) {
  TRY(check(attr, name));
  if (count < 0) return {ACL_ERROR_INVALID_PARAM, "numValues must not be negative", "EH0009"};
  if (count > 0) TRY(not_null(values, "values"));
  std::vector<Element> list;
  for (int i = 0; i < count; ++i) list.push_back(convert(values[i]));
  attr->values[name] = std::move(list);
  return {};
}

Status set_texts(aclopAttr* attr, const char* name, int count, const char** values) {
  for (int i = 0; values && i < count; ++i) TRY(not_null(values[i], "values"));
  return set_list<std::string>(attr, name, count, values, [](const char* text) { return std::string(text); });
}

Status set_lists(aclopAttr* attr, const char* name, int lists, const int* counts, const int64_t* const* values) {
  TRY(check(attr, name));
  if (lists < 0) return {ACL_ERROR_INVALID_PARAM, "numLists must not be negative", "EH0009"};
  if (lists > 0) TRY(not_null(counts, "numValues"));
  if (lists > 0) TRY(not_null(values, "values"));
  std::vector<std::vector<int64_t>> made;
  for (int i = 0; i < lists; ++i) {
    if (counts[i] < 0) return {ACL_ERROR_INVALID_PARAM, "numValues must not be negative", "EH0009"};
    if (counts[i] > 0) TRY(not_null(values[i], "values"));
    made.emplace_back(values[i], values[i] + counts[i]);
  }
  attr->values[name] = std::move(made);
  return {};
}

}  // namespace

aclopAttr* aclopCreateAttr() {
  return entry_value<aclopAttr*>(__func__, nullptr, [] { return new aclopAttr; });
}

void aclopDestroyAttr(const aclopAttr* attr) {
  entry_value(
      __func__, 0,
      [&] {
        delete attr;
        return 0;
      },
      attr);
}

aclError aclopSetAttrBool(aclopAttr* attr, const char* attrName, uint8_t attrValue) {
  return entry(
      __func__, [&] { return set(attr, attrName, attrValue != 0); }, attr, attrName, attrValue);
}

aclError aclopSetAttrInt(aclopAttr* attr, const char* attrName, int64_t attrValue) {
  return entry(
      __func__, [&] { return set(attr, attrName, attrValue); }, attr, attrName, attrValue);
}

aclError aclopSetAttrFloat(aclopAttr* attr, const char* attrName, float attrValue) {
  return entry(
      __func__, [&] { return set(attr, attrName, attrValue); }, attr, attrName, attrValue);
}

aclError aclopSetAttrString(aclopAttr* attr, const char* attrName, const char* attrValue) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(attrValue, "attrValue"));
        return set(attr, attrName, std::string(attrValue));
      },
      attr, attrName, attrValue);
}

aclError aclopSetAttrDataType(aclopAttr* attr, const char* attrName, aclDataType attrValue) {
  return entry(
      __func__, [&] { return set(attr, attrName, to_graph(attrValue)); }, attr, attrName, attrValue);
}

aclError aclopSetAttrListDataType(aclopAttr* attr, const char* attrName, int numValues, const aclDataType values[]) {
  return entry(
      __func__,
      [&] {
        return set_list<graph::DataType>(attr, attrName, numValues, values, [](aclDataType t) { return to_graph(t); });
      },
      attr, attrName, numValues, values);
}

aclError aclopSetAttrListBool(aclopAttr* attr, const char* attrName, int numValues, const uint8_t* values) {
  return entry(
      __func__,
      [&] { return set_list<bool>(attr, attrName, numValues, values, [](uint8_t value) { return value != 0; }); }, attr,
      attrName, numValues, values);
}

aclError aclopSetAttrListInt(aclopAttr* attr, const char* attrName, int numValues, const int64_t* values) {
  return entry(
      __func__,
      [&] { return set_list<int64_t>(attr, attrName, numValues, values, [](int64_t value) { return value; }); }, attr,
      attrName, numValues, values);
}

aclError aclopSetAttrListFloat(aclopAttr* attr, const char* attrName, int numValues, const float* values) {
  return entry(
      __func__, [&] { return set_list<float>(attr, attrName, numValues, values, [](float value) { return value; }); },
      attr, attrName, numValues, values);
}

aclError aclopSetAttrListString(aclopAttr* attr, const char* attrName, int numValues, const char** values) {
  return entry(
      __func__, [&] { return set_texts(attr, attrName, numValues, values); }, attr, attrName, numValues, values);
}

aclError aclopSetAttrListListInt(aclopAttr* attr, const char* attrName, int numLists, const int* numValues,
                                 const int64_t* const values[]) {
  return entry(
      __func__, [&] { return set_lists(attr, attrName, numLists, numValues, values); }, attr, attrName, numLists,
      numValues, values);
}
