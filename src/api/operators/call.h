// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "acl/acl_op.h"
#include "api/operators/tensor_desc.h"
#include "base/status.h"
#include "operators/single.h"
#include "runtime/stream/stream.h"

struct aclDataBuffer;

namespace belay::api {

// What the aclop calls give of an operator, the const of their pointers aside.
struct OpDescs {
  const char* type;
  int input_count;
  const aclTensorDesc* const* inputs;
  int output_count;
  const aclTensorDesc* const* outputs;
  const aclopAttr* attributes;
};
struct OpBuffers {
  const aclDataBuffer* const* inputs;
  aclDataBuffer* const* outputs;
};

// 100000 for null pointers, negative counts and dimensions that are not known.
Status check(const OpDescs& descs, bool dims_known = true);
// 100000 for null arrays and buffers.
Status check(const OpDescs& descs, const OpBuffers& buffers);

// The request for an operator. Inputs that were given as constants, and inputs in host memory (which need buffers), are
// taken with their values.
operators::OperatorRequest request_of(const OpDescs& descs, const aclDataBuffer* const* host_inputs = nullptr);

// The operator as it runs: where its tensors are when it is queued.
struct OpExecution {
  operators::SingleOperator op;
  std::vector<backend::Tensor> inputs, outputs;
  std::vector<std::vector<std::byte>> copies = {};  // of inputs that the program may change after the call
  bool ran = false;                                 // to its end
};
// Places the buffers: 100000 when one is too small or has no memory.
Result<OpExecution> place(operators::SingleOperator op, const operators::OperatorRequest& request,
                          const OpBuffers& buffers);

// Queues it. Workspace comes from the allocator of the stream, where one is registered, before the call returns, and
// goes back when the operator has run. Where only a run can tell the shapes, waits for it and leaves them in `results`.
Status launch(OpExecution execution, const std::shared_ptr<Stream>& stream,
              std::vector<graph::Shape>* results = nullptr);

// The code that an error of finding an operator has for the caller; the message stays.
template <class T>
Result<T> with_code(Result<T> result, aclError code) {
  if (result.ok()) return result;
  Status status = result.status();
  status.code = code;
  return status;
}

}  // namespace belay::api
