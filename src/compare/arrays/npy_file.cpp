// SPDX-License-Identifier: Apache-2.0
#include "base/files/npy.h"
#include "base/text.h"
#include "compare/arrays/array_file.h"
#include "inspect/npy_tensor.h"

namespace belay::compare {

using graph::DataType;

Result<StoredTensor> parse_npy(std::span<const std::byte> file) {
  const NpyHeader header = TRY(parse_npy_header(file));
  const DataType type = inspect::type_of_numpy(header.descr);
  if (type == DataType::Undefined)
    return Status{
        ACL_ERROR_UNSUPPORTED_DATA_TYPE,
        formatted("an array of NumPy's type {} is no tensor; save it as little-endian numbers", header.descr)};
  StoredTensor tensor{.type = type, .form = {graph::Format::ND, header.shape}};
  tensor.columns = header.fortran_order && header.shape.size() > 1;
  tensor.logical = tensor.form;
  tensor.bytes = file.subspan(header.data_offset);
  return tensor;
}

}  // namespace belay::compare
