// SPDX-License-Identifier: Apache-2.0
#include "dump/format/record_reader.h"

#include <cstring>
#include <protozero/pbf_message.hpp>

#include "base/exception_words.h"
#include "base/text.h"
#include "dump/format/record_fields.h"

namespace belay::dump {
namespace {

using Wire = protozero::pbf_wire_type;

constexpr size_t kLengthBytes = 8;  // of the header, little endian, at the beginning of a file

// A field that is not encoded as its type is.
struct WrongKind {};

// A message whose fields are checked before they are taken: protozero only asserts.
template <class Tags>
class Reader : public protozero::pbf_message<Tags> {
 public:
  explicit Reader(protozero::data_view bytes) : protozero::pbf_message<Tags>(bytes) {}

  uint64_t number() { return expect(Wire::varint).get_uint64(); }
  uint32_t number32() { return static_cast<uint32_t>(number()); }
  int32_t signed32() { return static_cast<int32_t>(number()); }
  std::string text() { return expect(Wire::length_delimited).get_string(); }
  protozero::data_view message() { return expect(Wire::length_delimited).get_view(); }

 private:
  Reader& expect(Wire wire) {
    if (!this->has_wire_type(wire)) throw WrongKind{};
    return *this;
  }
};

// Packed or one by one: both are the same to protobuf.
Dims read_shape(Reader<field::Shape> message) {
  Dims dims;
  while (message.next()) {
    if (message.tag() != field::Shape::dim) {
      message.skip();
    } else if (message.has_wire_type(Wire::length_delimited)) {
      for (const uint64_t dim : message.get_packed_uint64()) dims.push_back(dim);
    } else {
      dims.push_back(message.number());
    }
  }
  return dims;
}

OriginalOp read_original_op(Reader<field::Original> message) {
  OriginalOp op;
  while (message.next()) {
    switch (message.tag()) {
      case field::Original::name:
        op.name = message.text();
        break;
      case field::Original::output_index:
        op.output_index = message.number32();
        break;
      case field::Original::data_type:
        op.data_type = message.signed32();
        break;
      case field::Original::format:
        op.format = message.signed32();
        break;
      default:
        message.skip();
    }
  }
  return op;
}

std::pair<uint64_t, uint64_t> read_dim_range(Reader<field::DimRange> message) {
  std::pair<uint64_t, uint64_t> range{};
  while (message.next()) {
    if (message.tag() == field::DimRange::dim_start)
      range.first = message.number();
    else if (message.tag() == field::DimRange::dim_end)
      range.second = message.number();
    else
      message.skip();
  }
  return range;
}

// What inputs and outputs share, under each one's own numbers. False for another field.
template <class Tag>
bool read_common(Reader<Tag>& message, TensorEntry& tensor) {
  switch (message.tag()) {
    case Tag::data_type:
      tensor.data_type = message.signed32();
      return true;
    case Tag::format:
      tensor.format = message.signed32();
      return true;
    case Tag::shape:
      tensor.shape = read_shape(Reader<field::Shape>(message.message()));
      return true;
    case Tag::size:
      tensor.size = message.number();
      return true;
    case Tag::original_shape:
      tensor.original_shape = read_shape(Reader<field::Shape>(message.message()));
      return true;
    case Tag::sub_format:
      tensor.sub_format = message.signed32();
      return true;
    case Tag::address:
      tensor.address = message.number();
      return true;
    case Tag::offset:
      tensor.offset = message.number();
      return true;
    case Tag::arg_index:
      tensor.arg_index = message.number32();
      return true;
    default:
      return false;
  }
}

TensorEntry read_output(Reader<field::Output> message) {
  TensorEntry tensor;
  while (message.next()) {
    if (read_common(message, tensor)) continue;
    if (message.tag() == field::Output::original_op)
      tensor.original_op = read_original_op(Reader<field::Original>(message.message()));
    else if (message.tag() == field::Output::dim_range)
      tensor.dim_range.push_back(read_dim_range(Reader<field::DimRange>(message.message())));
    else
      message.skip();
  }
  return tensor;
}

TensorEntry read_input(Reader<field::Input> message) {
  TensorEntry tensor;
  while (message.next()) {
    if (read_common(message, tensor)) continue;
    if (message.tag() == field::Input::input_type)
      tensor.input_type = message.number32();
    else
      message.skip();
  }
  return tensor;
}

SpaceEntry read_space(Reader<field::Space> message) {
  SpaceEntry space;
  while (message.next()) {
    if (message.tag() == field::Space::type)
      space.type = message.signed32();
    else if (message.tag() == field::Space::size)
      space.size = message.number();
    else if (message.tag() == field::Space::arg_index)
      space.arg_index = message.number32();
    else
      message.skip();
  }
  return space;
}

std::pair<std::string, std::string> read_attribute(Reader<field::Attr> message) {
  std::pair<std::string, std::string> attribute;
  while (message.next()) {
    if (message.tag() == field::Attr::name)
      attribute.first = message.text();
    else if (message.tag() == field::Attr::value)
      attribute.second = message.text();
    else
      message.skip();
  }
  return attribute;
}

Header read_fields(Reader<field::Dump> message) {
  Header header;
  header.version.clear();
  while (message.next()) {
    switch (message.tag()) {
      case field::Dump::version:
        header.version = message.text();
        break;
      case field::Dump::dump_time:
        header.dump_time = message.number();
        break;
      case field::Dump::output:
        header.outputs.push_back(read_output(Reader<field::Output>(message.message())));
        break;
      case field::Dump::input:
        header.inputs.push_back(read_input(Reader<field::Input>(message.message())));
        break;
      case field::Dump::buffer:
        header.buffers.push_back(read_space(Reader<field::Space>(message.message())));
        break;
      case field::Dump::op_name:
        header.op_name = message.text();
        break;
      case field::Dump::attr:
        header.attributes.push_back(read_attribute(Reader<field::Attr>(message.message())));
        break;
      case field::Dump::space:
        header.spaces.push_back(read_space(Reader<field::Space>(message.message())));
        break;
      case field::Dump::dfx_message:
        header.dfx_message = message.text();
        break;
      default:
        message.skip();
    }
  }
  return header;
}

Status no_dump(std::string why) { return {ACL_ERROR_PARSE_FILE, "this is not a dump file: " + std::move(why)}; }

// The message between the length that a file begins with and the tensors' bytes.
Result<Bytes> header_message(Bytes file) {
  if (file.size() < kLengthBytes) return no_dump(formatted("it has {} bytes", file.size()));
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) length |= std::to_integer<uint64_t>(file[i]) << 8 * i;
  if (length == 0 || length > file.size() - kLengthBytes)
    return no_dump(formatted("its header would have {} bytes, and the file has {}", length, file.size()));
  return file.subspan(kLengthBytes, length);
}

// Takes the data of each entry off the front of `rest`.
template <class Entry>
Status take_data(const std::vector<Entry>& entries, const char* group, Bytes& rest, std::vector<Bytes>& taken) {
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].size > rest.size())
      return {ACL_ERROR_PARSE_FILE, formatted("the dump file is incomplete: {} {} has {} bytes, but only {} are left",
                                              group, i, entries[i].size, rest.size())};
    taken.push_back(rest.first(entries[i].size));
    rest = rest.subspan(entries[i].size);
  }
  return {};
}

}  // namespace

Result<Header> decode_message(Bytes message) {
  try {
    return read_fields(Reader<field::Dump>({reinterpret_cast<const char*>(message.data()), message.size()}));
  } catch (const protozero::exception& e) {
    return no_dump(formatted("its header is damaged ({})", exception_words(e)));
  } catch (const WrongKind&) {
    return no_dump("its header has a field of the wrong kind");
  }
}

Result<Header> read_header(Bytes file) { return decode_message(TRY(header_message(file))); }

Result<DumpFile> read_dump(Bytes bytes) {
  const Bytes message = TRY(header_message(bytes));
  DumpFile dump{.header = TRY(decode_message(message))};
  Bytes rest = bytes.subspan(kLengthBytes + message.size());
  TRY(take_data(dump.header.inputs, "input", rest, dump.inputs));
  TRY(take_data(dump.header.outputs, "output", rest, dump.outputs));
  TRY(take_data(dump.header.buffers, "buffer", rest, dump.buffers));
  TRY(take_data(dump.header.spaces, "workspace", rest, dump.spaces));
  if (!rest.empty())
    return Status{ACL_ERROR_PARSE_FILE, formatted("the dump file has {} bytes more than its header says", rest.size())};
  return dump;
}

Result<DumpFile> read_dump(const std::filesystem::path& path) {
  auto file = TRY(MappedFile::open(path));
  DumpFile dump = TRY(read_dump(file->bytes()));
  dump.file = std::move(file);
  return dump;
}

}  // namespace belay::dump
