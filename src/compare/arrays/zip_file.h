// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/files/mapped_file.h"
#include "base/status.h"

namespace belay::compare {

// A member of a zip archive.
struct ZipEntry {
  std::string name;
  bool deflated = false;  // else stored as it is
  uint64_t size = 0;      // unpacked
  uint32_t checksum = 0;
  size_t offset = 0, packed = 0;  // where its content lies in the archive, and how many bytes that is
};

// The members of an archive, in the order of its directory; zip64 too. 100006 says what is wrong: not an archive, not
// whole, encrypted, or packed in a way that only some programs know.
Result<std::vector<ZipEntry>> read_zip(std::span<const std::byte> archive);

// Whether a stored member is what its checksum was made of: 100006 when not.
Status check_stored(const ZipEntry& entry, std::span<const std::byte> archive);

// The content of a deflated member, in a file without a name: it takes disk space, not memory. 100006 when it is
// damaged, 100003 when there is no room.
Result<std::shared_ptr<const MappedFile>> unpack(const ZipEntry& entry, std::span<const std::byte> archive);

}  // namespace belay::compare
