// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/model/attribute.h"

namespace belay::graph {

// Attribute compression: names and texts of operator and tensor attributes are numbers into dictionaries that stand
// among the model's attributes. A coded name is a zero byte followed by its number in base 127, lowest digit first,
// digits counted from 1.
std::string coded_name(size_t index);
// The number of a coded name; beyond every dictionary when it is none.
size_t coded_index(std::string_view coded);
// What is said of a dictionary whose own names are coded.
inline constexpr std::string_view kCodedTwice =
    "the attributes' names are coded twice, as in files of several models that were joined after coding, and the first "
    "dictionary is not in the file; convert the source model again with --enable_attr_compression=false";

// Undoes the coding of one file. The default one changes nothing.
class AttributeDecoder {
 public:
  AttributeDecoder() = default;
  // Takes the dictionaries out of a model's attributes; without them, or with a version it does not know, an error or
  // the decoder that changes nothing.
  static Result<AttributeDecoder> from(Attributes& model_attributes);

  bool active() const { return !names_.empty(); }
  // 545002 for a number outside the dictionaries.
  Status decode(Attributes& attributes) const;

 private:
  Result<AttributeValue> decode_texts(const std::string& name, AttributeValue value) const;

  std::vector<std::string> names_, texts_;
  std::vector<bool> uses_texts_;
};

// Codes the attributes of one file: first shown all of them, then asked to code each.
class AttributeEncoder {
 public:
  // Texts are coded only under names whose values are texts everywhere.
  void learn(const Attributes& attributes);
  Attributes encode(const Attributes& attributes);
  // What goes among the model's attributes; complete when everything has been encoded.
  Attributes dictionary() const;

 private:
  struct Name {
    size_t index;
    bool texts;
  };
  int64_t text_index(const std::string& text);

  std::map<std::string, Name, std::less<>> names_;
  std::vector<std::string> name_list_, text_list_;
  std::map<std::string, int64_t, std::less<>> texts_;
};

}  // namespace belay::graph
