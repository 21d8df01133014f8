// SPDX-License-Identifier: Apache-2.0
// Protobuf's text form.
#include <cctype>
#include <cstdlib>

#include "base/text.h"
#include "graph/ge_ir/proto_json.h"
#include "graph/tensor/types.h"

namespace belay::graph {
namespace {

constexpr int kDeepest = 64;

struct Token {
  std::string text;
  bool quoted = false;
  bool end() const { return text.empty() && !quoted; }
  bool is(std::string_view sign) const { return !quoted && text == sign; }
};

// Names, numbers, strings in quotes and the signs { } < > [ ] : , ;
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Token next() {
    if (held_) {
      held_ = false;
      return last_;
    }
    return last_ = scan();
  }
  void hold() { held_ = true; }
  int line() const { return line_; }

 private:
  static constexpr std::string_view signs = "{}<>[]:,;";

  Token scan() {
    skip_blanks();
    if (at_ == text_.size()) return {};
    const char first = text_[at_];
    if (first == '"' || first == '\'') return {quoted(), true};
    if (signs.find(first) != std::string_view::npos) return {std::string(1, text_[at_++])};
    const size_t start = at_;
    while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[at_])) && text_[at_] != '#' &&
           text_[at_] != '"' && text_[at_] != '\'' && signs.find(text_[at_]) == std::string_view::npos)
      ++at_;
    if (at_ == start) ++at_;  // '#' cannot be here; whatever it is, go on
    return {std::string(text_.substr(start, at_ - start))};
  }

  void skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      if (at_ == text_.size() || !std::isspace(static_cast<unsigned char>(text_[at_]))) return;
      line_ += text_[at_] == '\n';
    }
  }

  // Neighbouring strings are one.
  std::string quoted() {
    std::string made;
    while (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      const char quote = text_[at_++];
      while (at_ < text_.size() && text_[at_] != quote) made += unescaped();
      at_ = std::min(at_ + 1, text_.size());
      skip_blanks();
    }
    return made;
  }

  char unescaped() {
    const char c = text_[at_++];
    if (c != '\\' || at_ == text_.size()) return c;
    const char kind = text_[at_++];
    static constexpr std::string_view names = "nrtabfv", values = "\n\r\t\a\b\f\v";
    if (const size_t i = names.find(kind); i != std::string_view::npos) return values[i];
    if (kind == 'x') return code(16, 2);
    if (kind < '0' || kind > '7') return kind;
    --at_;
    return code(8, 3);
  }

  char code(int base, size_t most) {
    int value = 0;
    for (size_t i = 0; i < most && at_ < text_.size(); ++i, ++at_) {
      const char c = text_[at_];
      const int digit = std::isdigit(static_cast<unsigned char>(c))    ? c - '0'
                        : std::isxdigit(static_cast<unsigned char>(c)) ? std::tolower(c) - 'a' + 10
                                                                       : base;
      if (digit >= base) break;
      value = value * base + digit;
    }
    return static_cast<char>(value);
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  Token last_;
  bool held_ = false;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : scanner_(text) {}

  Result<ProtoMessage> message(const ProtoMessageType& type, std::string_view close, int depth) {
    if (depth > kDeepest) return wrong("messages are nested too deeply");
    ProtoMessage made{&type, {}};
    for (;;) {
      const Token name = scanner_.next();
      if (name.is(",") || name.is(";")) continue;
      if (close.empty() ? name.end() : name.is(close)) return made;
      if (name.end()) return wrong(formatted("{} is missing at the end", close));
      const ProtoField* field = type.find(name.text);
      if (!field) return wrong(formatted("{} has no field {}", type.name, name.text));
      TRY(values(made, *field, depth));
    }
  }

 private:
  Status wrong(std::string_view why) const {
    return {ACL_ERROR_PARSE_MODEL, formatted("line {}: {}", scanner_.line(), why)};
  }

  // What follows a field's name: ": value", ": [ value, ... ]", "{ ... }".
  Status values(ProtoMessage& made, const ProtoField& field, int depth) {
    Token token = scanner_.next();
    if (token.is(":")) token = scanner_.next();
    if (!token.is("[")) return value(made, field, token, depth);
    for (;;) {
      token = scanner_.next();
      if (token.is("]")) return {};
      if (token.is(",")) continue;
      if (token.end()) return wrong("] is missing");
      TRY(value(made, field, token, depth));
    }
  }

  Status value(ProtoMessage& made, const ProtoField& field, const Token& token, int depth) {
    if (field.kind != ProtoKind::Message) {
      made.fields.emplace_back(&field, TRY(scalar(field, token)));
      return {};
    }
    if (!token.is("{") && !token.is("<")) return wrong(formatted("a brace must follow {}", field.name));
    made.fields.emplace_back(&field, TRY(message(*field.message, token.is("{") ? "}" : ">", depth + 1)));
    return {};
  }

  Result<ProtoValue> scalar(const ProtoField& field, const Token& token) {
    const char* text = token.text.c_str();
    char* end = nullptr;
    switch (field.kind) {
      case ProtoKind::String:
      case ProtoKind::Bytes:
        if (token.quoted) return ProtoValue(token.text);
        break;
      case ProtoKind::Bool:
        if (token.is("true") || token.is("1")) return ProtoValue(true);
        if (token.is("false") || token.is("0")) return ProtoValue(false);
        break;
      case ProtoKind::Float:
      case ProtoKind::Double: {
        const double real = std::strtod(text, &end);
        if (!token.text.empty() && (*end == 0 || *end == 'f')) return ProtoValue(real);
        break;
      }
      case ProtoKind::Unsigned: {
        const uint64_t number = std::strtoull(text, &end, 0);
        if (!token.text.empty() && *end == 0) return ProtoValue(number);
        break;
      }
      case ProtoKind::Int:
      case ProtoKind::Enum: {
        const int64_t number = std::strtoll(text, &end, 0);
        if (!token.text.empty() && *end == 0) return ProtoValue(number);
        if (field.kind == ProtoKind::Enum && field.enum_name)
          for (int64_t i = 0; i < 64; ++i)
            if (field.enum_name(i) == token.text) return ProtoValue(i);
        break;
      }
      case ProtoKind::Message:
        break;
    }
    return wrong(formatted("{} cannot be {}", field.name, token.text));
  }

  Scanner scanner_;
};

}  // namespace

Result<ProtoMessage> read_proto_text(const ProtoMessageType& type, std::string_view text) {
  return Parser(text).message(type, "", 0);
}

}  // namespace belay::graph
