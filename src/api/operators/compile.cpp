// SPDX-License-Identifier: Apache-2.0
// Compiling single operators: from our schemas, on demand. Options are kept and told again; none changes a result.
#include <cstring>
#include <map>
#include <mutex>

#include "acl/acl_op_compiler.h"
#include "api/core/entry.h"
#include "api/operators/call.h"
#include "api/operators/library.h"
#include "base/text.h"
#include "runtime/device/current.h"

using namespace belay;
using namespace belay::api;

namespace {

struct Options {
  std::mutex mutex;
  std::map<aclCompileOpt, std::string> values;
};

Options& options() {
  static auto& only = *new Options;
  return only;
}

Status check_flags(aclopEngineType engine, aclopCompileType flag, const char* path) {
  if (flag != ACL_COMPILE_SYS && flag != ACL_COMPILE_UNREGISTERED)
    return {ACL_ERROR_API_NOT_SUPPORT, "compileFlag must be ACL_COMPILE_SYS or ACL_COMPILE_UNREGISTERED"};
  if (flag == ACL_COMPILE_UNREGISTERED) TRY(not_null(path, "opPath"));
  if (engine != ACL_ENGINE_SYS && engine != ACL_ENGINE_AICORE && engine != ACL_ENGINE_VECTOR)
    return {ACL_ERROR_INVALID_PARAM, "engineType must be one of aclopEngineType", "EH0009"};
  return {};
}

Status compile(const OpDescs& descs, aclopEngineType engine, aclopCompileType flag, const char* path) {
  TRY(check(descs));
  TRY(check_flags(engine, flag, path));
  const auto request = request_of(descs);
  TRY(with_code(operators::find_operator(request), ACL_ERROR_GE_FAILURE));
  remember_compiled(request);
  return {};
}

struct How {
  aclopEngineType engine;
  aclopCompileType flag;
  const char* path;
};

Status compile_and_execute(const OpDescs& descs, const OpBuffers& buffers, How how, aclTensorDesc* const* results,
                           aclrtStream stream) {
  TRY(check(descs));
  TRY(check(descs, buffers));
  TRY(check_flags(how.engine, how.flag, how.path));
  auto target = TRY(find_stream(stream));
  const auto request = request_of(descs, buffers.inputs);
  auto op = TRY(with_code(operators::find_operator(request), ACL_ERROR_GE_FAILURE));
  remember_compiled(request);
  std::vector<graph::Shape> shapes;
  TRY(launch(TRY(place(std::move(op), request, buffers)), target, results ? &shapes : nullptr));
  for (size_t i = 0; i < shapes.size(); ++i) results[i]->dims = shapes[i];
  return {};
}

Status check_option(aclCompileOpt option) {
  if (option < ACL_PRECISION_MODE || option > ACL_OP_DEBUG_OPTION)
    return {ACL_ERROR_INVALID_PARAM, formatted("{} is not an aclCompileOpt", static_cast<int>(option)), "EH0009"};
  if (option == ACL_AUTO_TUNE_MODE) return {ACL_ERROR_FEATURE_UNSUPPORTED, "ACL_AUTO_TUNE_MODE is not supported"};
  return {};
}

std::string value_of(aclCompileOpt option) {
  std::lock_guard lock(options().mutex);
  const auto found = options().values.find(option);
  return found == options().values.end() ? "" : found->second;
}

}  // namespace

aclError aclopCompile(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[], int numOutputs,
                      const aclTensorDesc* const outputDesc[], const aclopAttr* attr, aclopEngineType engineType,
                      aclopCompileType compileFlag, const char* opPath) {
  return entry(
      __func__,
      [&] {
        return compile({opType, numInputs, inputDesc, numOutputs, outputDesc, attr}, engineType, compileFlag, opPath);
      },
      opType, numInputs, inputDesc, numOutputs, outputDesc, attr, engineType, compileFlag, opPath);
}

aclError aclopCompileAndExecute(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
                                const aclDataBuffer* const inputs[], int numOutputs,
                                const aclTensorDesc* const outputDesc[], aclDataBuffer* const outputs[],
                                const aclopAttr* attr, aclopEngineType engineType, aclopCompileType compileFlag,
                                const char* opPath, aclrtStream stream) {
  return entry(
      __func__,
      [&] {
        return compile_and_execute({opType, numInputs, inputDesc, numOutputs, outputDesc, attr}, {inputs, outputs},
                                   {engineType, compileFlag, opPath}, nullptr, stream);
      },
      opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, attr, engineType, compileFlag, opPath,
      stream);
}

aclError aclopCompileAndExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[],
                                  aclDataBuffer* inputs[], int numOutputs, aclTensorDesc* outputDesc[],
                                  aclDataBuffer* outputs[], aclopAttr* attr, aclopEngineType engineType,
                                  aclopCompileType compileFlag, const char* opPath, aclrtStream stream) {
  return entry(
      __func__,
      [&] {
        return compile_and_execute({opType, numInputs, inputDesc, numOutputs, outputDesc, attr}, {inputs, outputs},
                                   {engineType, compileFlag, opPath}, outputDesc, stream);
      },
      opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, attr, engineType, compileFlag, opPath,
      stream);
}

aclError aclSetCompileopt(aclCompileOpt opt, const char* value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        TRY(check_option(opt));
        std::lock_guard lock(options().mutex);
        options().values[opt] = value;
        return {};
      },
      opt, value);
}

size_t aclGetCompileoptSize(aclCompileOpt opt) {
  return entry_value<size_t>(
      __func__, 0, [&] { return value_of(opt).size() + 1; }, opt);
}

aclError aclGetCompileopt(aclCompileOpt opt, char* value, size_t length) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        TRY(check_option(opt));
        const std::string kept = value_of(opt);
        if (length <= kept.size())
          return {ACL_ERROR_INVALID_PARAM,
                  formatted("length is {}, the value needs {} with its end; ask aclGetCompileoptSize", length,
                            kept.size() + 1),
                  "EH0009"};
        std::memcpy(value, kept.c_str(), kept.size() + 1);
        return {};
      },
      opt, value, length);
}

aclError aclopSetCompileFlag(aclOpCompileFlag flag) {
  return entry(
      __func__,
      [&]() -> Status {
        if (flag == ACL_OP_COMPILE_DEFAULT || flag == ACL_OP_COMPILE_FUZZ) return {};
        return {ACL_ERROR_INVALID_PARAM, "flag must be ACL_OP_COMPILE_DEFAULT or ACL_OP_COMPILE_FUZZ", "EH0009"};
      },
      flag);
}
