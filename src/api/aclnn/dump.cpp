// SPDX-License-Identifier: Apache-2.0
// Dumping tensors that a program names itself, as if an operator had them.
#include "aclnn/acl_meta.h"
#include "api/aclnn/objects.h"
#include "api/core/entry.h"
#include "api/memory/strided_copy.h"
#include "api/operators/tensor_desc.h"
#include "dump/observers/recorder.h"
#include "opdev/op_errno.h"
#include "operators/watch.h"
#include "runtime/device/context.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"

using namespace belay;
using namespace belay::api;

namespace {

// The tensors of one call: read when the stream gets there.
struct NamedTensors {
  graph::Node node;
  std::vector<TensorView> views;
  size_t inputs;
  std::shared_ptr<executor::Observer> observer;
  executor::RunInfo info{};

  void show() {
    std::vector<std::vector<std::byte>> dense(views.size());
    std::vector<backend::Tensor> tensors;
    for (size_t i = 0; i < views.size(); ++i) {
      dense[i].resize(views[i].bytes());
      if (views[i].data) gather_view(views[i], dense[i].data());
      tensors.push_back({to_graph(views[i].type), views[i].shape, backend::Layout::Plain, dense[i].data()});
    }
    const std::span all(tensors);
    observer->starts(info, node, all.first(inputs));
    observer->ran(info, node, all.first(inputs), all.subspan(inputs));
  }
};

Status dump_tensors(const char* type, const char* name, aclTensor** tensors, size_t inputs, size_t outputs,
                    aclrtStream stream) {
  for (const void* given : {static_cast<const void*>(type), static_cast<const void*>(name)})
    if (!given) return {ACLNN_ERR_PARAM_NULLPTR, "opType and opName must not be null"};
  if (inputs + outputs > 0 && !tensors) return {ACLNN_ERR_PARAM_NULLPTR, "parameter tensors must not be null"};
  auto target = TRY(find_stream(stream));
  auto made = std::make_unique<NamedTensors>();
  made->observer = dump::recorder().watch_operator(dump::OperatorLevel::Call);
  if (!made->observer) return {};
  made->node.type = type;
  made->node.name = name;
  for (size_t i = 0; i < inputs + outputs; ++i) {
    if (!tensors[i]) return {ACLNN_ERR_PARAM_NULLPTR, "a tensor is null"};
    const TensorView& view = made->views.emplace_back(*tensors[i]->view);
    graph::TensorDesc desc{.type = to_graph(view.type), .shape = view.shape, .origin_shape = view.shape};
    (i < inputs ? made->node.input_descs : made->node.outputs).push_back(std::move(desc));
    if (i < inputs) made->node.inputs.push_back({static_cast<int>(i), 0});
  }
  made->inputs = inputs;
  made->info.stream_id = static_cast<uint32_t>(target->id());
  made->info.task_id = target->next_operator_id();
  made->info.device_id = target->context()->device().id();
  return target->launch([made = std::move(made)] { made->show(); });
}

}  // namespace

aclnnStatus aclDumpOpTensors(const char* opType, const char* opName, aclTensor** tensors, size_t inputTensorNum,
                             size_t outputTensorNum, aclrtStream stream) {
  return entry(
      __func__, [&] { return dump_tensors(opType, opName, tensors, inputTensorNum, outputTensorNum, stream); }, opType,
      opName, tensors, inputTensorNum, outputTensorNum, stream);
}
