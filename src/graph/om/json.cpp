// SPDX-License-Identifier: Apache-2.0
#include "graph/om/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "graph/ge_ir/attribute_coding.h"
#include "graph/ge_ir/fields.h"
#include "graph/ge_ir/schema.h"
#include "graph/om/container.h"
#include "graph/om/writer.h"

namespace belay::graph {
namespace {

Status bad_coding(const char* what) {
  return {ACL_ERROR_PARSE_MODEL, formatted("a coded attribute {} is not in the model's dictionary", what)};
}

ProtoMessage* inner(ProtoMessage& message, std::string_view field) {
  ProtoValue* value = message.find(field);
  return value ? std::get_if<ProtoMessage>(value) : nullptr;
}

template <class T>
T member(const ProtoMessage& message, std::string_view field) {
  const ProtoValue* value = message.find(field);
  const T* held = value ? std::get_if<T>(value) : nullptr;
  return held ? *held : T{};
}

std::string key_of(const ProtoMessage& entry) { return member<std::string>(entry, "key"); }

// The elements of a list attribute.
template <class T>
std::vector<T> list_of(ProtoMessage& entry, std::string_view field) {
  std::vector<T> values;
  ProtoMessage* value = inner(entry, "value");
  ProtoMessage* list = value ? inner(*value, "list") : nullptr;
  if (!list) return values;
  for (const auto& [known, element] : list->fields)
    if (known->name == field) values.push_back(std::get<T>(element));
  return values;
}

// Calls f for every message in the fields of that name.
template <class F>
Status each(ProtoMessage& message, std::string_view field, F f) {
  for (auto& [known, value] : message.fields)
    if (known->name == field) TRY(f(std::get<ProtoMessage>(value)));
  return {};
}

// Undoes attribute compression, in the messages themselves.
class Decoder {
 public:
  // Takes the dictionaries away, and our padding.
  explicit Decoder(ProtoMessage& model) {
    (void)each(model, "attr", [&](ProtoMessage& entry) -> Status {
      const std::string key = key_of(entry);
      if (key == ge_ir::kNameEnum) names_ = list_of<std::string>(entry, "s");
      if (key == ge_ir::kValueEnum) texts_ = list_of<std::string>(entry, "s");
      if (key == ge_ir::kUsesStrings) uses_texts_ = list_of<bool>(entry, "b");
      return {};
    });
    std::erase_if(model.fields, [](const auto& field) {
      if (field.first->name != "attr") return false;
      const std::string key = key_of(std::get<ProtoMessage>(field.second));
      return key == ge_ir::kNameEnum || key == ge_ir::kValueEnum || key == ge_ir::kUsesStrings ||
             key == ge_ir::kCompressVersion || key == kPadding;
    });
  }

  Status decode(ProtoMessage& model) const {
    return each(model, "graph", [&](ProtoMessage& graph) {
      return each(graph, "op", [&](ProtoMessage& op) -> Status {
        TRY(decode_attributes(op));
        for (const auto field : {"input_desc", "output_desc"})
          TRY(each(op, field, [&](ProtoMessage& desc) { return decode_attributes(desc); }));
        return {};
      });
    });
  }

 private:
  Status decode_attributes(ProtoMessage& owner) const {
    TRY(each(owner, "attr", [&](ProtoMessage& entry) { return decode_entry(entry); }));
    const auto others = std::stable_partition(owner.fields.begin(), owner.fields.end(),
                                              [](const auto& field) { return field.first->name == "attr"; });
    std::stable_sort(owner.fields.begin(), others, [](const auto& a, const auto& b) {
      return key_of(std::get<ProtoMessage>(a.second)) < key_of(std::get<ProtoMessage>(b.second));
    });
    return {};
  }

  Status decode_entry(ProtoMessage& entry) const {
    ProtoValue* key = entry.find("key");
    if (!key || !std::get<std::string>(*key).starts_with('\0')) return {};
    const size_t index = coded_index(std::get<std::string>(*key));
    if (index >= names_.size() || index >= uses_texts_.size()) return bad_coding("name");
    if (names_[index].starts_with('\0')) return {ACL_ERROR_PARSE_MODEL, std::string(kCodedTwice)};
    *key = names_[index];
    ProtoMessage* value = inner(entry, "value");
    return value && uses_texts_[index] ? decode_texts(*value) : Status{};
  }

  // Numbers that stand for texts become the texts.
  Status decode_texts(ProtoMessage& value) const {
    for (auto& [field, element] : value.fields) {
      if (field->name == "list") {
        TRY(decode_texts(std::get<ProtoMessage>(element)));
      } else if (field->name == "val_type") {
        element = static_cast<int64_t>(ge_ir::ListType::String);
      } else if (field->name == "i") {
        const int64_t index = std::get<int64_t>(element);
        if (index < 0 || index >= static_cast<int64_t>(texts_.size())) return bad_coding("text");
        element = texts_[static_cast<size_t>(index)];
        field = value.type->find("s");
      }
    }
    return {};
  }

  std::vector<std::string> names_, texts_;
  std::vector<bool> uses_texts_;
};

Result<std::string> shown(ProtoMessage model, std::vector<ProtoMessage> parts = {}) {
  const Decoder decoder(model);
  TRY(decoder.decode(model));
  for (ProtoMessage& part : parts) {
    TRY(decoder.decode(part));  // the first model has the dictionaries of all
    for (auto& field : part.fields)
      if (field.first->name == "graph") model.fields.push_back(std::move(field));
  }
  return json_text(to_json(model));
}

// An attribute of a model as --mode=6 prints it.
std::string printed(const ProtoMessage& model, std::string_view key) {
  for (const auto& [field, value] : model.fields) {
    if (field->name != "attr") continue;
    const auto& entry = std::get<ProtoMessage>(value);
    if (key_of(entry) != key) continue;
    const auto held = member<ProtoMessage>(entry, "value");
    if (held.find("i")) return std::to_string(member<int64_t>(held, "i"));
    return member<std::string>(held, "s");
  }
  return "";
}

uint64_t partition_bytes(const PartitionGroup& group, PartitionType type) { return find_partition(group, type).size(); }

Result<ProtoMessage> read_model(const OmContainer& container, size_t index = 0) {
  if (container.header.type == ModelType::Bundle)
    return Status{ACL_ERROR_PARSE_MODEL, "the file is a bundle of models; take them apart first"};
  return read_proto(model_def_type(), find_partition(container.groups.at(index), PartitionType::ModelDef));
}

}  // namespace

Result<std::string> om_to_json(std::span<const std::byte> image) {
  const OmContainer container = TRY(read_container(image));
  ProtoMessage first = TRY(read_model(container));
  std::vector<ProtoMessage> parts;
  for (size_t i = 1; i < container.groups.size(); ++i) parts.push_back(TRY(read_model(container, i)));
  return shown(std::move(first), std::move(parts));
}

Result<std::string> ge_text_to_json(std::string_view text) {
  return shown(TRY(read_proto_text(model_def_type(), text)));
}

Result<std::string> om_summary(std::span<const std::byte> image) {
  const OmContainer container = TRY(read_container(image));
  const ProtoMessage model = TRY(read_model(container));
  const auto& group = container.groups[0];
  const auto text = [&](std::string_view key) { return printed(model, key); };
  const auto bytes = [&](PartitionType type) { return partition_bytes(group, type); };
  return formatted("============ Display Model Info start ============\nOriginal Atc command line: {}\n",
                   text("atc_cmdline")) +
         formatted("system   info: atc_version[{}], soc_version[{}], framework_type[{}].\n", text("atc_version"),
                   text("soc_version"), text("framework_type")) +
         formatted("resource info: memory_size[{} B], weight_size[{} B], stream_num[{}], event_num[{}].\n",
                   text("memory_size"), text("weight_size"), text("stream_num"), text("event_num")) +
         formatted("om       info: modeldef_size[{} B], weight_data_size[{} B], tbe_kernels_size[{} B], ",
                   bytes(PartitionType::ModelDef), bytes(PartitionType::WeightsData),
                   bytes(PartitionType::TbeKernels)) +
         formatted("cust_aicpu_kernel_store_size[{} B], task_info_size[{} B], so_store_size[{} B].\n",
                   bytes(PartitionType::CustAicpuKernels), bytes(PartitionType::TaskInfo),
                   bytes(PartitionType::SoBins)) +
         "============ Display Model Info end   ============\n";
}

}  // namespace belay::graph
