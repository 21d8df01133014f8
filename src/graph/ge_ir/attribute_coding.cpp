// SPDX-License-Identifier: Apache-2.0
#include "graph/ge_ir/attribute_coding.h"

#include "base/text.h"
#include "graph/ge_ir/fields.h"

namespace belay::graph {
namespace {

using Texts = std::vector<std::string>;
constexpr size_t kBase = 127;

Status bad_dictionary(const std::string& why) {
  return {ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED, "MODEL_DEF: attribute compression: " + why};
}

bool holds_texts(const AttributeValue& value) {
  return std::holds_alternative<std::string>(value) || std::holds_alternative<Texts>(value);
}

// The attribute, removed.
template <class T>
T taken(Attributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return {};
  T value{};
  if (T* held = std::get_if<T>(&found->second.value)) value = std::move(*held);
  attributes.erase(found);
  return value;
}

}  // namespace

size_t coded_index(std::string_view coded) {
  size_t index = 0, weight = 1;
  for (const char digit : coded.substr(1)) {
    const auto value = static_cast<unsigned char>(digit);
    if (value == 0 || value > kBase || weight > (size_t{1} << 40)) return static_cast<size_t>(-1);
    index += (value - 1) * weight;
    weight *= kBase;
  }
  return coded.size() < 2 ? static_cast<size_t>(-1) : index;
}

std::string coded_name(size_t index) {
  std::string coded(1, '\0');
  do {
    coded.push_back(static_cast<char>(index % kBase + 1));
    index /= kBase;
  } while (index > 0);
  return coded;
}

Result<AttributeDecoder> AttributeDecoder::from(Attributes& model_attributes) {
  AttributeDecoder decoder;
  if (!model_attributes.contains(ge_ir::kCompressVersion)) return decoder;
  const auto version = taken<int64_t>(model_attributes, ge_ir::kCompressVersion);
  decoder.names_ = taken<Texts>(model_attributes, ge_ir::kNameEnum);
  decoder.texts_ = taken<Texts>(model_attributes, ge_ir::kValueEnum);
  decoder.uses_texts_ = taken<std::vector<bool>>(model_attributes, ge_ir::kUsesStrings);
  if (version != 1) return bad_dictionary(formatted("version {} is not known", version));
  if (decoder.uses_texts_.size() != decoder.names_.size())
    return bad_dictionary(formatted("{} names but {} flags", decoder.names_.size(), decoder.uses_texts_.size()));
  return decoder;
}

Result<AttributeValue> AttributeDecoder::decode_texts(const std::string& name, AttributeValue value) const {
  const auto text = [&](int64_t index) -> Result<std::string> {
    if (index < 0 || static_cast<size_t>(index) >= texts_.size())
      return bad_dictionary(formatted("attribute {} refers to text {} of {}", name, index, texts_.size()));
    return texts_[index];
  };
  if (const auto* index = std::get_if<int64_t>(&value)) return AttributeValue(TRY(text(*index)));
  if (const auto* indices = std::get_if<std::vector<int64_t>>(&value)) {
    Texts list;
    for (const int64_t index : *indices) list.push_back(TRY(text(index)));
    return AttributeValue(std::move(list));
  }
  return value;
}

Status AttributeDecoder::decode(Attributes& attributes) const {
  // Coded names come first in the order of keys.
  while (!attributes.empty() && attributes.begin()->first.starts_with('\0')) {
    if (!active()) return bad_dictionary("a name is coded, and there is no dictionary");
    auto entry = attributes.extract(attributes.begin());
    const size_t index = coded_index(entry.key());
    if (index >= names_.size())
      return bad_dictionary(formatted("a coded name is outside the dictionary of {}", names_.size()));
    const std::string& name = names_[index];
    if (name.starts_with('\0')) return bad_dictionary(std::string(kCodedTwice));
    if (uses_texts_[index]) entry.mapped().value = TRY(decode_texts(name, std::move(entry.mapped().value)));
    entry.key() = name;
    attributes.insert(std::move(entry));
  }
  return {};
}

void AttributeEncoder::learn(const Attributes& attributes) {
  for (const auto& [name, attribute] : attributes) {
    const bool texts = holds_texts(attribute.value);
    const auto [known, added] = names_.try_emplace(name, Name{name_list_.size(), texts});
    if (added) name_list_.push_back(name);
    known->second.texts &= texts;
  }
}

int64_t AttributeEncoder::text_index(const std::string& text) {
  const auto [known, added] = texts_.try_emplace(text, static_cast<int64_t>(text_list_.size()));
  if (added) text_list_.push_back(text);
  return known->second;
}

Attributes AttributeEncoder::encode(const Attributes& attributes) {
  Attributes coded;
  for (const auto& [name, attribute] : attributes) {
    const Name& known = names_.at(name);
    Attribute& value = coded[coded_name(known.index)];
    if (!known.texts) {
      value = attribute;
    } else if (const auto* text = std::get_if<std::string>(&attribute.value)) {
      value.value = text_index(*text);
    } else {
      std::vector<int64_t> indices;
      for (const std::string& each : std::get<Texts>(attribute.value)) indices.push_back(text_index(each));
      value.value = std::move(indices);
    }
  }
  return coded;
}

Attributes AttributeEncoder::dictionary() const {
  Attributes dictionary;
  std::vector<bool> uses_texts;
  for (const std::string& name : name_list_) uses_texts.push_back(names_.at(name).texts);
  dictionary.emplace(ge_ir::kCompressVersion, int64_t{1});
  dictionary.emplace(ge_ir::kNameEnum, name_list_);
  dictionary.emplace(ge_ir::kValueEnum, text_list_);
  dictionary.emplace(ge_ir::kUsesStrings, std::move(uses_texts));
  return dictionary;
}

}  // namespace belay::graph
