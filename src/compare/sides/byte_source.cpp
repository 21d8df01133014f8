// SPDX-License-Identifier: Apache-2.0
#include "compare/sides/byte_source.h"

#include "base/text.h"

namespace belay::compare {
namespace {

using graph::DataType;
using Bytes = std::span<const std::byte>;

bool is_signed(DataType type) { return type == DataType::Int4 || type == DataType::Int2; }

class ByteSource : public ElementSource {
 public:
  ByteSource(DataType type, graph::Shape shape, graph::Format format, Bytes bytes, std::shared_ptr<const void> owner)
      : ElementSource(type, std::move(shape), format),
        bits_(graph::bits_of(type)),
        bytes_(bytes),
        owner_(std::move(owner)) {}

  Result<Bytes> read(int64_t first, int64_t count, std::vector<std::byte>& storage) const override {
    if (first < 0 || count < 0 || first > this->count() - count)
      return Status{ACL_ERROR_INVALID_PARAM, formatted("a tensor {} has no elements {} to {}", graph::to_text(shape()),
                                                       first, first + count - 1)};
    if (bits_ % 8 == 0) {
      const size_t size = bits_ / 8;
      return bytes_.subspan(static_cast<size_t>(first) * size, static_cast<size_t>(count) * size);
    }
    storage.resize(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) storage[static_cast<size_t>(i)] = small_element(first + i);
    return Bytes(storage);
  }

 private:
  // The first element is in the lowest bits of a byte; single bits begin at the highest.
  std::byte small_element(int64_t at) const {
    const auto bit = static_cast<size_t>(at) * bits_;
    const auto low = static_cast<unsigned>(bytes_[bit / 8]);
    const auto high = bit / 8 + 1 < bytes_.size() ? static_cast<unsigned>(bytes_[bit / 8 + 1]) : 0u;
    if (bits_ == 1) return static_cast<std::byte>(low >> (7 - bit % 8) & 1u);
    const unsigned value = (low | high << 8) >> (bit % 8) & ((1u << bits_) - 1);
    const bool negative = is_signed(type()) && value >> (bits_ - 1) != 0;
    return static_cast<std::byte>(negative ? value | ~((1u << bits_) - 1) : value);
  }

  const size_t bits_;
  const Bytes bytes_;
  const std::shared_ptr<const void> owner_;
};

}  // namespace

Result<std::shared_ptr<const ElementSource>> make_byte_source(DataType type, graph::Shape shape, graph::Format format,
                                                              Bytes bytes, std::shared_ptr<const void> owner) {
  const int64_t count = graph::element_count(shape);
  if (graph::bits_of(type) == 0)
    return Status{ACL_ERROR_UNSUPPORTED_DATA_TYPE,
                  formatted("elements of type {} have no fixed size", graph::name_of(type))};
  if (count < 0 || static_cast<uint64_t>(count) > bytes.size() * 8 / graph::bits_of(type))
    return Status{ACL_ERROR_PARSE_FILE, formatted("{} bytes are not enough for {} of shape {}", bytes.size(),
                                                  graph::name_of(type), graph::to_text(shape))};
  return std::shared_ptr<const ElementSource>(
      std::make_shared<ByteSource>(type, std::move(shape), format, bytes, std::move(owner)));
}

}  // namespace belay::compare
