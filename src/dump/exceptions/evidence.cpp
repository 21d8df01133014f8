// SPDX-License-Identifier: Apache-2.0
#include "dump/exceptions/evidence.h"

#include <algorithm>
#include <cctype>

#include "backend/layout.h"
#include "base/device_memory.h"
#include "base/endings/trap.h"
#include "base/text.h"
#include "dump/format/names.h"
#include "graph/tensor/types.h"

namespace belay::dump {
namespace {

using executor::Running;
using executor::Tensor;

constexpr uint32_t kInput = 2;  // input_type of an input
constexpr std::string_view kPrefix = "[Dump][Exception] ";

class Gatherer {
 public:
  Gatherer(const Running& running, bool typed) : running_(running), typed_(typed) {}

  Evidence gather(const Status& why) {
    describe(why);
    const auto& node = running_.node;
    for (size_t i = 0; i < running_.inputs.size(); ++i) add_tensor(running_.inputs[i], node.input_descs, i, true);
    for (size_t i = 0; i < running_.outputs.size(); ++i) add_tensor(running_.outputs[i], node.outputs, i, false);
    if (!running_.scratch.empty()) {
      made_.header.spaces.push_back({.size = running_.scratch.size(), .arg_index = next_});
      add_bytes("workspace", running_.scratch.data(), running_.scratch.size());
    }
    return std::move(made_);
  }

 private:
  void say(std::string_view prefix, const std::string& text) {
    made_.header.dfx_message += std::string(prefix) + text + "\n";
  }

  void describe(const Status& why) {
    const auto& node = running_.node;
    const auto& run = running_.run;
    const std::string_view prefix = typed_ ? "[AIC_INFO] " : kPrefix;
    say(prefix, formatted("node_name:{}, node_type:{}, stream_id:{}, task_id:{}, device_id:{}, kernel_name:{}, "
                          "error_code:{}",
                          node.name, node.type, run.stream_id, run.task_id, run.device_id,
                          executor::kernel_name(running_), why.code));
    std::string message = why.message;
    std::ranges::replace(message, '\n', ' ');
    say(prefix, "error:" + message);
    if (!typed_) return;
    made_.header.op_name = node.name;
    for (const auto& [name, attribute] : node.attributes)
      if (const std::string text = attribute_text(attribute.value); !text.empty())
        say(prefix, formatted("attr {}:{}", name, text));
  }

  void add_tensor(const Tensor& tensor, const std::vector<graph::TensorDesc>& descs, size_t port, bool input) {
    const uint64_t bytes = tensor.present ? graph::bytes_of(tensor.type, tensor.count()) : 0;
    if (!tensor.data || bytes == 0) return;
    TensorEntry entry{.shape = Dims(tensor.shape.begin(), tensor.shape.end()),
                      .size = bytes,
                      .arg_index = next_,
                      .input_type = input ? kInput : 0};
    if (typed_) {
      entry.data_type = graph::to_proto(tensor.type);
      entry.format = port < descs.size() ? static_cast<int32_t>(descs[port].format) & 0xff : 2;
    }
    (input ? made_.header.inputs : made_.header.outputs).push_back(std::move(entry));
    const char* what = input ? "input" : "output";
    if (tensor.layout == backend::Layout::Plain) return add_bytes(what, tensor.data, bytes);
    if (!readable(tensor.data, tensor.bytes()))
      return add_bytes(what, tensor.data, bytes);  // says that it cannot be read
    auto row_major = std::make_shared<std::vector<std::byte>>(bytes);
    Tensor target{tensor.type, tensor.shape, backend::Layout::Plain, row_major->data()};
    (void)backend::reorder(tensor, target);
    add_bytes(what, target.data, bytes, row_major);
  }

  void add_bytes(const char* what, const void* data, size_t bytes, std::shared_ptr<const void> owner = nullptr) {
    say(kPrefix, formatted("begin to load {} tensor, index:{}", what, next_));
    say(kPrefix, formatted("addr:{}, size:{}", device_address(data), bytes));
    if (!readable(data, bytes)) {
      say(kPrefix, formatted("the address maybe invalid: {} bytes at {} cannot be read; zeros stand for them", bytes,
                             device_address(data)));
      auto zeros = std::make_shared<std::vector<std::byte>>(bytes);
      data = zeros->data();
      owner = zeros;
    }
    say(kPrefix, formatted("end to load {} tensor, index:{}", what, next_));
    made_.pieces.push_back({data, bytes, std::move(owner)});
    ++next_;
  }

  const Running& running_;
  const bool typed_;
  uint32_t next_ = 0;
  Evidence made_;
};

template <class T>
std::string element_text(const T& value) {
  if constexpr (std::is_same_v<T, std::string>)
    return value;
  else if constexpr (std::is_same_v<T, graph::DataType>)
    return std::string(graph::name_of(value));
  else if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else
    return formatted("{}", value);
}

template <class T>
std::string list_text(const std::vector<T>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? "," : "") + element_text<T>(values[i]);
  return text + "]";
}

template <class T>
std::string list_text(const std::vector<std::vector<T>>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? "," : "") + list_text(values[i]);
  return text + "]";
}

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = !std::is_same_v<T, graph::Constant>;

}  // namespace

Evidence gather_evidence(const Running& running, const Status& why, bool typed) {
  return Gatherer(running, typed).gather(why);
}

std::string word(std::string_view name) {
  std::string made(name);
  std::ranges::replace_if(
      made, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; }, '_');
  return made;
}

std::string millisecond_text(uint64_t time) {
  const std::string milliseconds = std::to_string(time / 1000 % 1000);
  return time_text(static_cast<std::time_t>(time / 1'000'000)) + std::string(3 - milliseconds.size(), '0') +
         milliseconds;
}

std::string attribute_text(const graph::AttributeValue& value) {
  return std::visit(
      []<class T>(const T& held) -> std::string {
        if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int64_t> || std::is_same_v<T, float> ||
                      std::is_same_v<T, std::string> || std::is_same_v<T, graph::DataType>)
          return element_text(held);
        else if constexpr (is_list<T>)
          return list_text(held);
        else
          return "";
      },
      value);
}

}  // namespace belay::dump
