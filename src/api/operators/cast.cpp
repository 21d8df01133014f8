// SPDX-License-Identifier: Apache-2.0
// Conversions between types, and shapes without running anything.
#include <cstdlib>

#include "acl/acl_op.h"
#include "api/core/entry.h"
#include "api/model/data_buffer.h"
#include "api/operators/call.h"
#include "api/operators/handle.h"
#include "base/strict.h"
#include "base/text.h"
#include "runtime/device/current.h"

using namespace belay;
using namespace belay::api;

namespace {

operators::OperatorRequest cast_request(const aclTensorDesc* from, const aclTensorDesc* to) {
  auto request = request_of({"Cast", 1, &from, 1, &to, nullptr});
  request.attributes["dst_type"] = static_cast<int64_t>(request.outputs[0].type);
  return request;
}

Status check_cast(const aclTensorDesc* from, const aclTensorDesc* to, uint8_t truncate) {
  TRY(not_null(from, "srcDesc"));
  TRY(not_null(to, "dstDesc"));
  if (truncate != 0) return {ACL_ERROR_FEATURE_UNSUPPORTED, formatted("truncate is {}; only 0 is supported", truncate)};
  return check(OpDescs{"Cast", 1, &from, 1, &to, nullptr});
}

Status cast(const aclTensorDesc* from, const aclDataBuffer* source, const aclTensorDesc* to, aclDataBuffer* target,
            uint8_t truncate, aclrtStream stream) {
  TRY(check_cast(from, to, truncate));
  TRY(not_null(source, "srcBuffer"));
  TRY(not_null(target, "dstBuffer"));
  auto queue = TRY(find_stream(stream));
  const auto request = cast_request(from, to);
  auto op = TRY(with_code(operators::find_operator(request), ACL_ERROR_OP_NOT_FOUND));
  return launch(TRY(place(std::move(op), request, {&source, &target})), queue);
}

Status check_opp_path() {
  if (!strict_mode()) return {};
  const char* path = std::getenv("ASCEND_OPP_PATH");
  if (path && *path) return {};
  return {ACL_ERROR_INVALID_OPP_PATH, "ASCEND_OPP_PATH is not set; source set_env.sh"};
}

// Values of all inputs that have any: they are in host memory.
void add_values(operators::OperatorRequest& request, const OpDescs& descs, aclDataBuffer* const* inputs) {
  for (int i = 0; i < descs.input_count; ++i) {
    if (request.values[i] || !inputs[i]->data || !graph::is_known(request.inputs[i].shape)) continue;
    const auto* bytes = static_cast<const std::byte*>(inputs[i]->data);
    const auto& desc = request.inputs[i];
    auto owner = std::make_shared<const std::vector<std::byte>>(
        bytes, bytes + std::min(inputs[i]->size, descs.inputs[i]->byte_size()));
    request.values[i] = graph::Constant{desc.type, desc.shape, desc.format, *owner, owner};
  }
}

Status infer_shape(const OpDescs& descs, aclDataBuffer* const* inputs, aclTensorDesc* const* results) {
  TRY(check(descs, false));
  TRY(check(OpDescs{"", descs.input_count, nullptr, 0, nullptr, nullptr}, OpBuffers{inputs, nullptr}));
  TRY(check_opp_path());
  for (int i = 0; i < descs.input_count; ++i)
    if (inputs[i]->size == 0 && descs.inputs[i]->type != ACL_DT_UNDEFINED)
      return {ACL_ERROR_INVALID_PARAM, formatted("the buffer of input {} has size 0", i), "EH0009"};
  auto request = request_of(descs);
  add_values(request, descs, inputs);
  const auto inferred = TRY(with_code(operators::infer_outputs(request), ACL_ERROR_GE_FAILURE));
  for (size_t i = 0; i < inferred.size() && i < static_cast<size_t>(descs.output_count); ++i) {
    results[i]->dims = inferred[i].shape;
    results[i]->type = to_acl(inferred[i].type);
    results[i]->shape_range.clear();
    if (graph::is_known(inferred[i].shape)) continue;
    for (const int64_t dim : inferred[i].shape)
      results[i]->shape_range.emplace_back(dim < 0 ? 0 : dim, dim < 0 ? -1 : dim);
  }
  return {};
}

}  // namespace

aclError aclopCast(const aclTensorDesc* srcDesc, const aclDataBuffer* srcBuffer, const aclTensorDesc* dstDesc,
                   aclDataBuffer* dstBuffer, uint8_t truncate, aclrtStream stream) {
  return entry(
      __func__, [&] { return cast(srcDesc, srcBuffer, dstDesc, dstBuffer, truncate, stream); }, srcDesc, srcBuffer,
      dstDesc, dstBuffer, truncate, stream);
}

aclError aclopCreateHandleForCast(aclTensorDesc* srcDesc, aclTensorDesc* dstDesc, uint8_t truncate,
                                  aclopHandle** handle) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(handle, "handle"));
        TRY(check_cast(srcDesc, dstDesc, truncate));
        auto request = cast_request(srcDesc, dstDesc);
        auto op = TRY(with_code(operators::find_operator(request), ACL_ERROR_OP_NOT_FOUND));
        *handle = new aclopHandle{std::move(request), std::move(op)};
        return {};
      },
      srcDesc, dstDesc, truncate, handle);
}

aclError aclopInferShape(const char* opType, int numInputs, aclTensorDesc* inputDesc[], aclDataBuffer* inputs[],
                         int numOutputs, aclTensorDesc* outputDesc[], aclopAttr* attr) {
  return entry(
      __func__,
      [&] {
        return infer_shape({opType, numInputs, inputDesc, numOutputs, outputDesc, attr}, inputs, outputDesc);
      },
      opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, attr);
}
