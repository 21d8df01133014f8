// SPDX-License-Identifier: Apache-2.0
#include "model_run.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "acl/acl.h"

namespace belay {
namespace {

Status check(const char* call, aclError code) {
  if (code == ACL_SUCCESS) return {};
  const char* why = aclGetRecentErrMsg();
  return {code, std::string(call) + " returned " + std::to_string(code) + ": " + (why ? why : "")};
}
#define CALL(f, ...) TRY(check(#f, f(__VA_ARGS__)))

struct LoadedModel {
  uint32_t id = 0;
  bool loaded = false;
  ~LoadedModel() {
    if (loaded) aclmdlUnload(id);
  }
};

using Desc = std::unique_ptr<aclmdlDesc, decltype(&aclmdlDestroyDesc)>;

// Frees its buffers and their device memory, whoever allocated it.
struct Dataset {
  aclmdlDataset* set = aclmdlCreateDataset();
  ~Dataset() {
    for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(set); ++i) {
      aclDataBuffer* buffer = aclmdlGetDatasetBuffer(set, i);
      if (void* data = aclGetDataBufferAddr(buffer)) aclrtFree(data);
      aclDestroyDataBuffer(buffer);
    }
    aclmdlDestroyDataset(set);
  }
  Status add(size_t size, const void* host, size_t bytes) const {
    void* device = nullptr;
    if (size > 0) CALL(aclrtMalloc, &device, size, ACL_MEM_MALLOC_HUGE_FIRST);
    if (bytes > 0) CALL(aclrtMemcpy, device, size, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    CALL(aclmdlAddDatasetBuffer, set, aclCreateDataBuffer(device, size));
    return {};
  }
};

bool has_unknown(const aclmdlIODims& dims) {
  for (size_t i = 0; i < dims.dimCount; ++i)
    if (dims.dims[i] < 0) return true;
  return false;
}

Status add_input(const Dataset& inputs, aclmdlDesc* desc, size_t index, const graph::Constant& value) {
  TRY(inputs.add(value.bytes.size(), value.bytes.data(), value.bytes.size()));
  aclmdlIODims dims;
  CALL(aclmdlGetInputDims, desc, index, &dims);
  if (!has_unknown(dims)) return {};
  const std::unique_ptr<aclTensorDesc, decltype(&aclDestroyTensorDesc)> tensor(
      aclCreateTensorDesc(static_cast<aclDataType>(value.type), static_cast<int>(value.shape.size()),
                          value.shape.data(), ACL_FORMAT_ND),
      aclDestroyTensorDesc);
  CALL(aclmdlSetDatasetTensorDesc, inputs.set, tensor.get(), index);
  return {};
}

Result<graph::Shape> output_shape(const Dataset& outputs, aclmdlDesc* desc, size_t index) {
  graph::Shape shape;
  if (aclTensorDesc* tensor = aclmdlGetDatasetTensorDesc(outputs.set, index)) {
    for (size_t d = 0; d < aclGetTensorDescNumDims(tensor); ++d) {
      int64_t dim = 0;
      CALL(aclGetTensorDescDimV2, tensor, d, &dim);
      shape.push_back(dim);
    }
    return shape;
  }
  aclmdlIODims dims;
  CALL(aclmdlGetCurOutputDims, desc, index, &dims);
  shape.assign(dims.dims, dims.dims + dims.dimCount);
  return shape;
}

Result<graph::Constant> take_output(const Dataset& outputs, aclmdlDesc* desc, size_t index) {
  const auto type = static_cast<graph::DataType>(aclmdlGetOutputDataType(desc, index));
  graph::Shape shape = TRY(output_shape(outputs, desc, index));
  std::vector<std::byte> bytes(graph::bytes_of(type, graph::element_count(shape)));
  aclDataBuffer* buffer = aclmdlGetDatasetBuffer(outputs.set, index);
  if (!bytes.empty())
    CALL(aclrtMemcpy, bytes.data(), bytes.size(), aclGetDataBufferAddr(buffer), bytes.size(),
         ACL_MEMCPY_DEVICE_TO_HOST);
  return graph::make_constant(type, std::move(shape), bytes);
}

}  // namespace

AclSession::AclSession() {
  if (aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS) return;
  std::fprintf(stderr, "there is no device: %s\n", aclGetRecentErrMsg());
  std::exit(2);
}

AclSession::~AclSession() {
  aclrtResetDevice(0);
  aclFinalize();
}

Result<std::vector<graph::Constant>> run_model(const std::string& path, const std::vector<graph::Constant>& inputs) {
  LoadedModel model;
  CALL(aclmdlLoadFromFile, path.c_str(), &model.id);
  model.loaded = true;
  const Desc desc(aclmdlCreateDesc(), aclmdlDestroyDesc);
  CALL(aclmdlGetDesc, desc.get(), model.id);
  if (aclmdlGetNumInputs(desc.get()) != inputs.size())
    return Status{ACL_ERROR_FAILURE, "the model has " + std::to_string(aclmdlGetNumInputs(desc.get())) +
                                         " inputs, the case " + std::to_string(inputs.size())};
  const Dataset in, out;
  for (size_t i = 0; i < inputs.size(); ++i) TRY(add_input(in, desc.get(), i, inputs[i]));
  for (size_t i = 0; i < aclmdlGetNumOutputs(desc.get()); ++i)
    TRY(out.add(aclmdlGetOutputSizeByIndex(desc.get(), i), nullptr, 0));
  CALL(aclmdlExecute, model.id, in.set, out.set);
  std::vector<graph::Constant> outputs;
  for (size_t i = 0; i < aclmdlGetNumOutputs(desc.get()); ++i) outputs.push_back(TRY(take_output(out, desc.get(), i)));
  return outputs;
}

}  // namespace belay
