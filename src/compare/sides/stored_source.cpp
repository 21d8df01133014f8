// SPDX-License-Identifier: Apache-2.0
#include "compare/sides/stored_source.h"

#include <algorithm>
#include <optional>

#include "base/files/mapped_file.h"
#include "base/text.h"
#include "graph/tensor/form_reader.h"
#include "graph/tensor/small_element.h"

namespace belay::compare {
namespace {

using graph::Format;
using graph::FormReader;
using Bytes = std::span<const std::byte>;

class StoredSource : public ElementSource {
 public:
  StoredSource(StoredTensor tensor, std::optional<FormReader> reader)
      : ElementSource(tensor.type, tensor.logical.shape, tensor.logical.format),
        bits_(graph::bits_of(tensor.type)),
        tensor_(std::move(tensor)),
        reader_(std::move(reader)) {}

  const StoredTensor& tensor() const { return tensor_; }

  Result<Bytes> read(int64_t first, int64_t count, std::vector<std::byte>& storage) const override {
    if (first < 0 || count < 0 || first > this->count() - count)
      return Status{ACL_ERROR_INVALID_PARAM, formatted("a tensor {} has no elements {} to {}", graph::to_text(shape()),
                                                       first, first + count - 1)};
    const bool small = bits_ % 8 != 0;
    const size_t size = small ? 1 : bits_ / 8, elements = static_cast<size_t>(count);
    if (!reader_ && !small) return tensor_.bytes.subspan(static_cast<size_t>(first) * size, elements * size);
    storage.resize(elements * size);
    if (reader_)
      reader_->read(tensor_.bytes.data(), first, count, storage.data());
    else
      for (size_t i = 0; i < elements; ++i)
        storage[i] = graph::small_element(type(), bits_, tensor_.bytes.data(), first + static_cast<int64_t>(i));
    return Bytes(storage);
  }

  void forget() const override { forget_pages(tensor_.bytes.data(), tensor_.bytes.size()); }

 private:
  const size_t bits_;
  const StoredTensor tensor_;
  const std::optional<FormReader> reader_;  // none: stored in the order in which it is read
};

Result<Source> whole(const ElementSource& source) {
  StoredTensor tensor{.type = source.type(), .form = {source.format(), source.shape()}};
  tensor.logical = tensor.form;
  auto storage = std::make_shared<std::vector<std::byte>>();
  if (graph::bits_of(source.type()) % 8 != 0)
    return Status{ACL_ERROR_UNSUPPORTED_DATA_TYPE,
                  formatted("the dimensions of a computed {} cannot be exchanged", graph::name_of(source.type()))};
  const Bytes bytes = TRY(source.read(0, source.count(), *storage));
  if (bytes.data() != storage->data()) storage->assign(bytes.begin(), bytes.end());
  tensor.bytes = *storage;
  tensor.owner = storage;
  return make_stored_source(std::move(tensor));
}

}  // namespace

Result<Source> make_stored_source(StoredTensor tensor) {
  const size_t bits = graph::bits_of(tensor.type);
  const int64_t count = graph::element_count(tensor.form.shape);
  if (bits == 0)
    return Status{ACL_ERROR_UNSUPPORTED_DATA_TYPE,
                  formatted("elements of type {} have no fixed size", graph::name_of(tensor.type))};
  if (count < 0 || static_cast<uint64_t>(count) > tensor.bytes.size() * 8 / bits)
    return Status{ACL_ERROR_PARSE_FILE, formatted("{} bytes are not enough for {} of shape {}", tensor.bytes.size(),
                                                  graph::name_of(tensor.type), graph::to_text(tensor.form.shape))};
  std::optional<FormReader> reader;
  if (tensor.columns)
    reader = FormReader::columns(tensor.type, tensor.form.shape);
  else if (tensor.form.format != tensor.logical.format && tensor.form.format != Format::ND)
    reader = TRY(FormReader::make(tensor.type, tensor.bytes.size(), tensor.form, tensor.logical));
  return Source(std::make_shared<StoredSource>(std::move(tensor), std::move(reader)));
}

Result<Source> reordered(const Source& source, Format format) {
  const auto* stored = dynamic_cast<const StoredSource*>(source.get());
  if (!stored || stored->tensor().columns) return reordered(TRY(whole(*source)), format);
  StoredTensor tensor = stored->tensor();
  const graph::TensorForm from = tensor.logical;
  tensor.logical = {format, reordered_shape(from.shape, from.format, format)};
  if (tensor.form.format == Format::ND) tensor.form.format = from.format;
  return make_stored_source(std::move(tensor));
}

Result<Source> with_logical(const Source& source, graph::Shape shape) {
  const auto* stored = dynamic_cast<const StoredSource*>(source.get());
  if (!stored || !graph::is_private(stored->tensor().form.format)) return source;
  StoredTensor tensor = stored->tensor();
  tensor.logical = {Format::ND, std::move(shape)};
  return make_stored_source(std::move(tensor));
}

graph::Shape reordered_shape(const graph::Shape& shape, Format from, Format to) {
  const std::string_view here = graph::name_of(from), there = graph::name_of(to);
  if (here.size() != there.size() || shape.size() != here.size()) return {};
  graph::Shape moved;
  for (const char letter : there) {
    const size_t at = here.find(letter);
    if (at == std::string_view::npos) return {};
    moved.push_back(shape[at]);
  }
  return moved;
}

}  // namespace belay::compare
