// SPDX-License-Identifier: Apache-2.0
#include "compare/arrays/zip_file.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/files/descriptor.h"
#include "base/files/nameless_file.h"
#include "base/text.h"

namespace belay::compare {
namespace {

using Bytes = std::span<const std::byte>;

constexpr uint32_t kEndMark = 0x06054b50, kEnd64Mark = 0x06064b50, kLocatorMark = 0x07064b50;
constexpr uint32_t kEntryMark = 0x02014b50, kLocalMark = 0x04034b50;
constexpr size_t kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20, kEntryBytes = 46, kLocalBytes = 30;
constexpr size_t kLongestComment = 65535;
constexpr uint32_t kIn64 = 0xffffffff;  // the number is in the zip64 fields
constexpr uint64_t kMostGrowth = 1040;  // deflate makes of one byte no more than 1032
constexpr size_t kCheckedAtOnce = 16 << 20;

Status bad(const std::string& why) { return {ACL_ERROR_PARSE_FILE, "this is not a zip archive: " + why}; }

template <class T>
T number_at(Bytes bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::optional<size_t> find_end(Bytes archive) {
  if (archive.size() < kEndBytes) return {};
  const size_t last = archive.size() - kEndBytes, least = last - std::min(last, kLongestComment);
  for (size_t at = last + 1; at-- > least;)
    if (number_at<uint32_t>(archive, at) == kEndMark) return at;
  return {};
}

struct Directory {
  uint64_t entries, bytes, offset;
};

Result<Directory> find_directory(Bytes archive) {
  const auto end = find_end(archive);
  if (!end) return bad("it has no end record");
  Directory found{number_at<uint16_t>(archive, *end + 10), number_at<uint32_t>(archive, *end + 12),
                  number_at<uint32_t>(archive, *end + 16)};
  if (*end >= kLocatorBytes && number_at<uint32_t>(archive, *end - kLocatorBytes) == kLocatorMark) {
    const auto at = number_at<uint64_t>(archive, *end - kLocatorBytes + 8);
    if (at > archive.size() || archive.size() - at < kEnd64Bytes ||
        number_at<uint32_t>(archive, static_cast<size_t>(at)) != kEnd64Mark)
      return bad("its zip64 end record is missing");
    const auto record = static_cast<size_t>(at);
    found = {number_at<uint64_t>(archive, record + 32), number_at<uint64_t>(archive, record + 40),
             number_at<uint64_t>(archive, record + 48)};
  }
  if (found.offset > archive.size() || found.bytes > archive.size() - found.offset ||
      found.entries > found.bytes / kEntryBytes)
    return bad("its directory lies outside of it");
  return found;
}

// The 64-bit numbers of a member, for those that have no room in its entry: sizes and offset, in this order.
struct Sizes {
  uint64_t unpacked, packed, offset;

  bool widen(Bytes extra) {
    while (extra.size() >= 4) {
      const auto id = number_at<uint16_t>(extra, 0);
      const size_t length = number_at<uint16_t>(extra, 2);
      if (length > extra.size() - 4) return false;
      if (id == 1) return take(extra.subspan(4, length));
      extra = extra.subspan(4 + length);
    }
    return unpacked != kIn64 && packed != kIn64 && offset != kIn64;
  }
  bool take(Bytes wide) {
    for (uint64_t* value : {&unpacked, &packed, &offset}) {
      if (*value != kIn64) continue;
      if (wide.size() < 8) return false;
      *value = number_at<uint64_t>(wide, 0);
      wide = wide.subspan(8);
    }
    return true;
  }
};

// Where the content of a member begins.
Result<size_t> content_of(Bytes archive, const Sizes& sizes, const std::string& name) {
  if (sizes.offset > archive.size() || archive.size() - sizes.offset < kLocalBytes)
    return bad(formatted("{} lies outside of it", name));
  const Bytes local = archive.subspan(static_cast<size_t>(sizes.offset));
  const size_t skip = kLocalBytes + number_at<uint16_t>(local, 26) + number_at<uint16_t>(local, 28);
  if (number_at<uint32_t>(local, 0) != kLocalMark || skip > local.size() || sizes.packed > local.size() - skip)
    return bad(formatted("{} is not whole", name));
  return static_cast<size_t>(sizes.offset) + skip;
}

Result<ZipEntry> read_entry(Bytes archive, Bytes& rest) {
  if (rest.size() < kEntryBytes || number_at<uint32_t>(rest, 0) != kEntryMark) return bad("its directory is damaged");
  const size_t name = number_at<uint16_t>(rest, 28), extra = number_at<uint16_t>(rest, 30);
  const size_t comment = number_at<uint16_t>(rest, 32);
  if (name + extra + comment > rest.size() - kEntryBytes) return bad("its directory is damaged");
  ZipEntry entry{.name = {reinterpret_cast<const char*>(rest.data()) + kEntryBytes, name}};
  const auto flags = number_at<uint16_t>(rest, 8), method = number_at<uint16_t>(rest, 10);
  if ((flags & 1) != 0) return Status{ACL_ERROR_PARSE_FILE, formatted("{} is encrypted", entry.name)};
  if (method != 0 && method != 8)
    return Status{ACL_ERROR_PARSE_FILE,
                  formatted("{} is packed by method {}; only stored and deflated ones are read", entry.name, method)};
  Sizes sizes{number_at<uint32_t>(rest, 24), number_at<uint32_t>(rest, 20), number_at<uint32_t>(rest, 42)};
  if (!sizes.widen(rest.subspan(kEntryBytes + name, extra))) return bad(formatted("{} has no sizes", entry.name));
  entry.deflated = method == 8;
  entry.size = sizes.unpacked;
  entry.checksum = number_at<uint32_t>(rest, 16);
  entry.offset = TRY(content_of(archive, sizes, entry.name));
  entry.packed = static_cast<size_t>(sizes.packed);
  const bool possible = entry.deflated ? entry.size / kMostGrowth <= entry.packed : entry.size == entry.packed;
  if (!possible) return bad(formatted("{} cannot be {} bytes, it has {}", entry.name, entry.size, entry.packed));
  rest = rest.subspan(kEntryBytes + name + extra + comment);
  return entry;
}

Status write_all(int file, const std::byte* bytes, size_t count) {
  while (count > 0) {
    const ssize_t wrote = ::write(file, bytes, count);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0)
      return {ACL_ERROR_INVALID_FILE, formatted("no room for an unpacked array in $TMPDIR: {}", std::strerror(errno))};
    bytes += wrote;
    count -= static_cast<size_t>(wrote);
  }
  return {};
}

struct Inflater {
  Inflater() { ready = inflateInit2(&stream, -MAX_WBITS) == Z_OK; }
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
  z_stream stream{};
  bool ready = false;
};

Status inflate_into(int file, const ZipEntry& entry, Bytes left) {
  const Status damaged{ACL_ERROR_PARSE_FILE, formatted("{} is damaged: it cannot be unpacked", entry.name)};
  Inflater inflater;
  if (!inflater.ready) return {ACL_ERROR_BAD_ALLOC, "out of host memory"};
  std::vector<std::byte> block(1 << 18);
  uint64_t made = 0;
  uLong checksum = crc32(0, nullptr, 0);
  for (int state = Z_OK; state != Z_STREAM_END;) {
    z_stream& stream = inflater.stream;
    if (stream.avail_in == 0) {
      const size_t now = std::min<size_t>(left.size(), 1 << 24);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(left.data()));
      stream.avail_in = static_cast<uInt>(now);
      left = left.subspan(now);
    }
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    state = inflate(&stream, Z_NO_FLUSH);
    const size_t now = block.size() - stream.avail_out;
    made += now;
    if ((state != Z_OK && state != Z_STREAM_END) || made > entry.size) return damaged;
    checksum = crc32(checksum, reinterpret_cast<const Bytef*>(block.data()), static_cast<uInt>(now));
    TRY(write_all(file, block.data(), now));
  }
  return made == entry.size && checksum == entry.checksum ? Status{} : damaged;
}

}  // namespace

Result<std::vector<ZipEntry>> read_zip(Bytes archive) {
  const Directory directory = TRY(find_directory(archive));
  Bytes rest = archive.subspan(static_cast<size_t>(directory.offset), static_cast<size_t>(directory.bytes));
  std::vector<ZipEntry> entries;
  for (uint64_t i = 0; i < directory.entries; ++i) entries.push_back(TRY(read_entry(archive, rest)));
  return entries;
}

Status check_stored(const ZipEntry& entry, Bytes archive) {
  uLong checksum = crc32(0, nullptr, 0);
  for (Bytes left = archive.subspan(entry.offset, entry.packed); !left.empty();) {
    const Bytes now = left.first(std::min(left.size(), kCheckedAtOnce));
    checksum = crc32_z(checksum, reinterpret_cast<const Bytef*>(now.data()), now.size());
    left = left.subspan(now.size());
    if (entry.packed > kCheckedAtOnce) forget_pages(now.data(), now.size());
  }
  if (checksum == entry.checksum) return {};
  return {ACL_ERROR_PARSE_FILE, formatted("{} is damaged: its bytes do not have its checksum", entry.name)};
}

Result<std::shared_ptr<const MappedFile>> unpack(const ZipEntry& entry, Bytes archive) {
  const Descriptor file{TRY(nameless_file())};
  TRY(inflate_into(file.number, entry, archive.subspan(entry.offset, entry.packed)));
  return MappedFile::open("/proc/self/fd/" + std::to_string(file.number));
}

}  // namespace belay::compare
