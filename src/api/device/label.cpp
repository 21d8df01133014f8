// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/label.h"

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/text.h"
#include "runtime/device/current.h"
#include "runtime/memory/blocks.h"

using namespace belay;
using namespace belay::api;

namespace {

// Jumps make sense only among the tasks of a model that is being built: a plain stream runs each task once, in order.
Status refuse_unbound(const Stream& stream) {
  return {
      ACL_ERROR_RT_STREAM_MODEL,
      formatted("stream {} is not bound to a model: labels work between aclmdlRIBindStream and aclmdlRIEndTask only",
                stream.id())};
}

Status create_list(aclrtLabel* labels, size_t count, aclrtLabelList* handle) {
  TRY(not_null(labels, "labels"));
  TRY(not_null(handle, "labelList"));
  if (count == 0) return {ACL_ERROR_RT_PARAM_INVALID, "num is 0; a list needs at least one label"};
  const auto context = TRY(current_context());
  auto list = std::make_shared<LabelList>();
  for (size_t i = 0; i < count; ++i) {
    auto label = TRY(find_label(labels[i]));
    if (label->context != context)
      return {ACL_ERROR_RT_LABEL_CONTEXT, formatted("labels[{}] belongs to another context", i)};
    list->labels.push_back(std::move(label));
  }
  *handle = label_list_table().insert(std::move(list));
  return {};
}

Status set_label(aclrtLabel handle, aclrtStream stream) {
  TRY(not_null(handle, "label"));
  const auto label = TRY(find_label(handle));
  const auto target = TRY(find_stream(stream));
  if (label->context != target->context())
    return {ACL_ERROR_RT_LABEL_CONTEXT, "the label belongs to another context than the stream"};
  return refuse_unbound(*target);
}

Status switch_label(void* index, uint32_t max_value, aclrtLabelList list, aclrtStream stream) {
  TRY(not_null(index, "ptr"));
  TRY(not_null(list, "labelList"));
  const auto labels = TRY(find_label_list(list));
  const auto target = TRY(find_stream(stream));
  if (max_value == 0 || max_value > labels->labels.size())
    return {ACL_ERROR_RT_PARAM_INVALID, formatted("maxValue is {}; it must be from 1 to {}, the labels in the list",
                                                  max_value, labels->labels.size())};
  TRY(blocks().check_range(index, sizeof(uint32_t), "ptr"));
  return refuse_unbound(*target);
}

}  // namespace

aclError aclrtCreateLabel(aclrtLabel* label) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(label, "label"));
        *label = label_table().insert(std::make_shared<Label>(Label{TRY(current_context())}));
        return {};
      },
      label);
}

aclError aclrtDestroyLabel(aclrtLabel label) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(label, "label"));
        TRY(find_label(label));
        label_table().remove(label);
        return {};
      },
      label);
}

aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream) {
  return entry(
      __func__, [&] { return set_label(label, stream); }, label, stream);
}

aclError aclrtCreateLabelList(aclrtLabel* labels, size_t num, aclrtLabelList* labelList) {
  return entry(
      __func__, [&] { return create_list(labels, num, labelList); }, labels, num, labelList);
}

aclError aclrtDestroyLabelList(aclrtLabelList labelList) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(labelList, "labelList"));
        TRY(find_label_list(labelList));
        label_list_table().remove(labelList);
        return {};
      },
      labelList);
}

aclError aclrtSwitchLabelByIndex(void* ptr, uint32_t maxValue, aclrtLabelList labelList, aclrtStream stream) {
  return entry(
      __func__, [&] { return switch_label(ptr, maxValue, labelList, stream); }, ptr, maxValue, labelList, stream);
}
