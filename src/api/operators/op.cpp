// SPDX-License-Identifier: Apache-2.0
// Single operators: executing them by name, or through a handle that was made before.
#include <algorithm>

#include "acl/acl_op.h"
#include "api/core/entry.h"
#include "api/model/data_buffer.h"
#include "api/operators/call.h"
#include "api/operators/handle.h"
#include "api/operators/library.h"
#include "runtime/device/current.h"

using namespace belay;
using namespace belay::api;

namespace {

bool all_empty(const OpDescs& descs) {
  return descs.output_count > 0 && std::all_of(descs.outputs, descs.outputs + descs.output_count,
                                               [](const aclTensorDesc* desc) { return desc->element_count() == 0; });
}

// With `results`, descriptors that may be changed: they get the shapes that came out.
Status execute(const OpDescs& descs, const OpBuffers& buffers, aclTensorDesc* const* results, aclrtStream stream) {
  TRY(check(descs));
  TRY(check(descs, buffers));
  auto target = TRY(find_stream(stream));
  if (all_empty(descs)) return {};
  auto request = request_of(descs, buffers.inputs);
  auto op = TRY(with_code(find_for_execution(request), ACL_ERROR_OP_NOT_FOUND));
  std::vector<graph::Shape> shapes;
  TRY(launch(TRY(place(std::move(op), request, buffers)), target, results ? &shapes : nullptr));
  for (size_t i = 0; i < shapes.size(); ++i) results[i]->dims = shapes[i];
  return {};
}

Status create(const OpDescs& descs, aclopHandle** handle) {
  TRY(not_null(handle, "handle"));
  TRY(check(descs));
  for (int i = 0; i < descs.input_count; ++i)
    if (descs.inputs[i]->placement == ACL_MEMTYPE_HOST ||
        descs.inputs[i]->placement == ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT)
      return {ACL_ERROR_API_NOT_SUPPORT, "inputDesc[" + std::to_string(i) +
                                             "] is in host memory; a handle takes device memory. Use aclopExecuteV2"};
  auto made = std::make_unique<aclopHandle>();
  made->request = request_of(descs);
  made->op = TRY(with_code(find_for_execution(made->request), ACL_ERROR_OP_NOT_FOUND));
  *handle = made.release();
  return {};
}

Status check_count(size_t given, size_t wanted, aclError code, const char* what) {
  if (given == wanted) return {};
  return {code, "the call gives " + std::to_string(given) + " " + what + ", the handle was made for " +
                    std::to_string(wanted)};
}

Status execute(const aclopHandle* handle, int input_count, const aclDataBuffer* const* inputs, int output_count,
               aclDataBuffer* const* outputs, aclrtStream stream) {
  TRY(not_null(handle, "handle"));
  TRY(check_count(static_cast<size_t>(input_count), handle->request.inputs.size(), ACL_ERROR_OP_INPUT_NOT_MATCH,
                  "inputs"));
  TRY(check_count(static_cast<size_t>(output_count), handle->request.outputs.size(), ACL_ERROR_OP_OUTPUT_NOT_MATCH,
                  "outputs"));
  const OpBuffers buffers{inputs, outputs};
  TRY(check(OpDescs{"", input_count, nullptr, output_count, nullptr, nullptr}, buffers));
  auto target = TRY(find_stream(stream));
  return launch(TRY(place(handle->op, handle->request, buffers)), target);
}

}  // namespace

aclError aclopExecute(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
                      const aclDataBuffer* const inputs[], int numOutputs, const aclTensorDesc* const outputDesc[],
                      aclDataBuffer* const outputs[], const aclopAttr* attr, aclrtStream stream) {
  return entry(
      __func__,
      [&] {
        return execute({opType, numInputs, inputDesc, numOutputs, outputDesc, attr}, {inputs, outputs}, nullptr,
                       stream);
      },
      opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, attr, stream);
}

aclError aclopExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[], aclDataBuffer* inputs[],
                        int numOutputs, aclTensorDesc* outputDesc[], aclDataBuffer* outputs[], aclopAttr* attr,
                        aclrtStream stream) {
  return entry(
      __func__,
      [&] {
        return execute({opType, numInputs, inputDesc, numOutputs, outputDesc, attr}, {inputs, outputs}, outputDesc,
                       stream);
      },
      opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, attr, stream);
}

aclError aclopCreateHandle(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[], int numOutputs,
                           const aclTensorDesc* const outputDesc[], const aclopAttr* opAttr, aclopHandle** handle) {
  return entry(
      __func__,
      [&] {
        return create({opType, numInputs, inputDesc, numOutputs, outputDesc, opAttr}, handle);
      },
      opType, numInputs, inputDesc, numOutputs, outputDesc, opAttr, handle);
}

void aclopDestroyHandle(aclopHandle* handle) {
  entry_value(
      __func__, 0,
      [&] {
        delete handle;
        return 0;
      },
      handle);
}

aclError aclopExecWithHandle(aclopHandle* handle, int numInputs, const aclDataBuffer* const inputs[], int numOutputs,
                             aclDataBuffer* const outputs[], aclrtStream stream) {
  return entry(
      __func__, [&] { return execute(handle, numInputs, inputs, numOutputs, outputs, stream); }, handle, numInputs,
      inputs, numOutputs, outputs, stream);
}
