// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace belay::inspect {

// A file being made under a temporary name, readable by its owner only. It gets its own name when finish() is called,
// and goes away when that does not happen. A name of 255 characters or more is replaced by a short one, and
// mapping.csv beside it gets the line.
class OutputFile {
 public:
  static Result<OutputFile> create(const std::filesystem::path& folder, const std::string& name);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text);
  // The path that the file has now.
  Result<std::filesystem::path> finish();

 private:
  OutputFile(int descriptor, std::filesystem::path path) : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_;
  std::filesystem::path path_;  // the final one
};

}  // namespace belay::inspect
