// SPDX-License-Identifier: Apache-2.0
// Executing models: on the calling thread, or in the order of a stream.
#include "acl/acl_mdl.h"
#include "api/core/entry.h"
#include "api/device/exception.h"
#include "api/device/waited_stream.h"
#include "api/model/exec_config.h"
#include "api/model/execution.h"
#include "api/model/file.h"
#include "runtime/device/current.h"

using namespace belay;
using namespace belay::api;

namespace {

using When = ModelExecution::When;

Status check(const aclmdlDataset* input, const aclmdlDataset* output) {
  TRY(not_null(input, "input"));
  TRY(not_null(output, "output"));
  return require_model_executor();
}

Status execute(uint32_t model_id, const aclmdlDataset& input, aclmdlDataset& output,
               const std::shared_ptr<Stream>& stream) {
  auto execution = TRY(ModelExecution::make(model_id, input, output, stream, When::Now));
  execution->follow_device(*stream);
  if (Status status = execution->run(); !status.ok()) {
    execution.reset();  // over, before the program hears of it: it may unload the model there
    raise_operator_failure(*stream, status);
    return status;
  }
  execution->hand_memory_over(output);
  execution->describe_outputs(output);
  return execution->settle();
}

// The task is over, and nothing of it left, before anybody hears how it ended.
Status launch(std::shared_ptr<ModelExecution> execution, Stream& stream) {
  auto ticket = execution->ticket();
  return stream.launch_made([&](const Stream::Place&) -> Result<Task> {
    ticket.begin();
    return Task([ticket = std::move(ticket), execution = std::move(execution)]() mutable {
      ticket.use();
      Status status = execution->run();
      if (status.ok()) status = execution->settle();
      execution.reset();
      return status;
    });
  });
}

Status execute_waiting(uint32_t model_id, const aclmdlDataset& input, aclmdlDataset& output,
                       const std::shared_ptr<Stream>& stream, Timeout timeout) {
  TRY(check_is_waited_for(*stream, "aclmdlExecuteAsync"));
  auto execution = TRY(ModelExecution::make(model_id, input, output, stream, When::Now));
  execution->boards(*stream);
  auto ticket = execution->ticket();
  const auto make = [&]() -> Task {
    ticket.begin();
    return [ticket = std::move(ticket), execution]() mutable {
      ticket.use();
      return execution->run();
    };
  };
  TRY(stream->launch_and_synchronize(make, timeout));
  if (!execution->ran()) return {ACL_ERROR_RT_INVALID_HANDLE, "the stream was destroyed before the model ran"};
  execution->hand_memory_over(output);
  execution->describe_outputs(output);
  return execution->settle();
}

Status execute_async(uint32_t model_id, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream) {
  TRY(check(input, output));
  const auto target = TRY(find_stream(stream));
  auto execution = TRY(ModelExecution::make(model_id, *input, *output, target, When::Later));
  TRY(execution->take_memory(*target));
  execution->describe_outputs(*output);
  execution->boards(*target);
  return launch(std::move(execution), *target);
}

}  // namespace

aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check(input, output));
        return execute(modelId, *input, *output, TRY(find_stream(nullptr)));
      },
      modelId, input, output);
}

aclError aclmdlExecuteV2(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream,
                         const aclmdlExecConfigHandle* handle) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check(input, output));
        TRY(not_null(handle, "handle"));
        return execute_waiting(modelId, *input, *output, TRY(find_stream(stream)), handle->stream_timeout);
      },
      modelId, input, output, stream, handle);
}

aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream) {
  return entry(
      __func__, [&] { return execute_async(modelId, input, output, stream); }, modelId, input, output, stream);
}

aclError aclmdlExecuteAsyncV2(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream,
                              const aclmdlExecConfigHandle* handle) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(handle, "handle"));
        return execute_async(modelId, input, output, stream);
      },
      modelId, input, output, stream, handle);
}
