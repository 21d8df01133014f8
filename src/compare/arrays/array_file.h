// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compare/sides/stored_source.h"

namespace belay::compare {

// An array of a file. It is read when it is opened; the errors then name the file.
struct ArrayEntry {
  std::string name;  // in a .npz or .safetensors file; "" in a .npy file, which has one
  std::function<Result<Source>()> open;
};

// Whether the name ends in .npy, .npz or .safetensors, in letters of any case.
bool is_array_file(const std::filesystem::path& file);

struct ArrayFile {
  std::vector<ArrayEntry> arrays;
  std::vector<std::string> problems;  // arrays that are left out, each with the reason
};

// What such a file holds; only heads and directories are read. 100003 when it cannot be read, 100006 when it is not
// what its name says; the message names the file.
Result<ArrayFile> read_array_file(const std::filesystem::path& file);

// The array in the bytes of a .npy file. 100006 when they are none, 100026 for types that tensors do not have.
Result<StoredTensor> parse_npy(std::span<const std::byte> file);

// The arrays of a .safetensors file by name. 100006 when it is none, or when two have one name.
struct NamedTensor {
  std::string name;
  StoredTensor tensor;
};
Result<std::vector<NamedTensor>> parse_safetensors(std::span<const std::byte> file);

}  // namespace belay::compare
