// SPDX-License-Identifier: Apache-2.0
#include "commands/replay_runner.h"

#include <stdexcept>

#include "commands/acl_check.h"
#include "graph/om/om.h"

namespace belay::tools {
namespace {

class LoadedOperator {
 public:
  explicit LoadedOperator(const std::vector<std::byte>& image) {
    CHECK(aclmdlLoadFromMem, image.data(), image.size(), &id_);
  }
  ~LoadedOperator() {
    for (aclmdlDataset* dataset : {inputs_, outputs_}) destroy(dataset);
    aclmdlDestroyDesc(desc_);
    aclmdlUnload(id_);
  }
  LoadedOperator(const LoadedOperator&) = delete;
  LoadedOperator& operator=(const LoadedOperator&) = delete;

  std::vector<graph::Constant> run(std::span<const graph::Constant> inputs) {
    CHECK(aclmdlGetDesc, desc_, id_);
    for (const graph::Constant& input : inputs) add(inputs_, input.bytes.size(), input.bytes.data());
    for (size_t i = 0; i < aclmdlGetNumOutputs(desc_); ++i)
      add(outputs_, aclmdlGetOutputSizeByIndex(desc_, i), nullptr);
    CHECK(aclmdlExecute, id_, inputs_, outputs_);
    std::vector<graph::Constant> results;
    for (size_t i = 0; i < aclmdlGetNumOutputs(desc_); ++i) results.push_back(result(i));
    return results;
  }

 private:
  static void add(aclmdlDataset* dataset, size_t bytes, const void* content) {
    void* memory = nullptr;
    if (bytes > 0) CHECK(aclrtMalloc, &memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    CHECK(aclmdlAddDatasetBuffer, dataset, aclCreateDataBuffer(memory, bytes));
    if (content && bytes > 0) CHECK(aclrtMemcpy, memory, bytes, content, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  }

  static void destroy(aclmdlDataset* dataset) {
    for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(dataset); ++i) {
      aclDataBuffer* buffer = aclmdlGetDatasetBuffer(dataset, i);
      if (void* memory = aclGetDataBufferAddr(buffer)) aclrtFree(memory);
      aclDestroyDataBuffer(buffer);
    }
    aclmdlDestroyDataset(dataset);
  }

  graph::Shape shape_of(size_t index) const {
    if (const aclTensorDesc* desc = aclmdlGetDatasetTensorDesc(outputs_, index)) {
      graph::Shape shape(aclGetTensorDescNumDims(desc));
      for (size_t i = 0; i < shape.size(); ++i) CHECK(aclGetTensorDescDimV2, desc, i, &shape[i]);
      return shape;
    }
    aclmdlIODims dims;
    CHECK(aclmdlGetCurOutputDims, desc_, index, &dims);
    return {dims.dims, dims.dims + dims.dimCount};
  }

  graph::Constant result(size_t index) const {
    const auto type = static_cast<graph::DataType>(aclmdlGetOutputDataType(desc_, index));
    const graph::Shape shape = shape_of(index);
    auto bytes = std::make_shared<std::vector<std::byte>>(graph::bytes_of(type, graph::element_count(shape)));
    const void* device = aclGetDataBufferAddr(aclmdlGetDatasetBuffer(outputs_, index));
    if (!bytes->empty())
      CHECK(aclrtMemcpy, bytes->data(), bytes->size(), device, bytes->size(), ACL_MEMCPY_DEVICE_TO_HOST);
    return {type, shape, graph::Format::ND, *bytes, bytes};
  }

  uint32_t id_ = 0;
  aclmdlDesc* const desc_ = aclmdlCreateDesc();
  aclmdlDataset *const inputs_ = aclmdlCreateDataset(), *const outputs_ = aclmdlCreateDataset();
};

}  // namespace

ReplayRunner::Library::Library() { CHECK(aclInit, nullptr); }
ReplayRunner::Device::Device() { CHECK(aclrtSetDevice, 0); }
ReplayRunner::ReplayRunner() = default;
ReplayRunner::~ReplayRunner() = default;

Result<std::vector<graph::Constant>> ReplayRunner::run(const replay::Operator& op) {
  const auto image = TRY(graph::write_om(TRY(replay::as_model(op))));
  try {
    return LoadedOperator(image).run(replay::given_inputs(op));
  } catch (const std::runtime_error& error) {
    return Status{ACL_ERROR_FAILURE, error.what()};
  }
}

}  // namespace belay::tools
