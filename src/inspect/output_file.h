// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/files/atomic_file.h"
#include "base/status.h"

namespace belay::inspect {

// A file being made under a temporary name, readable by its owner only. It gets its own name when finish() is called,
// and goes away when that does not happen. A name of 255 characters or more is replaced by a short one, and
// mapping.csv beside it gets the line.
class OutputFile {
 public:
  static Result<OutputFile> create(const std::filesystem::path& folder, const std::string& name);

  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text);
  // The path that the file has now.
  Result<std::filesystem::path> finish();

 private:
  explicit OutputFile(std::filesystem::path path) : path_(std::move(path)) {}

  std::unique_ptr<AtomicFile> file_ = std::make_unique<AtomicFile>();
  std::filesystem::path path_;  // the final one
};

// Adds "<short_name>,<name>" to the folder's mapping.csv.
Status add_mapping(const std::filesystem::path& folder, const std::string& short_name, const std::string& name);

}  // namespace belay::inspect
