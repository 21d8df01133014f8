// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace belay {

// A regular file mapped for reading. Whoever borrows its bytes keeps the mapping alive by holding it.
class MappedFile {
 public:
  // ACL_ERROR_INVALID_FILE when the path is no regular file that can be read; the message says why.
  static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(address_), size_}; }

 private:
  MappedFile(void* address, size_t size) : address_(address), size_(size) {}

  void* address_;  // null for an empty file
  size_t size_;
};

// Gives back the memory of bytes in a MappedFile; they are read from the file again when somebody needs them. Does
// nothing to bytes elsewhere.
void forget_pages(const void* data, size_t size);

// The name of the MappedFile that these bytes are in, as it was opened; "" when they are elsewhere.
std::string file_of(const void* data);

}  // namespace belay
