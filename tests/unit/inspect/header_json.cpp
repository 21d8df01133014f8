// SPDX-License-Identifier: Apache-2.0
// The oracle is docs/dump.md: the fields' names and which of them are always there.
#include "inspect/header_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace belay::inspect {
namespace {

using Json = nlohmann::json;

TEST(HeaderJson, ZerosAreThereAndMessagesThatAreNotSetAreNot) {
  const Json json = Json::parse(header_json({.outputs = {{}}, .inputs = {{}}, .spaces = {{}}}));
  EXPECT_EQ(json["version"], "2.0");
  EXPECT_EQ(json["dump_time"], "0");
  EXPECT_EQ(json["output"][0], Json::parse(R"({"data_type":0,"format":0,"data":"","size":"0","sub_format":0,
      "address":"0","dim_range":[],"offset":"0","arg_index":0})"));
  EXPECT_EQ(json["input"][0], Json::parse(R"({"data_type":0,"format":0,"data":"","size":"0","sub_format":0,
      "address":"0","offset":"0","arg_index":0,"input_type":0})"));
  EXPECT_EQ(json["space"][0], Json::parse(R"({"type":0,"data":"","size":"0","arg_index":0})"));
  for (const char* empty : {"buffer", "attr"}) EXPECT_EQ(json[empty], Json::array()) << empty;
}

TEST(HeaderJson, SixtyFourBitsAreTextToTheLastOne) {
  dump::TensorEntry output{.shape = dump::Dims{UINT64_MAX}, .size = UINT64_MAX, .address = UINT64_MAX - 1};
  const Json json = Json::parse(header_json({.dump_time = UINT64_MAX, .outputs = {output}}));
  EXPECT_EQ(json["dump_time"], "18446744073709551615");
  EXPECT_EQ(json["output"][0]["shape"], Json::parse(R"({"dim":["18446744073709551615"]})"));
  EXPECT_EQ(json["output"][0]["address"], "18446744073709551614");
}

TEST(HeaderJson, BytesThatAreNoUtf8AreReplaced) {
  const Json json = Json::parse(header_json(
      {.op_name = "a\xff", .attributes = {{"\xc3(", "\xed\xa0\x80"}}, .dfx_message = std::string("x\0y", 3)}));
  EXPECT_EQ(json["op_name"], "a\ufffd");
  EXPECT_EQ(json["attr"][0]["name"], "\ufffd(");
  EXPECT_EQ(json["dfx_message"], std::string("x\0y", 3));
}

}  // namespace
}  // namespace belay::inspect
