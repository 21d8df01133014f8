// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <protozero/pbf_reader.hpp>

#include "base/files/mapped_file.h"
#include "base/status.h"
#include "convert/onnx/model.h"

namespace belay::convert::onnx {

// Where tensors take their bytes from: the image being read, and files of external data, each mapped once.
struct TensorSource {
  std::shared_ptr<const void> owner;
  std::filesystem::path directory;
  std::map<std::string, std::shared_ptr<const MappedFile>> files;

  Result<std::shared_ptr<const MappedFile>> file(const std::string& location);
};

// Reads a TensorProto. A tensor whose bytes contradict its shape is an error; one of a type we have no word for is
// read with its `problem` set.
Result<Tensor> read_tensor(protozero::pbf_reader message, TensorSource& source);

}  // namespace belay::convert::onnx
