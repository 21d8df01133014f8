// SPDX-License-Identifier: Apache-2.0
// The bytes of dump files. The oracle is the documentation: its hex, and wire bytes put together by hand.
#include "dump/format/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "dump/format/record_reader.h"
#include "dump/format/types.h"
#include "graph/tensor/types.h"
#include "support/temporary_directory.h"

namespace belay::dump {
namespace {

using testing::HasSubstr;

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); ++i)
    if (isxdigit(hex[i])) bytes += static_cast<char>(std::stoi(hex.substr(i++, 2), nullptr, 16));
  return bytes;
}

template <class T>
std::string raw(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
std::string text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

Header add_header() {
  const TensorEntry tensor{.data_type = 1, .format = 2, .shape = {{2}}, .size = 8, .original_shape = {{2}}};
  Header header{.dump_time = 1700000000123456, .outputs = {tensor}, .inputs = {tensor}, .op_name = "net/add"};
  header.outputs[0].address = 0x1000;
  header.inputs[0].address = 0x2000;
  return header;
}

const std::string add_file = from_hex(
    "41 00 00 00 00 00 00 00 0a 03 32 2e 30 10 c0 c4 80 c1 c1 c4 82 03 1a 13 08 01 10 02 1a 03 0a 01"
    "02 30 08 3a 03 0a 01 02 48 80 20 22 13 08 01 10 02 1a 03 0a 01 02 28 08 32 03 0a 01 02 40 80 40"
    "32 07 6e 65 74 2f 61 64 64 00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40");

TEST(Record, IsTheDocumentedExampleByteForByte) {
  const std::string head = *encode(add_header());
  EXPECT_EQ(head.size(), 8u + 65);
  EXPECT_EQ(head + raw({1.0f, 2.0f}) + raw({3.0f, 4.0f}), add_file);
  EXPECT_EQ(add_file.size(), 89u);
}

TEST(Record, OfAFusedConvolutionIsTheDocumentedExample) {
  const TensorEntry output{.data_type = 1,
                           .shape = {{1, 1, 2, 2}},
                           .original_op = OriginalOp{.name = "conv1_relu"},
                           .size = 16,
                           .original_shape = {{1, 1, 2, 2}},
                           .address = 0x10400};
  const Header header{.dump_time = 1767323046000100, .outputs = {output}, .op_name = "conv1conv1_relu"};
  EXPECT_EQ(*encode(header),
            from_hex("47 00 00 00 00 00 00 00 0a 03 32 2e 30 10 e4 eb f0 b2 ef eb 91 03 1a 26 08 01 1a 06 0a 04 01 01"
                     "02 02 22 0c 0a 0a 63 6f 6e 76 31 5f 72 65 6c 75 30 10 3a 06 0a 04 01 01 02 02 48 80 88 04 32 0f"
                     "63 6f 6e 76 31 63 6f 6e 76 31 5f 72 65 6c 75"));
}

TEST(Record, OfADataOperatorHasAnEmptyOriginalShape) {
  const TensorEntry output{
      .data_type = 1, .shape = {{1, 1, 2, 2}}, .size = 16, .original_shape = Dims{}, .address = 0x10000};
  const Header header{.dump_time = 1767323046000101, .outputs = {output}, .op_name = "x"};
  EXPECT_EQ(*encode(header),
            from_hex("25 00 00 00 00 00 00 00 0a 03 32 2e 30 10 e5 eb f0 b2 ef eb 91 03 1a 12 08 01 1a 06 0a 04 01 01"
                     "02 02 30 10 3a 00 48 80 80 04 32 01 78"));
}

TEST(Record, EachFieldHasItsNumber) {
  TensorEntry output{.data_type = 27,
                     .format = 3,
                     .shape = Dims{},
                     .original_op = OriginalOp{"a", 2, 3, 4},
                     .size = 5,
                     .original_shape = {{300}},
                     .sub_format = 6,
                     .address = 7,
                     .dim_range = {{1, 9}},
                     .offset = UINT64_MAX,
                     .arg_index = 8};
  EXPECT_EQ(encode_message({.version = "", .outputs = {output}}),
            from_hex("1a 30 08 1b 10 03 1a 00 22 09 0a 01 61 10 02 18 03 20 04 30 05 3a 04 0a 02 ac 02 40 06 48 07"
                     "52 04 08 01 10 09 58 ff ff ff ff ff ff ff ff ff 01 60 08"));
  TensorEntry input{.data_type = 2,
                    .format = 1,
                    .shape = {{1, 2}},
                    .size = 3,
                    .original_shape = Dims{},
                    .sub_format = 4,
                    .address = 5,
                    .offset = 6,
                    .arg_index = 7,
                    .input_type = 2};
  EXPECT_EQ(encode_message({.version = "", .inputs = {input}}),
            from_hex("22 18 08 02 10 01 1a 04 0a 02 01 02 28 03 32 00 38 04 40 05 48 06 50 07 58 02"));
  EXPECT_EQ(encode_message({.version = "",
                            .buffers = {{.size = 1}},
                            .op_name = "n",
                            .attributes = {{"k", "v"}},
                            .spaces = {{.type = 1, .size = 2, .arg_index = 3}},
                            .dfx_message = "d"}),
            from_hex("2a 02 18 01 32 01 6e 3a 06 0a 01 6b 12 01 76 42 06 08 01 18 02 20 03 4a 01 64"));
}

// Every data type has the number of the table in the documentation.
TEST(Record, DataTypesHaveTheDumpNumbers) {
  using graph::DataType;
  const std::pair<DataType, const char*> table[] = {{DataType::Undefined, "UNDEFINED"},
                                                    {DataType::Float, "FLOAT"},
                                                    {DataType::Float16, "FLOAT16"},
                                                    {DataType::Int8, "INT8"},
                                                    {DataType::UInt8, "UINT8"},
                                                    {DataType::Int16, "INT16"},
                                                    {DataType::UInt16, "UINT16"},
                                                    {DataType::Int32, "INT32"},
                                                    {DataType::Int64, "INT64"},
                                                    {DataType::UInt32, "UINT32"},
                                                    {DataType::UInt64, "UINT64"},
                                                    {DataType::Bool, "BOOL"},
                                                    {DataType::Double, "DOUBLE"},
                                                    {DataType::String, "STRING"},
                                                    {DataType::DualSubInt8, "DUAL_SUB_INT8"},
                                                    {DataType::DualSubUInt8, "DUAL_SUB_UINT8"},
                                                    {DataType::Complex64, "COMPLEX64"},
                                                    {DataType::Complex128, "COMPLEX128"},
                                                    {DataType::QInt8, "QINT8"},
                                                    {DataType::QInt16, "QINT16"},
                                                    {DataType::QInt32, "QINT32"},
                                                    {DataType::QUInt8, "QUINT8"},
                                                    {DataType::QUInt16, "QUINT16"},
                                                    {DataType::Resource, "RESOURCE"},
                                                    {DataType::StringRef, "STRING_REF"},
                                                    {DataType::Dual, "DUAL"},
                                                    {DataType::Variant, "VARIANT"},
                                                    {DataType::BFloat16, "BF16"},
                                                    {DataType::Int4, "INT4"},
                                                    {DataType::UInt1, "UINT1"},
                                                    {DataType::Int2, "INT2"},
                                                    {DataType::UInt2, "UINT2"},
                                                    {DataType::Complex32, "COMPLEX32"},
                                                    {DataType::HiFloat8, "HIFLOAT8"},
                                                    {DataType::Float8E5M2, "FLOAT8_E5M2"},
                                                    {DataType::Float8E4M3FN, "FLOAT8_E4M3FN"},
                                                    {DataType::Float8E8M0, "FLOAT8_E8M0"},
                                                    {DataType::Float6E3M2, "FLOAT6_E3M2"},
                                                    {DataType::Float6E2M3, "FLOAT6_E2M3"},
                                                    {DataType::Float4E2M1, "FLOAT4_E2M1"},
                                                    {DataType::Float4E1M2, "FLOAT4_E1M2"},
                                                    {DataType::HiFloat4, "HIFLOAT4"}};
  int32_t number = 0;
  for (const auto& [type, name] : table) {
    EXPECT_EQ(graph::to_proto(type), number) << name;
    EXPECT_EQ(type_name(number), name);
    EXPECT_EQ(type_bits(number), graph::bits_of(type)) << name;
    ++number;
  }
  EXPECT_EQ(type_name(42), "HIFLOAT4_SCALE");
  EXPECT_EQ(type_name(43), "");
  EXPECT_EQ(type_name(-1), "");
}

TEST(Record, FormatsHaveTheirNames) {
  const std::pair<int, const char*> table[] = {
      {0, "NCHW"},          {2, "ND"},          {3, "NC1HWC0"}, {4, "FRACTAL_Z"}, {16, "HWCN"},
      {27, "NDHWC"},        {29, "FRACTAL_NZ"}, {30, "NCDHW"},  {31, "DHWCN"},    {35, "NC"},
      {33, "FRACTAL_Z_3D"}, {47, "NCL"},        {49, "C1HWC0"}, {50, ""},         {255, ""}};
  for (const auto& [number, name] : table) EXPECT_EQ(format_name(number), name) << number;
}

TEST(Record, SizesAreCountedIn64Bits) {
  Header header = add_header();
  header.outputs[0].size = uint64_t{3} << 30;
  header.inputs[0].size = uint64_t{5} << 40;
  header.spaces.push_back({.size = 7});
  header.buffers.push_back({.size = 1});
  EXPECT_EQ(header.data_bytes(), (uint64_t{3} << 30) + (uint64_t{5} << 40) + 8);
  const std::string head = *encode(header);
  const auto decoded = decode_message(bytes_of(head).subspan(8));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(*decoded, header);
}

TEST(RecordReader, ReadsWhatIsWritten) {
  const auto dump = read_dump(bytes_of(add_file));
  ASSERT_TRUE(dump.ok()) << dump.status().message;
  EXPECT_EQ((*dump).header, add_header());
  EXPECT_EQ(text_of((*dump).inputs[0]), raw({1.0f, 2.0f}));
  EXPECT_EQ(text_of((*dump).outputs[0]), raw({3.0f, 4.0f}));
}

TEST(RecordReader, TakesDataInTheOrderInputsOutputsBuffersSpaces) {
  Header header{.outputs = {{.size = 1}, {.size = 0}},
                .inputs = {{.size = 2}, {.size = 1}},
                .buffers = {{.size = 1}},
                .spaces = {{.size = 1}}};
  const std::string file = *encode(header) + "aabcde";
  const auto dump = read_dump(bytes_of(file));
  ASSERT_TRUE(dump.ok()) << dump.status().message;
  EXPECT_EQ(text_of((*dump).inputs[0]), "aa");
  EXPECT_EQ(text_of((*dump).inputs[1]), "b");
  EXPECT_EQ(text_of((*dump).outputs[0]), "c");
  EXPECT_EQ(text_of((*dump).outputs[1]), "");
  EXPECT_EQ(text_of((*dump).buffers[0]), "d");
  EXPECT_EQ(text_of((*dump).spaces[0]), "e");
}

TEST(RecordReader, SkipsUnknownFieldsAndTakesUnpackedDimensions) {
  const auto header = decode_message(bytes_of(from_hex("7a 01 00 1a 08 1a 04 08 05 08 06 78 01 90 03 01")));
  ASSERT_TRUE(header.ok()) << header.status().message;
  EXPECT_THAT(*(*header).outputs[0].shape, testing::ElementsAre(5, 6));
}

TEST(RecordReader, RefusesWhatIsNoWholeDumpFile) {
  const std::pair<std::string, const char*> table[] = {
      {"", "0 bytes"},
      {"1234567", "7 bytes"},
      {std::string(8, '\0'), "0 bytes, and the file has 8"},
      {std::string(64, '\xff'), "18446744073709551615 bytes"},
      {from_hex("02 00 00 00 00 00 00 00 0a 05"), "damaged"},
      {from_hex("02 00 00 00 00 00 00 00 08 05"), "wrong kind"},
      {from_hex("02 00 00 00 00 00 00 00 12 00"), "wrong kind"},
      {add_file.substr(0, 88), "output 0 has 8 bytes, but only 7 are left"},
      {add_file.substr(0, 75), "input 0 has 8 bytes, but only 2 are left"},
      {add_file + "x", "1 bytes more"},
  };
  for (const auto& [file, says] : table) {
    const auto dump = read_dump(bytes_of(file));
    ASSERT_FALSE(dump.ok()) << says;
    EXPECT_EQ(dump.status().code, ACL_ERROR_PARSE_FILE) << says;
    EXPECT_THAT(dump.status().message, HasSubstr(says));
  }
}

TEST(RecordReader, MapsFiles) {
  const test::TemporaryDirectory directory;
  const auto dump = read_dump(std::filesystem::path(directory.write("Add.net_add.1.2.1700000000123456", add_file)));
  ASSERT_TRUE(dump.ok());
  EXPECT_EQ((*dump).header.op_name, "net/add");
  EXPECT_EQ(text_of((*dump).outputs[0]), raw({3.0f, 4.0f}));
  EXPECT_EQ(read_dump(std::filesystem::path(directory.path("missing"))).status().code, ACL_ERROR_INVALID_FILE);
}

}  // namespace
}  // namespace belay::dump
