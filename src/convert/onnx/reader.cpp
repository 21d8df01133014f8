// SPDX-License-Identifier: Apache-2.0
#include "convert/onnx/reader.h"

#include <algorithm>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "base/exception_words.h"
#include "base/text.h"
#include "convert/onnx/tensor.h"
#include "convert/onnx/types.h"

namespace belay::convert::onnx {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr auto text = pbf_wire_type::length_delimited;
constexpr auto varint = pbf_wire_type::varint;
constexpr auto fixed32 = pbf_wire_type::fixed32;
constexpr int max_nesting = 64;  // of graphs in graphs, and of types in types

class Reader {
 public:
  explicit Reader(TensorSource source) : source_(std::move(source)) {}

  Result<Model> model(pbf_reader message);

 private:
  Result<Graph> graph(pbf_reader message);
  Result<Node> node(pbf_reader message);
  Result<Function> function(pbf_reader message);
  Result<Attribute> attribute(pbf_reader message);

  TensorSource source_;
  int nesting_ = 0;
};

void read_opset(OpsetImports& opsets, pbf_reader message) {
  std::string domain;
  int64_t version = 1;
  while (message.next()) switch (message.tag_and_type()) {
      case tag_and_type(1, text):
        domain = message.get_string();
        break;
      case tag_and_type(2, varint):
        version = message.get_int64();
        break;
      default:
        message.skip();
    }
  opsets[domain == "ai.onnx" ? "" : domain] = version;
}

void read_dimension(ValueInfo& info, pbf_reader message) {
  int64_t size = -1;
  std::string symbol;
  while (message.next()) switch (message.tag_and_type()) {
      case tag_and_type(1, varint):
        size = message.get_int64();
        break;
      case tag_and_type(2, text):
        symbol = message.get_string();
        break;
      default:
        message.skip();
    }
  info.shape.push_back(size < 0 ? -1 : size);
  info.symbols.push_back(std::move(symbol));
}

void read_tensor_type(ValueInfo& info, pbf_reader message) {
  while (message.next()) switch (message.tag_and_type()) {
      case tag_and_type(1, varint):
        info.element = message.get_int32();
        info.type = data_type(info.element);
        break;
      case tag_and_type(2, text): {
        auto shape = message.get_message();
        info.shape.clear();
        info.symbols.clear();
        while (shape.next()) {
          if (shape.tag_and_type() == tag_and_type(1, text)) {
            read_dimension(info, shape.get_message());
          } else {
            shape.skip();
          }
        }
        break;
      }
      default:
        message.skip();
    }
}

ValueInfo read_value(pbf_reader message) {
  ValueInfo info;
  const auto read_type = [&info](pbf_reader type) {
    while (type.next()) switch (type.tag_and_type()) {
        case tag_and_type(1, text):
          info.kind = ValueInfo::Kind::Tensor;
          read_tensor_type(info, type.get_message());
          break;
        case tag_and_type(4, text):
          info.kind = ValueInfo::Kind::Sequence, type.skip();
          break;
        case tag_and_type(5, text):
          info.kind = ValueInfo::Kind::Map, type.skip();
          break;
        case tag_and_type(8, text):
          info.kind = ValueInfo::Kind::Sparse, type.skip();
          break;
        case tag_and_type(9, text):
          info.kind = ValueInfo::Kind::Optional, type.skip();
          break;
        default:
          type.skip();
      }
  };
  while (message.next()) switch (message.tag_and_type()) {
      case tag_and_type(1, text):
        info.name = message.get_string();
        break;
      case tag_and_type(2, text):
        read_type(message.get_message());
        break;
      default:
        message.skip();
    }
  return info;
}

// A SparseTensorProto's name is the one of its values.
std::string sparse_name(pbf_reader message) {
  while (message.next(1, text)) {
    auto values = message.get_message();
    while (values.next(8, text)) return values.get_string();
  }
  return "";
}

// Files of the first ONNX releases leave the kind out.
Attribute::Kind guessed_kind(const Attribute& attribute) {
  if (attribute.t) return Attribute::Kind::Tensor;
  if (attribute.g) return Attribute::Kind::Graph;
  if (!attribute.floats.empty()) return Attribute::Kind::Floats;
  if (!attribute.ints.empty()) return Attribute::Kind::Ints;
  if (!attribute.strings.empty()) return Attribute::Kind::Strings;
  if (!attribute.s.empty()) return Attribute::Kind::String;
  return attribute.f != 0 ? Attribute::Kind::Float : Attribute::Kind::Int;
}

Result<Attribute> Reader::attribute(pbf_reader message) {
  Attribute result;
  while (message.next()) switch (message.tag_and_type()) {
      case tag_and_type(1, text):
        result.name = message.get_string();
        break;
      case tag_and_type(2, fixed32):
        result.f = message.get_float();
        break;
      case tag_and_type(3, varint):
        result.i = message.get_int64();
        break;
      case tag_and_type(4, text):
        result.s = message.get_string();
        break;
      case tag_and_type(5, text):
        result.t = std::make_shared<const Tensor>(TRY(read_tensor(message.get_message(), source_)));
        break;
      case tag_and_type(6, text):
        result.g = std::make_shared<const Graph>(TRY(graph(message.get_message())));
        break;
      case tag_and_type(7, text):
        for (const float value : message.get_packed_float()) result.floats.push_back(value);
        break;
      case tag_and_type(7, fixed32):
        result.floats.push_back(message.get_float());
        break;
      case tag_and_type(8, text):
        for (const int64_t value : message.get_packed_int64()) result.ints.push_back(value);
        break;
      case tag_and_type(8, varint):
        result.ints.push_back(message.get_int64());
        break;
      case tag_and_type(9, text):
        result.strings.push_back(message.get_string());
        break;
      case tag_and_type(20, varint):
        result.kind = static_cast<Attribute::Kind>(message.get_enum());
        break;
      case tag_and_type(21, text):
        result.reference = message.get_string();
        break;
      default:
        message.skip();
    }
  if (result.kind == Attribute::Kind::Undefined) result.kind = guessed_kind(result);
  return result;
}

Result<Node> Reader::node(pbf_reader message) {
  Node result;
  while (message.next()) switch (message.tag_and_type()) {
      case tag_and_type(1, text):
        result.inputs.push_back(message.get_string());
        break;
      case tag_and_type(2, text):
        result.outputs.push_back(message.get_string());
        break;
      case tag_and_type(3, text):
        result.name = message.get_string();
        break;
      case tag_and_type(4, text):
        result.type = message.get_string();
        break;
      case tag_and_type(5, text):
        result.attributes.push_back(TRY(attribute(message.get_message())));
        break;
      case tag_and_type(7, text):
        result.domain = message.get_string();
        break;
      default:
        message.skip();
    }
  if (result.domain == "ai.onnx") result.domain.clear();
  return result;
}

Result<Graph> Reader::graph(pbf_reader message) {
  if (nesting_ == max_nesting)
    return Status{ACL_ERROR_PARSE_MODEL, formatted("graphs are nested deeper than {}", max_nesting)};
  ++nesting_;
  Graph result;
  while (message.next()) switch (message.tag_and_type()) {
      case tag_and_type(1, text):
        result.nodes.push_back(TRY(node(message.get_message())));
        break;
      case tag_and_type(2, text):
        result.name = message.get_string();
        break;
      case tag_and_type(5, text):
        result.initializers.push_back(TRY(read_tensor(message.get_message(), source_)));
        break;
      case tag_and_type(11, text):
        result.inputs.push_back(read_value(message.get_message()));
        break;
      case tag_and_type(12, text):
        result.outputs.push_back(read_value(message.get_message()));
        break;
      case tag_and_type(13, text):
        result.values.push_back(read_value(message.get_message()));
        break;
      case tag_and_type(15, text):
        result.sparse_initializers.push_back(sparse_name(message.get_message()));
        break;
      default:
        message.skip();
    }
  --nesting_;
  return result;
}

Result<Function> Reader::function(pbf_reader message) {
  Function result;
  while (message.next()) switch (message.tag_and_type()) {
      case tag_and_type(1, text):
        result.name = message.get_string();
        break;
      case tag_and_type(4, text):
        result.inputs.push_back(message.get_string());
        break;
      case tag_and_type(5, text):
        result.outputs.push_back(message.get_string());
        break;
      case tag_and_type(7, text):
        result.nodes.push_back(TRY(node(message.get_message())));
        break;
      case tag_and_type(9, text):
        read_opset(result.opsets, message.get_message());
        break;
      case tag_and_type(10, text):
        result.domain = message.get_string();
        break;
      case tag_and_type(11, text):
        result.defaults.push_back(TRY(attribute(message.get_message())));
        break;
      default:
        message.skip();
    }
  return result;
}

Result<Model> Reader::model(pbf_reader message) {
  Model result;
  bool has_graph = false;
  while (message.next()) switch (message.tag_and_type()) {
      case tag_and_type(1, varint):
        result.ir_version = message.get_int64();
        break;
      case tag_and_type(2, text):
        result.producer = message.get_string();
        break;
      case tag_and_type(7, text):
        result.graph = TRY(graph(message.get_message()));
        has_graph = true;
        break;
      case tag_and_type(8, text):
        read_opset(result.opsets, message.get_message());
        break;
      case tag_and_type(25, text):
        result.functions.push_back(TRY(function(message.get_message())));
        break;
      default:
        message.skip();
    }
  if (!has_graph) return Status{ACL_ERROR_PARSE_MODEL, "no graph in it: this is not an ONNX model"};
  if (result.opsets.empty()) result.opsets[""] = 1;
  return result;
}

}  // namespace

const Attribute* Node::find(std::string_view attribute) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [attribute](const Attribute& candidate) { return candidate.name == attribute; });
  return found == attributes.end() ? nullptr : &*found;
}

std::string describe(const Node& node, int64_t opset) {
  return formatted("{}{} (opset {})", node.domain.empty() ? "" : node.domain + "::", node.type, opset);
}

Result<Model> read_model(std::span<const std::byte> image, std::shared_ptr<const void> owner,
                         const std::filesystem::path& directory) {
  Reader reader({std::move(owner), directory, {}});
  try {
    return reader.model(pbf_reader(reinterpret_cast<const char*>(image.data()), image.size()));
  } catch (const protozero::exception& error) {
    return Status{ACL_ERROR_PARSE_MODEL, formatted("not an ONNX model: {}", exception_words(error))};
  }
}

}  // namespace belay::convert::onnx
