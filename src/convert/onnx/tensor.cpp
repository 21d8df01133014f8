// SPDX-License-Identifier: Apache-2.0
#include "convert/onnx/tensor.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "convert/onnx/types.h"

namespace belay::convert::onnx {
namespace {

using graph::DataType;
using protozero::data_view;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr auto text = pbf_wire_type::length_delimited;
constexpr auto varint = pbf_wire_type::varint;

// The fields of a TensorProto before they become a value.
struct Fields {
  std::string name;
  graph::Shape dims;
  int64_t type = 0;
  bool segmented = false, has_raw = false, external = false;
  data_view raw;
  data_view packed;              // float_data or double_data, when it came in one piece
  std::vector<std::byte> typed;  // what the other typed fields say, in memory form
  std::map<std::string, std::string> location;
};

Status broken(const Fields& fields, const std::string& why) {
  return {ACL_ERROR_PARSE_MODEL, formatted("tensor {}: {}", fields.name, why)};
}

template <class T>
void append(std::vector<std::byte>& out, T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof(T));
}

// An element of int32_data: as wide as the tensor's type.
void append_int32(Fields& fields, int64_t value) {
  switch (graph::bits_of(data_type(fields.type))) {
    case 4:
    case 8:
      return append(fields.typed, static_cast<uint8_t>(value));
    case 16:
      return append(fields.typed, static_cast<uint16_t>(value));
    default:
      return append(fields.typed, static_cast<uint32_t>(value));
  }
}

void append_uint64(Fields& fields, uint64_t value) {
  if (graph::bits_of(data_type(fields.type)) == 32) return append(fields.typed, static_cast<uint32_t>(value));
  append(fields.typed, value);
}

// Fixed-width numbers in one piece are borrowed; a second piece makes both a copy.
void add_packed(Fields& fields, data_view view) {
  if (fields.packed.empty() && fields.typed.empty()) {
    fields.packed = view;
    return;
  }
  const auto add = [&fields](data_view piece) {
    const auto* bytes = reinterpret_cast<const std::byte*>(piece.data());
    fields.typed.insert(fields.typed.end(), bytes, bytes + piece.size());
  };
  add(fields.packed);
  add(view);
  fields.packed = {};
}

void read_location(Fields& fields, protozero::pbf_reader entry) {
  std::string key, value;
  while (entry.next()) switch (entry.tag_and_type()) {
      case tag_and_type(1, text):
        key = entry.get_string();
        break;
      case tag_and_type(2, text):
        value = entry.get_string();
        break;
      default:
        entry.skip();
    }
  fields.location[key] = value;
}

// The element type decides how int32_data is stored, and may stand after it: typed fields are read in a second pass.
void read_typed(Fields& fields, protozero::pbf_reader message) {
  while (message.next()) switch (message.tag_and_type()) {
      case tag_and_type(4, text):
      case tag_and_type(10, text):
        add_packed(fields, message.get_view());
        break;
      case tag_and_type(4, pbf_wire_type::fixed32):
        append(fields.typed, message.get_float());
        break;
      case tag_and_type(10, pbf_wire_type::fixed64):
        append(fields.typed, message.get_double());
        break;
      case tag_and_type(5, text):
        for (const int32_t value : message.get_packed_int32()) append_int32(fields, value);
        break;
      case tag_and_type(5, varint):
        append_int32(fields, message.get_int32());
        break;
      case tag_and_type(7, text):
        for (const int64_t value : message.get_packed_int64()) append(fields.typed, value);
        break;
      case tag_and_type(7, varint):
        append(fields.typed, message.get_int64());
        break;
      case tag_and_type(11, text):
        for (const uint64_t value : message.get_packed_uint64()) append_uint64(fields, value);
        break;
      case tag_and_type(11, varint):
        append_uint64(fields, message.get_uint64());
        break;
      default:
        message.skip();
    }
}

Fields read_fields(protozero::pbf_reader message) {
  Fields fields;
  auto again = message;
  while (message.next()) switch (message.tag_and_type()) {
      case tag_and_type(1, text):
        for (const int64_t dim : message.get_packed_int64()) fields.dims.push_back(dim);
        break;
      case tag_and_type(1, varint):
        fields.dims.push_back(message.get_int64());
        break;
      case tag_and_type(2, varint):
        fields.type = message.get_int32();
        break;
      case tag_and_type(3, text):
        fields.segmented = true, message.skip();
        break;
      case tag_and_type(8, text):
        fields.name = message.get_string();
        break;
      case tag_and_type(9, text):
        fields.raw = message.get_view(), fields.has_raw = true;
        break;
      case tag_and_type(13, text):
        read_location(fields, message.get_message());
        break;
      case tag_and_type(14, varint):
        fields.external = message.get_enum() == 1;
        break;
      default:
        message.skip();
    }
  if (!fields.has_raw && !fields.external) read_typed(fields, again);
  return fields;
}

Result<uint64_t> location_number(const Fields& fields, const char* key, uint64_t fallback) {
  const auto found = fields.location.find(key);
  if (found == fields.location.end()) return fallback;
  const auto number = parse_number(found->second);
  if (!number) return broken(fields, formatted("external data has {} {}, which is not a number", key, found->second));
  return *number;
}

// Borrows the bytes; where an element would not begin at a multiple of its size, copies them.
void take_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, graph::Constant& value) {
  const size_t element = std::max<size_t>(graph::bits_of(value.type) / 8, 1);
  value.bytes = bytes;
  value.owner = std::move(owner);
  if (reinterpret_cast<uintptr_t>(bytes.data()) % element == 0) return;
  auto copy = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  value.bytes = *copy;
  value.owner = std::move(copy);
  forget_pages(bytes.data(), bytes.size());
}

Status take_external(const Fields& fields, size_t bytes, TensorSource& source, graph::Constant& value) {
  const auto location = fields.location.find("location");
  if (location == fields.location.end()) return broken(fields, "external data without a location");
  auto mapped = source.file(location->second);
  if (!mapped.ok()) return broken(fields, mapped.status().message);
  const auto file = std::move(mapped).value();
  const uint64_t offset = TRY(location_number(fields, "offset", 0)), whole = file->bytes().size();
  if (offset > whole || bytes > whole - offset)
    return broken(fields,
                  formatted("needs {} bytes at offset {} of {}, which has {}", bytes, offset, location->second, whole));
  const uint64_t length = TRY(location_number(fields, "length", bytes));
  if (length != bytes) return broken(fields, formatted("{} bytes of external data, its shape needs {}", length, bytes));
  take_bytes(file->bytes().subspan(offset, bytes), file, value);
  return {};
}

void take_inner(Fields& fields, const TensorSource& source, graph::Constant& value) {
  const auto take = [&](data_view view) {
    take_bytes(std::as_bytes(std::span(view.data(), view.size())), source.owner, value);
  };
  if (fields.has_raw) return take(fields.raw);
  if (!fields.packed.empty()) return take(fields.packed);
  auto buffer = std::make_shared<const std::vector<std::byte>>(std::move(fields.typed));
  value.bytes = *buffer;
  value.owner = buffer;
}

// Bytes that the shape needs; an error for shapes that no tensor has.
Result<size_t> needed_bytes(const Fields& fields, DataType type) {
  int64_t count = 1;
  for (const int64_t dim : fields.dims)
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count) || count > int64_t{1} << 48)
      return broken(fields, "shape " + graph::to_text(fields.dims) + " is not one of a tensor");
  return graph::bytes_of(type, count);
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> TensorSource::file(const std::string& location) {
  if (const auto found = files.find(location); found != files.end()) return found->second;
  const std::filesystem::path relative(location);
  const bool climbs = std::any_of(relative.begin(), relative.end(), [](const auto& part) { return part == ".."; });
  if (relative.is_absolute() || climbs)
    return Status{ACL_ERROR_PARSE_MODEL,
                  formatted("external data {} must lie in the model's directory or below it", location)};
  const auto file = TRY(MappedFile::open(directory / relative));
  files.emplace(location, file);
  return file;
}

Result<Tensor> read_tensor(protozero::pbf_reader message, TensorSource& source) {
  Fields fields = read_fields(message);
  Tensor tensor{.name = fields.name};
  const DataType type = data_type(fields.type);
  tensor.value.type = type;
  tensor.value.shape = fields.dims;
  if (!is_supported(fields.type)) {
    tensor.problem = type == DataType::String ? "a string tensor" : "element type " + type_name(fields.type);
    return tensor;
  }
  if (fields.segmented) return broken(fields, "it is stored in segments, which is not supported");
  const size_t bytes = TRY(needed_bytes(fields, type));
  if (fields.external) {
    TRY(take_external(fields, bytes, source, tensor.value));
  } else {
    take_inner(fields, source, tensor.value);
  }
  if (tensor.value.bytes.size() != bytes)
    return broken(fields, formatted("has {} bytes, its shape {} of {} needs {}", tensor.value.bytes.size(),
                                    graph::to_text(fields.dims), graph::name_of(type), bytes));
  return tensor;
}

}  // namespace belay::convert::onnx
