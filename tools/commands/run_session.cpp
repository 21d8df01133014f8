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

bool is_unknown(const std::vector<int64_t>& shape) {
  return std::any_of(shape.begin(), shape.end(), [](int64_t dim) { return dim < 0; });
}

// Before it is made on the host: a device that has no room for it says so, a host would end the process.
void require_memory(const HostTensor& tensor) {
  const size_t bytes = tensor.byte_size();
  if (bytes == 0) return;
  void* memory = nullptr;
  try {
    CHECK(aclrtMalloc, &memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("input " + tensor.name + " " + dims_text(tensor.shape) + " of " + type_name(tensor.type) +
                             ": " + error.what());
  }
  aclrtFree(memory);
}

}  // namespace

RunSession::Library::Library(const std::string& config) { CHECK(aclInit, config.empty() ? nullptr : config.c_str()); }

RunSession::Device::Device() { CHECK(aclrtSetDevice, 0); }

RunSession::Model::Model(const std::string& file) {
  const auto start = std::chrono::steady_clock::now();
  CHECK(aclmdlLoadFromFile, file.c_str(), &id);
  load_ms = milliseconds_since(start);
}

void RunSession::Destroy::operator()(aclmdlDataset* dataset) const {
  for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(dataset); ++i) {
    aclDataBuffer* buffer = aclmdlGetDatasetBuffer(dataset, i);
    if (void* memory = aclGetDataBufferAddr(buffer)) aclrtFree(memory);
    aclDestroyDataBuffer(buffer);
  }
  aclmdlDestroyDataset(dataset);
}

RunSession::RunSession(const RunOptions& options)
    : options_(options), random_(options.seed), library_(options.dump), model_(options.model) {
  CHECK(aclmdlGetDesc, desc_.get(), model_.id);
  gear_ = Gear::choose(desc_.get(), options.gear.empty() ? std::vector<int64_t>{} : parse_dims(options.gear));
  fill_inputs();
  for (size_t i = 0; i < aclmdlGetNumOutputs(desc_.get()); ++i)
    add(outputs_, nullptr, aclmdlGetOutputSizeByIndex(desc_.get(), i));
  if (gear_) gear_->apply(model_.id, inputs_.get());
  if (!options.memory.shown) return;
  aclrtStream stream = nullptr;
  CHECK(aclrtCreateStream, &stream);
  stream_.reset(stream);
  memory_ = std::make_unique<RunMemory>(stream, options.memory);
  give_outputs_memory();
}

double RunSession::execute() {
  const auto start = std::chrono::steady_clock::now();
  if (memory_) {
    CHECK(aclmdlExecuteAsync, model_.id, inputs_.get(), outputs_.get(), stream_.get());
    CHECK(aclrtSynchronizeStream, stream_.get());
  } else {
    CHECK(aclmdlExecute, model_.id, inputs_.get(), outputs_.get());
  }
  return milliseconds_since(start);
}

std::vector<HostTensor> RunSession::results() const {
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < aclmdlGetNumOutputs(desc_.get()); ++i) {
    HostTensor tensor{
        aclmdlGetOutputNameByIndex(desc_.get(), i), aclmdlGetOutputDataType(desc_.get(), i), output_shape(i), {}};
    const size_t size = tensor.byte_size();
    tensor.bytes.resize(size);
    const void* device = aclGetDataBufferAddr(aclmdlGetDatasetBuffer(outputs_.get(), i));
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

void RunSession::add(Dataset& dataset, const void* host, size_t bytes) {
  // In the dataset first: what it holds is given back, whatever fails.
  aclDataBuffer* buffer = aclCreateDataBuffer(nullptr, 0);
  if (const aclError code = aclmdlAddDatasetBuffer(dataset.get(), buffer); code != ACL_SUCCESS) {
    aclDestroyDataBuffer(buffer);
    check(code, "aclmdlAddDatasetBuffer");
  }
  if (bytes == 0) return;
  void* device = nullptr;
  CHECK(aclrtMalloc, &device, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  CHECK(aclUpdateDataBuffer, buffer, device, bytes);
  if (host) CHECK(aclrtMemcpy, device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
}

void RunSession::fill_inputs() {
  std::vector<std::string> names;
  for (size_t i = 0; i < aclmdlGetNumInputs(desc_.get()); ++i)
    names.push_back(aclmdlGetInputNameByIndex(desc_.get(), i));
  const GivenInputs given(options_.inputs, options_.shapes, names);
  for (size_t i = 0; i < names.size(); ++i) {
    HostTensor tensor;
    if (names[i] != ACL_DYNAMIC_TENSOR_NAME) tensor = make_input(i, given);
    tensor.bytes.resize(std::max(tensor.bytes.size(), aclmdlGetInputSizeByIndex(desc_.get(), i)));
    add(inputs_, tensor.bytes.data(), tensor.bytes.size());
    aclmdlIODims dims;
    CHECK(aclmdlGetInputDims, desc_.get(), i, &dims);
    if (!gear_ && is_unknown({dims.dims, dims.dims + dims.dimCount})) describe(i, tensor);
  }
}

HostTensor RunSession::make_input(size_t index, const GivenInputs& given) {
  HostTensor tensor{aclmdlGetInputNameByIndex(desc_.get(), index), aclmdlGetInputDataType(desc_.get(), index), {}, {}};
  aclmdlIODims dims;
  CHECK(aclmdlGetInputDims, desc_.get(), index, &dims);
  tensor.shape.assign(dims.dims, dims.dims + dims.dimCount);
  if (gear_) gear_->fill(tensor.shape);
  const HostTensor declared = tensor;
  tensor.shape = shape_for(declared, given.shape(tensor.name));
  const std::string file = given.file(tensor.name);
  if (file.empty()) {
    require_memory(tensor);
    fill_random(tensor, random_);
    return tensor;
  }
  tensor = read_tensor(file, tensor);
  shape_for(declared, tensor.shape);
  return tensor;
}

void RunSession::describe(size_t index, const HostTensor& tensor) {
  const std::unique_ptr<aclTensorDesc, Destroy> desc(
      aclCreateTensorDesc(tensor.type, static_cast<int>(tensor.shape.size()), tensor.shape.data(),
                          aclmdlGetInputFormat(desc_.get(), index)));
  CHECK(aclmdlSetDatasetTensorDesc, inputs_.get(), desc.get(), index);
}

// An asynchronous execution does not allocate outputs whose size is not known before: the first is synchronous.
void RunSession::give_outputs_memory() {
  bool missing = false;
  for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(outputs_.get()); ++i)
    missing |= aclGetDataBufferSizeV2(aclmdlGetDatasetBuffer(outputs_.get(), i)) == 0;
  if (missing) CHECK(aclmdlExecute, model_.id, inputs_.get(), outputs_.get());
}

std::vector<int64_t> RunSession::output_shape(size_t index) const {
  if (const aclTensorDesc* desc = aclmdlGetDatasetTensorDesc(outputs_.get(), index)) {
    std::vector<int64_t> shape(aclGetTensorDescNumDims(desc));
    for (size_t i = 0; i < shape.size(); ++i) CHECK(aclGetTensorDescDimV2, desc, i, &shape[i]);
    return shape;
  }
  aclmdlIODims dims;
  CHECK(aclmdlGetCurOutputDims, desc_.get(), index, &dims);
  return {dims.dims, dims.dims + dims.dimCount};
}

}  // namespace belay::tools
