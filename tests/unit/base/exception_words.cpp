// SPDX-License-Identifier: Apache-2.0
#include "base/exception_words.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>
#include <string>

namespace belay {
namespace {

std::string words_of_message(std::string_view bytes) {
  try {
    protozero::pbf_reader message(bytes.data(), bytes.size());
    while (message.next()) message.skip();
  } catch (const protozero::exception& error) {
    return exception_words(error);
  }
  return "";
}

TEST(ExceptionWords, OfDamagedMessages) {
  EXPECT_EQ(words_of_message("\x0a\x05x"), "it ends in the middle of a field");
  EXPECT_EQ(words_of_message("\x0f"), "a field in it is of a kind that there is not");
  EXPECT_EQ(words_of_message(std::string_view("\x02\x00", 2)), "a field in it has a number that none may have");
  EXPECT_EQ(words_of_message(std::string(11, '\xff')), "a number in it has too many bytes");
}

template <class Use>
std::string words_of_json(std::string_view text, Use use) {
  try {
    use(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    return json_words(error, text);
  }
  return "";
}

TEST(ExceptionWords, OfJsonSayWhere) {
  const auto nothing = [](const nlohmann::json&) {};
  EXPECT_EQ(words_of_json("", nothing), "line 1, column 1: the text ends too early");
  EXPECT_EQ(words_of_json("{\n \"a\": [1,\n", nothing), "line 3, column 1: the text ends too early");
  EXPECT_EQ(words_of_json("{\n \"a\": !}", nothing), "line 2, column 7: this is not JSON");
  EXPECT_EQ(words_of_json("[\"\xff\"]", nothing), "line 1, column 3: this is not UTF-8");
  EXPECT_EQ(words_of_json("1e999", nothing), "a number is too large");
  EXPECT_EQ(words_of_json("{}", [](const auto& json) { (void)json.at("name"); }),
            "there is no \"name\" where one must be");
  EXPECT_EQ(words_of_json("7", [](const auto& json) { (void)json.template get<std::string>(); }),
            "a value is of another type than it must be");
}

TEST(ExceptionWords, OfOthers) {
  EXPECT_EQ(exception_words(std::bad_alloc()), "out of host memory");
  EXPECT_EQ(exception_words(std::runtime_error("x")), "this library failed in a way that it did not foresee (x)");
}

}  // namespace
}  // namespace belay
