// SPDX-License-Identifier: Apache-2.0
#include "commands/run_session.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "commands/acl_check.h"

namespace belay::tools {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void destroy(aclmdlDataset* dataset) {
  for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(dataset); ++i) {
    aclDataBuffer* buffer = aclmdlGetDatasetBuffer(dataset, i);
    if (void* memory = aclGetDataBufferAddr(buffer)) aclrtFree(memory);
    aclDestroyDataBuffer(buffer);
  }
  aclmdlDestroyDataset(dataset);
}

bool is_unknown(const std::vector<int64_t>& shape) {
  return std::any_of(shape.begin(), shape.end(), [](int64_t dim) { return dim < 0; });
}

// The shape to run with: the given one, which must agree with what is known; else 1 for each unknown dimension.
std::vector<int64_t> shape_for(const HostTensor& declared, const std::optional<std::vector<int64_t>>& given) {
  std::vector<int64_t> shape = declared.shape;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] < 0) shape[i] = given && i < given->size() ? (*given)[i] : 1;
  if (given && shape != *given)
    throw std::runtime_error("--shape: input " + declared.name + " is " + dims_text(declared.shape) +
                             " (-1: any), which " + dims_text(*given) + " does not fit");
  return shape;
}

}  // namespace

RunSession::RunSession(const RunOptions& options) : options_(options), random_(options.seed) {
  CHECK(aclInit, options.dump.empty() ? nullptr : options.dump.c_str());
  CHECK(aclrtSetDevice, 0);
  const auto start = std::chrono::steady_clock::now();
  CHECK(aclmdlLoadFromFile, options.model.c_str(), &model_);
  load_ms_ = milliseconds_since(start);
  desc_ = aclmdlCreateDesc();
  CHECK(aclmdlGetDesc, desc_, model_);
  gear_ = Gear::choose(desc_, options.gear.empty() ? std::vector<int64_t>{} : parse_dims(options.gear));
  fill_inputs();
  for (size_t i = 0; i < aclmdlGetNumOutputs(desc_); ++i) add(outputs_, nullptr, aclmdlGetOutputSizeByIndex(desc_, i));
  if (gear_) gear_->apply(model_, inputs_);
  if (!options.memory.shown) return;
  CHECK(aclrtCreateStream, &stream_);
  memory_ = std::make_unique<RunMemory>(stream_, options.memory);
  give_outputs_memory();
}

RunSession::~RunSession() {
  if (stream_) aclrtDestroyStream(stream_);
  memory_.reset();
  destroy(inputs_);
  destroy(outputs_);
  aclmdlDestroyDesc(desc_);
  aclmdlUnload(model_);
  aclrtResetDevice(0);
  aclFinalize();
}

double RunSession::execute() {
  const auto start = std::chrono::steady_clock::now();
  if (memory_) {
    CHECK(aclmdlExecuteAsync, model_, inputs_, outputs_, stream_);
    CHECK(aclrtSynchronizeStream, stream_);
  } else {
    CHECK(aclmdlExecute, model_, inputs_, outputs_);
  }
  return milliseconds_since(start);
}

std::vector<HostTensor> RunSession::results() const {
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < aclmdlGetNumOutputs(desc_); ++i) {
    HostTensor tensor{aclmdlGetOutputNameByIndex(desc_, i), aclmdlGetOutputDataType(desc_, i), output_shape(i), {}};
    const size_t size = tensor.byte_size();
    tensor.bytes.resize(size);
    const void* device = aclGetDataBufferAddr(aclmdlGetDatasetBuffer(outputs_, i));
    if (size > 0) CHECK(aclrtMemcpy, tensor.bytes.data(), size, device, size, ACL_MEMCPY_DEVICE_TO_HOST);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::pair<size_t, size_t> RunSession::work_and_weights() const {
  size_t work = 0, weights = 0;
  CHECK(aclmdlQuerySize, options_.model.c_str(), &work, &weights);
  return {work, weights};
}

void RunSession::add(aclmdlDataset* dataset, const void* host, size_t bytes) {
  void* device = nullptr;
  if (bytes > 0) {
    CHECK(aclrtMalloc, &device, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    if (host) CHECK(aclrtMemcpy, device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  }
  CHECK(aclmdlAddDatasetBuffer, dataset, aclCreateDataBuffer(device, bytes));
}

void RunSession::fill_inputs() {
  std::vector<std::string> names;
  for (size_t i = 0; i < aclmdlGetNumInputs(desc_); ++i) names.push_back(aclmdlGetInputNameByIndex(desc_, i));
  const GivenInputs given(options_.inputs, options_.shapes, names);
  for (size_t i = 0; i < names.size(); ++i) {
    HostTensor tensor;
    if (names[i] != ACL_DYNAMIC_TENSOR_NAME) tensor = make_input(i, given);
    tensor.bytes.resize(std::max(tensor.bytes.size(), aclmdlGetInputSizeByIndex(desc_, i)));
    add(inputs_, tensor.bytes.data(), tensor.bytes.size());
    aclmdlIODims dims;
    CHECK(aclmdlGetInputDims, desc_, i, &dims);
    if (!gear_ && is_unknown({dims.dims, dims.dims + dims.dimCount})) describe(i, tensor);
  }
}

HostTensor RunSession::make_input(size_t index, const GivenInputs& given) {
  HostTensor tensor{aclmdlGetInputNameByIndex(desc_, index), aclmdlGetInputDataType(desc_, index), {}, {}};
  aclmdlIODims dims;
  CHECK(aclmdlGetInputDims, desc_, index, &dims);
  tensor.shape.assign(dims.dims, dims.dims + dims.dimCount);
  if (gear_) gear_->fill(tensor.shape);
  const HostTensor declared = tensor;
  tensor.shape = shape_for(declared, given.shape(tensor.name));
  const std::string file = given.file(tensor.name);
  if (file.empty()) {
    fill_random(tensor, random_);
    return tensor;
  }
  tensor = read_tensor(file, tensor);
  shape_for(declared, tensor.shape);
  return tensor;
}

void RunSession::describe(size_t index, const HostTensor& tensor) {
  aclTensorDesc* desc = aclCreateTensorDesc(tensor.type, static_cast<int>(tensor.shape.size()), tensor.shape.data(),
                                            aclmdlGetInputFormat(desc_, index));
  CHECK(aclmdlSetDatasetTensorDesc, inputs_, desc, index);
  aclDestroyTensorDesc(desc);
}

// An asynchronous execution does not allocate outputs whose size is not known before: the first is synchronous.
void RunSession::give_outputs_memory() {
  bool missing = false;
  for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(outputs_); ++i)
    missing |= aclGetDataBufferSizeV2(aclmdlGetDatasetBuffer(outputs_, i)) == 0;
  if (missing) CHECK(aclmdlExecute, model_, inputs_, outputs_);
}

std::vector<int64_t> RunSession::output_shape(size_t index) const {
  if (const aclTensorDesc* desc = aclmdlGetDatasetTensorDesc(outputs_, index)) {
    std::vector<int64_t> shape(aclGetTensorDescNumDims(desc));
    for (size_t i = 0; i < shape.size(); ++i) CHECK(aclGetTensorDescDimV2, desc, i, &shape[i]);
    return shape;
  }
  aclmdlIODims dims;
  CHECK(aclmdlGetCurOutputDims, desc_, index, &dims);
  return {dims.dims, dims.dims + dims.dimCount};
}

}  // namespace belay::tools
