// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "acl/acl.h"

namespace belay::tools {

// A tensor in host memory, as commands read, make and print them.
struct HostTensor {
  std::string name;
  aclDataType type = ACL_FLOAT;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  int64_t count() const;
  // Throws std::runtime_error when no memory could hold it.
  size_t byte_size() const;
  // Element `index` as a double, whatever the type.
  double at(int64_t index) const;
};

struct Summary {
  double min = 0, max = 0, mean = 0;
};
Summary summarize(const HostTensor& tensor);

// Reads a .npy file, or the raw bytes of any other; throws std::runtime_error when type or size do not fit `wanted`.
// The shape of a .npy replaces the wanted one.
HostTensor read_tensor(const std::string& path, const HostTensor& wanted);
void write_npy(const std::string& path, const HostTensor& tensor);

// Floats between -1 and 1, integers and bools 0 or 1: safe as indices, too.
void fill_random(HostTensor& tensor, std::mt19937_64& random);

const char* type_name(aclDataType type);
std::string dims_text(const std::vector<int64_t>& dims);
// "1,3,224,224"; throws UsageError.
std::vector<int64_t> parse_dims(const std::string& text);

}  // namespace belay::tools
