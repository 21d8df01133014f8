// SPDX-License-Identifier: Apache-2.0
#include "blame/held.h"

#include <algorithm>

namespace belay::blame {

using Bytes = std::vector<std::byte>;

Result<std::span<const std::byte>> bytes_of(const compare::ElementSource& source, Bytes& storage) {
  return source.read(0, source.count(), storage);
}

Result<exact::Value> value_of(const compare::ElementSource& source) {
  Bytes storage;
  return exact::widened(source.type(), source.shape(), TRY(bytes_of(source, storage)));
}

Result<exact::Value> value_of(const Held& held) {
  if (!held.present) return exact::Value{.present = false};
  if (!held.source) return Status{ACL_ERROR_INVALID_PARAM, held.missing};
  return value_of(*held.source);
}

Result<Source> source_of(graph::DataType type, graph::Shape shape, std::span<const std::byte> bytes,
                         std::shared_ptr<const void> owner) {
  const graph::TensorForm form{.format = graph::Format::ND, .shape = std::move(shape)};
  return compare::make_stored_source({type, form, false, form, bytes, std::move(owner)});
}

Result<Source> source_of(const graph::Constant& constant) {
  return source_of(constant.type, constant.shape, constant.bytes, constant.owner);
}

Result<Source> source_of(const exact::Value& value, graph::DataType type) {
  auto bytes = std::make_shared<const Bytes>(TRY(exact::narrowed(value, type)));
  return source_of(type, value.shape, *bytes, bytes);
}

bool may_have_shape(const compare::ElementSource& source, const graph::Shape& shape) {
  const graph::Format format = source.format();
  if (source.shape() == shape || graph::is_private(format)) return true;
  if (source.shape().empty() || shape.empty()) return source.count() == graph::element_count(shape);
  return format != graph::Format::ND && format != graph::Format::NCHW &&
         std::ranges::is_permutation(source.shape(), shape);
}

Result<Source> reshaped(const Source& source, graph::Shape shape) {
  auto storage = std::make_shared<Bytes>();
  const auto bytes = TRY(bytes_of(*source, *storage));
  struct Owner {
    Source source;
    std::shared_ptr<Bytes> storage;
  };
  return source_of(source->type(), std::move(shape), bytes, std::make_shared<Owner>(Owner{source, storage}));
}

}  // namespace belay::blame
