// SPDX-License-Identifier: Apache-2.0
// How large weights are in the order of the device: aclnnCalculateMatmulWeightSize and its relatives. They take no
// executor.
#include <algorithm>

#include "aclnnop/aclnn_npu_format_cast.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "api/aclnn/objects.h"
#include "api/core/entry.h"
#include "api/operators/tensor_desc.h"
#include "base/text.h"
#include "graph/tensor/private_format.h"
#include "opdev/op_errno.h"

using namespace belay;
using namespace belay::api;

namespace {

Status needed(const void* pointer, const char* parameter) {
  if (pointer) return {};
  return {ACLNN_ERR_PARAM_NULLPTR, formatted("parameter {} must not be null", parameter)};
}

// The elements of a weight whose last two dimensions are filled up to whole fractals.
Status tell_size(const aclIntArray* shape, int64_t last, uint64_t* size) {
  TRY(needed(shape, "tensorShape"));
  TRY(needed(size, "weightTensorSize"));
  const auto& dims = shape->values;
  if (dims.size() < 2 || dims.size() > 6)
    return {ACLNN_ERR_PARAM_INVALID, formatted("the weight has {} dimensions; it must have 2 to 6", dims.size())};
  uint64_t count = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] <= 0)
      return {ACLNN_ERR_PARAM_INVALID, formatted("dimension {} of the weight is {}; it must be above 0", i, dims[i])};
    const int64_t to = i + 1 == dims.size() ? last : i + 2 == dims.size() ? 16 : 1;
    count *= static_cast<uint64_t>((dims[i] + to - 1) / to * to);
  }
  *size = count;
  return {};
}

// Formats between which aclnnNpuFormatCast goes: from, to.
constexpr std::pair<aclFormat, aclFormat> kCasts[] = {
    {ACL_FORMAT_ND, ACL_FORMAT_FRACTAL_NZ},   {ACL_FORMAT_NCL, ACL_FORMAT_FRACTAL_NZ},
    {ACL_FORMAT_NCHW, ACL_FORMAT_FRACTAL_NZ}, {ACL_FORMAT_NCDHW, ACL_FORMAT_FRACTAL_NZ},
    {ACL_FORMAT_NCHW, ACL_FORMAT_NC1HWC0},    {ACL_FORMAT_NHWC, ACL_FORMAT_NC1HWC0},
    {ACL_FORMAT_NCHW, ACL_FORMAT_FRACTAL_Z},  {ACL_FORMAT_HWCN, ACL_FORMAT_FRACTAL_Z},
    {ACL_FORMAT_NCDHW, ACL_FORMAT_NDC1HWC0},  {ACL_FORMAT_NDHWC, ACL_FORMAT_NDC1HWC0},
    {ACL_FORMAT_NCDHW, ACL_FRACTAL_Z_3D},     {static_cast<aclFormat>(31), ACL_FRACTAL_Z_3D},  // DHWCN
};

Status tell_form(const aclTensor* tensor, int format, int additional, int64_t** shape, uint64_t* rank, int* actual) {
  TRY(needed(tensor, "srcTensor"));
  TRY(needed(shape, "dstShape"));
  TRY(needed(rank, "dstShapeSize"));
  TRY(needed(actual, "actualFormat"));
  const TensorView& view = *tensor->view;
  const auto type = static_cast<aclDataType>(additional < 0 ? view.type : additional);
  constexpr aclDataType known[] = {ACL_INT8, ACL_UINT8, ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32, ACL_UINT32};
  if (std::ranges::count(known, type) == 0 || std::ranges::count(known, view.type) == 0)
    return {ACLNN_ERR_PARAM_INVALID,
            formatted("a tensor of {} cannot be cast to another format", graph::name_of(to_graph(type)))};
  if (view.shape.size() < 2 || view.shape.size() > 6 || view.count() == 0)
    return {ACLNN_ERR_PARAM_INVALID, formatted("srcTensor has shape {}; it must have 2 to 6 dimensions with elements",
                                               graph::to_text(view.shape))};
  const auto wanted = static_cast<aclFormat>(format);
  const bool there = std::ranges::count(kCasts, std::pair{view.format, wanted}) > 0;
  const bool back = std::ranges::count(kCasts, std::pair{wanted, view.format}) > 0;
  if (!there && !back && wanted != view.format)
    return {ACLNN_ERR_RUNTIME_ERROR,
            formatted("a tensor in {} cannot be cast to {}", graph::name_of(to_graph(view.format)),
                      graph::name_of(to_graph(wanted)))};
  graph::Shape made = view.shape;
  if (there) {
    // 32 bytes of FRACTAL_NZ's columns; the others have 16 of most types.
    const int64_t c0 = wanted == ACL_FORMAT_FRACTAL_NZ ? static_cast<int64_t>(256 / graph::bits_of(to_graph(type))) : 0;
    const auto stored =
        graph::private_shape(to_graph(type), to_graph(wanted), 1, {to_graph(view.format), view.shape, 1}, c0);
    if (!stored.ok()) return {ACLNN_ERR_PARAM_INVALID, stored.status().message};
    made = *stored;
  }
  *shape = new int64_t[made.size()];
  std::ranges::copy(made, *shape);
  *rank = made.size();
  *actual = format;
  return {};
}

}  // namespace

aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray* tensorShape, uint64_t* weightTensorSize) {
  return entry(
      __func__, [&] { return tell_size(tensorShape, 16, weightTensorSize); }, tensorShape, weightTensorSize);
}

aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray* tensorShape, aclDataType dataType,
                                             uint64_t* weightTensorSize) {
  // All other types are counted as INT8, whose columns come by 32, as in the original.
  const int64_t columns = dataType == ACL_FLOAT16 || dataType == ACL_BF16 ? 16 : 32;
  return entry(
      __func__, [&] { return tell_size(tensorShape, columns, weightTensorSize); }, tensorShape, dataType,
      weightTensorSize);
}

aclnnStatus aclnnNpuFormatCastCalculateSizeAndFormat(const aclTensor* srcTensor, const int dstFormat,
                                                     const int additionalDtype, int64_t** dstShape,
                                                     uint64_t* dstShapeSize, int* actualFormat) {
  return entry(
      __func__, [&] { return tell_form(srcTensor, dstFormat, additionalDtype, dstShape, dstShapeSize, actualFormat); },
      srcTensor, dstFormat, additionalDtype, dstShape, dstShapeSize, actualFormat);
}
