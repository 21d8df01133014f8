// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/files/mapped_file.h"
#include "dump/format/record.h"

namespace belay::dump {

using Bytes = std::span<const std::byte>;

// The header message without its length. 100006 when the bytes are no such message. Fields we do not know are skipped.
Result<Header> decode_message(Bytes message);

// The header of a file in memory: its length, the message, the tensors' bytes, which are not looked at. 100006 when the
// length does not fit or the bytes behind it are no such message.
Result<Header> read_header(Bytes file);

// A dump file as it lies on disk: the header, and the bytes of each tensor, borrowed from the mapping.
struct DumpFile {
  Header header;
  std::vector<Bytes> inputs, outputs, buffers, spaces;  // one for each entry of the header
  std::shared_ptr<const MappedFile> file;
};

// 100003 when the file cannot be read; 100006, with the sizes, when it is no dump file or not whole.
Result<DumpFile> read_dump(const std::filesystem::path& path);
// The same for bytes in memory; `file` of the result is null.
Result<DumpFile> read_dump(Bytes bytes);

}  // namespace belay::dump
